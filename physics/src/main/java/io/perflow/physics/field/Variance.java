package io.perflow.physics.field;

/**
 * The scalings of the complex normal numbers behind a {@link PeriodicField}.
 *
 * <p>The difference is one of code, not of intent: the generator of the Fourier neural operator's
 * Navier-Stokes data drew real and imaginary parts with variance 1 each until mid-2022 and draws
 * them with variance 1/2 each since then, under the same formula.
 */
public enum Variance {
  /**
   * Real and imaginary parts have variance 1, which gives twice the nominal covariance, as in the
   * data of DiffusionPDE.
   */
  DOUBLED,
  /** Real and imaginary parts have variance 1/2, which gives the nominal covariance. */
  NOMINAL
}
