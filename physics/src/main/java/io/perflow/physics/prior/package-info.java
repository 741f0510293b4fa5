/**
 * The Gaussian distribution that has the mean and the covariance of training fields: it is learnt
 * from a data set and conditioned on the readings of sensors (kriging). Everything here is in
 * normalized units unless its javadoc says otherwise. Networks and flows do not belong here.
 */
package io.perflow.physics.prior;
