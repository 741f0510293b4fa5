package io.perflow.physics.field;

import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import java.util.Map;

/**
 * The distribution of a centred Gaussian random field on a grid of the unit interval, square or
 * cube, given by the spectrum of its covariance.
 *
 * <p>Four conventions are in circulation, and data sets differ by factors because of them. Each has
 * a name here:
 *
 * <table>
 * <caption>Conventions; d is the number of axes</caption>
 * <tr><th>name</th><th>covariance</th><th>grid</th><th>used for</th></tr>
 * <tr><td>{@link CosineField}</td><td>tau^(2 alpha - 2) (-Laplace + tau^2)^-alpha, Neumann</td>
 *     <td>cell centres</td><td>Darcy, Poisson</td></tr>
 * <tr><td>{@link PeriodicLine}</td><td>sigma^2 (-Laplace + tau^2)^-gamma, periodic</td>
 *     <td>j / n</td><td>Burgers</td></tr>
 * <tr><td>{@link PeriodicField} {@link Variance#DOUBLED}</td>
 *     <td>2 sigma^2 (-Laplace + tau^2)^-alpha, periodic</td><td>j / n</td>
 *     <td>Navier-Stokes, older code</td></tr>
 * <tr><td>{@link PeriodicField} {@link Variance#NOMINAL}</td>
 *     <td>sigma^2 (-Laplace + tau^2)^-alpha, periodic</td><td>j / n</td>
 *     <td>Navier-Stokes, current code</td></tr>
 * </table>
 *
 * <p>The constant mode is left out in all of them, so that every sample has mean zero. Sampling
 * costs one fast transform; no covariance matrix is formed.
 */
public sealed interface GaussianField permits CosineField, PeriodicField, PeriodicLine {
  /** Returns the extents of the grid. */
  Shape shape();

  /** Draws one sample in row-major order. */
  double[] sample(Rng rng);

  /**
   * Returns the root of the point-wise variance, averaged over the grid: exact, from the spectrum.
   */
  double std();

  /** Returns the parameters of the distribution, for the metadata of a file. */
  Map<String, Object> parameters();
}
