/**
 * The Gaussian that training fields imply: learnt, conditioned on readings (kriging), and used to
 * place sensors. Everything here is in normalized units unless it says otherwise.
 */
package io.perflow.physics.prior;
