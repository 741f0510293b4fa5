/**
 * Problems with their quantities, grids and symmetries, data sets and their normalization, sensors
 * and their readings.
 *
 * <p>Constraints, priors, equations and solvers have their own packages. Nothing here depends on
 * networks.
 */
package io.perflow.physics;
