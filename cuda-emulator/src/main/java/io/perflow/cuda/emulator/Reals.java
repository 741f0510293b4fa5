package io.perflow.cuda.emulator;

/**
 * Floating-point arithmetic of PTX for one thread, named and made into loops as in {@link Bits}.
 *
 * <p>What IEEE 754 defines is exact. The {@code approx} instructions are rounded correctly here; a
 * device may differ in the last bits, so a result that depends on them is a prediction.
 */
final class Reals {
  private Reals() {}

  static float add_f32(float a, float b) {
    return a + b;
  }

  static float sub_f32(float a, float b) {
    return a - b;
  }

  static float mul_f32(float a, float b) {
    return a * b;
  }

  static float div_f32(float a, float b) {
    return a / b;
  }

  static float fma_f32(float a, float b, float c) {
    return Math.fma(a, b, c);
  }

  static float neg_f32(float a) {
    return -a;
  }

  static float abs_f32(float a) {
    return Math.abs(a);
  }

  /** Returns the smaller number; a NaN gives way to a number, unlike in Java. */
  static float min_f32(float a, float b) {
    return Float.isNaN(a) ? b : Float.isNaN(b) ? a : Math.min(a, b);
  }

  static float max_f32(float a, float b) {
    return Float.isNaN(a) ? b : Float.isNaN(b) ? a : Math.max(a, b);
  }

  static float min_NaN_f32(float a, float b) {
    return Math.min(a, b);
  }

  static float max_NaN_f32(float a, float b) {
    return Math.max(a, b);
  }

  static float sqrt_f32(float a) {
    return (float) Math.sqrt(a);
  }

  static float rcp_f32(float a) {
    return 1 / a;
  }

  static float rsqrt_approx_f32(float a) {
    return (float) (1 / Math.sqrt(a));
  }

  static float ex2_approx_f32(float a) {
    return (float) StrictMath.pow(2, a);
  }

  static float lg2_approx_f32(float a) {
    return (float) (StrictMath.log(a) / StrictMath.log(2));
  }

  static float sin_approx_f32(float a) {
    return (float) StrictMath.sin(a);
  }

  static float cos_approx_f32(float a) {
    return (float) StrictMath.cos(a);
  }

  static float tanh_approx_f32(float a) {
    return (float) StrictMath.tanh(a);
  }

  static float copysign_f32(float sign, float magnitude) {
    return Math.copySign(magnitude, sign);
  }

  /** Clamps to [0, 1]; a NaN becomes 0. */
  static float sat_f32(float a) {
    return a > 0 ? Math.min(a, 1) : 0;
  }

  /** Flushes a subnormal number to a zero of its sign. */
  static float ftz_f32(float a) {
    return Math.abs(a) < Float.MIN_NORMAL ? Math.copySign(0f, a) : a;
  }

  // ------------------------------------------------------------ directed rounding

  static float fma_rm_f32(float a, float b, float c) {
    return down((double) a * b, c);
  }

  static float fma_rp_f32(float a, float b, float c) {
    return -down(-((double) a * b), -c);
  }

  static float fma_rz_f32(float a, float b, float c) {
    return towardsZero((double) a * b, c);
  }

  static float add_rm_f32(float a, float b) {
    return down(a, b);
  }

  static float add_rp_f32(float a, float b) {
    return -down(-a, -b);
  }

  static float add_rz_f32(float a, float b) {
    return towardsZero(a, b);
  }

  static float mul_rz_f32(float a, float b) {
    return towardsZero((double) a * b, 0);
  }

  private static float towardsZero(double a, double b) {
    return a + b >= 0 ? down(a, b) : -down(-a, -b);
  }

  /**
   * Returns the largest float not above the exact a + b. The sum in double is off by an error that
   * is a double itself (Knuth's two-sum), so its sign tells on which side of the sum the exact
   * value is.
   */
  private static float down(double a, double b) {
    double sum = a + b;
    if (Double.isNaN(sum) || Double.isInfinite(sum)) {
      return (float) sum;
    }
    double part = sum - a;
    double error = a - (sum - part) + (b - part);
    float nearest = (float) sum;
    boolean above = nearest > sum || nearest == sum && error < 0;
    return above ? Math.nextDown(nearest) : nearest;
  }

  // ------------------------------------------------------------ double

  static double add_f64(double a, double b) {
    return a + b;
  }

  static double sub_f64(double a, double b) {
    return a - b;
  }

  static double mul_f64(double a, double b) {
    return a * b;
  }

  static double div_f64(double a, double b) {
    return a / b;
  }

  static double fma_f64(double a, double b, double c) {
    return Math.fma(a, b, c);
  }

  static double neg_f64(double a) {
    return -a;
  }

  static double abs_f64(double a) {
    return Math.abs(a);
  }

  static double min_f64(double a, double b) {
    return Double.isNaN(a) ? b : Double.isNaN(b) ? a : Math.min(a, b);
  }

  static double max_f64(double a, double b) {
    return Double.isNaN(a) ? b : Double.isNaN(b) ? a : Math.max(a, b);
  }

  static double sqrt_f64(double a) {
    return Math.sqrt(a);
  }

  static double rcp_f64(double a) {
    return 1 / a;
  }

  static double rsqrt_approx_f64(double a) {
    return 1 / Math.sqrt(a);
  }

  static double copysign_f64(double sign, double magnitude) {
    return Math.copySign(magnitude, sign);
  }
}
