package io.perflow.physics.field;

/** The checks and wave numbers that all fields share. */
final class Spectra {
  private Spectra() {}

  static void require(String law, int points, double alpha, double tau, double sigma) {
    if (points < 2) {
      throw new IllegalArgumentException(
          "[%s] a grid of %d points holds no field; at least 2".formatted(law, points));
    }
    if (!(alpha > 0) || !(tau > 0) || !(sigma > 0) || !Double.isFinite(alpha + tau + sigma)) {
      throw new IllegalArgumentException(
          "[%s] smoothness %s, inverse length %s and amplitude %s must be positive and finite"
              .formatted(law, alpha, tau, sigma));
    }
  }

  /**
   * Returns the frequency of entry i of a transform of length n, one of 0, 1 … n/2 - 1, -n/2 … -1.
   */
  static int frequency(int i, int n) {
    return i < (n + 1) / 2 ? i : i - n;
  }
}
