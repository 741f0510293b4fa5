package io.perflow.tensor.op;

/**
 * The error function in double precision, by its two classical expansions (Abramowitz and Stegun,
 * 7.1.6 and 7.1.14).
 */
final class ErrorFunction {
  private static final double TWO_OVER_SQRT_PI = 2 / Math.sqrt(Math.PI);
  // Below this bound the series needs at most about 60 terms; above it the fraction converges
  // within 60 levels.
  private static final double SERIES_LIMIT = 2.5;
  private static final int FRACTION_LEVELS = 60;

  private ErrorFunction() {}

  /** Returns {@code (2 / √π) ∫₀ˣ exp(-t²) dt}. */
  static double erf(double x) {
    double a = Math.abs(x);
    if (a < SERIES_LIMIT || Double.isNaN(x)) {
      return series(x);
    }
    return Math.copySign(1 - tail(a), x);
  }

  /**
   * Returns the normal distribution function Φ(x), which is accurate relative to itself in the
   * lower tail.
   */
  static double normal(double x) {
    double z = Math.abs(x) * Math.sqrt(0.5);
    double lower = 0.5 * (z < SERIES_LIMIT || Double.isNaN(x) ? 1 - series(z) : tail(z));
    return x < 0 ? lower : 1 - lower;
  }

  /**
   * Returns erf as {@code (2/√π) e^(-x²) Σ 2ⁿ x^(2n+1) / (1·3·…·(2n+1))}, in which no terms cancel.
   */
  private static double series(double x) {
    double term = x;
    double sum = x;
    for (int n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
      term *= 2 * x * x / (2 * n + 1);
      sum += term;
    }
    return TWO_OVER_SQRT_PI * Math.exp(-x * x) * sum;
  }

  /**
   * Returns 1 - erf(z) for z ≥ 2.5 by its continued fraction, evaluated from the innermost level.
   */
  private static double tail(double z) {
    double gauss = Math.exp(-z * z);
    if (gauss == 0) {
      return 0;
    }
    double f = z;
    for (int k = FRACTION_LEVELS; k > 0; k--) {
      f = z + 0.5 * k / f;
    }
    return gauss * TWO_OVER_SQRT_PI / 2 / f;
  }
}
