package io.perflow.cuda.emulator;

/**
 * Comparisons of PTX for one thread, named and made into loops as in {@link Bits}. A comparison of
 * floating-point numbers is false when one is a NaN, except for those ending in u, which are true.
 */
final class Comparisons {
  private Comparisons() {}

  static boolean setp_eq_b32(int a, int b) {
    return a == b;
  }

  static boolean setp_ne_b32(int a, int b) {
    return a != b;
  }

  static boolean setp_lt_s32(int a, int b) {
    return a < b;
  }

  static boolean setp_lt_u32(int a, int b) {
    return Integer.compareUnsigned(a, b) < 0;
  }

  static boolean setp_le_s32(int a, int b) {
    return a <= b;
  }

  static boolean setp_le_u32(int a, int b) {
    return Integer.compareUnsigned(a, b) <= 0;
  }

  static boolean setp_gt_s32(int a, int b) {
    return a > b;
  }

  static boolean setp_gt_u32(int a, int b) {
    return Integer.compareUnsigned(a, b) > 0;
  }

  static boolean setp_ge_s32(int a, int b) {
    return a >= b;
  }

  static boolean setp_ge_u32(int a, int b) {
    return Integer.compareUnsigned(a, b) >= 0;
  }

  static boolean setp_eq_b64(long a, long b) {
    return a == b;
  }

  static boolean setp_ne_b64(long a, long b) {
    return a != b;
  }

  static boolean setp_lt_s64(long a, long b) {
    return a < b;
  }

  static boolean setp_lt_u64(long a, long b) {
    return Long.compareUnsigned(a, b) < 0;
  }

  static boolean setp_le_s64(long a, long b) {
    return a <= b;
  }

  static boolean setp_le_u64(long a, long b) {
    return Long.compareUnsigned(a, b) <= 0;
  }

  static boolean setp_gt_s64(long a, long b) {
    return a > b;
  }

  static boolean setp_gt_u64(long a, long b) {
    return Long.compareUnsigned(a, b) > 0;
  }

  static boolean setp_ge_s64(long a, long b) {
    return a >= b;
  }

  static boolean setp_ge_u64(long a, long b) {
    return Long.compareUnsigned(a, b) >= 0;
  }

  static boolean setp_lt_s16(int a, int b) {
    return (short) a < (short) b;
  }

  static boolean setp_le_s16(int a, int b) {
    return (short) a <= (short) b;
  }

  static boolean setp_gt_s16(int a, int b) {
    return (short) a > (short) b;
  }

  static boolean setp_ge_s16(int a, int b) {
    return (short) a >= (short) b;
  }

  static boolean setp_eq_f32(float a, float b) {
    return a == b;
  }

  static boolean setp_ne_f32(float a, float b) {
    return a < b || a > b;
  }

  static boolean setp_lt_f32(float a, float b) {
    return a < b;
  }

  static boolean setp_le_f32(float a, float b) {
    return a <= b;
  }

  static boolean setp_gt_f32(float a, float b) {
    return a > b;
  }

  static boolean setp_ge_f32(float a, float b) {
    return a >= b;
  }

  static boolean setp_equ_f32(float a, float b) {
    return !(a < b || a > b);
  }

  static boolean setp_neu_f32(float a, float b) {
    return a != b;
  }

  static boolean setp_ltu_f32(float a, float b) {
    return !(a >= b);
  }

  static boolean setp_leu_f32(float a, float b) {
    return !(a > b);
  }

  static boolean setp_gtu_f32(float a, float b) {
    return !(a <= b);
  }

  static boolean setp_geu_f32(float a, float b) {
    return !(a < b);
  }

  static boolean setp_num_f32(float a, float b) {
    return !Float.isNaN(a) && !Float.isNaN(b);
  }

  static boolean setp_nan_f32(float a, float b) {
    return Float.isNaN(a) || Float.isNaN(b);
  }

  static boolean setp_eq_f64(double a, double b) {
    return a == b;
  }

  static boolean setp_ne_f64(double a, double b) {
    return a < b || a > b;
  }

  static boolean setp_lt_f64(double a, double b) {
    return a < b;
  }

  static boolean setp_le_f64(double a, double b) {
    return a <= b;
  }

  static boolean setp_gt_f64(double a, double b) {
    return a > b;
  }

  static boolean setp_ge_f64(double a, double b) {
    return a >= b;
  }

  static boolean setp_equ_f64(double a, double b) {
    return !(a < b || a > b);
  }

  static boolean setp_neu_f64(double a, double b) {
    return a != b;
  }

  static boolean setp_ltu_f64(double a, double b) {
    return !(a >= b);
  }

  static boolean setp_leu_f64(double a, double b) {
    return !(a > b);
  }

  static boolean setp_gtu_f64(double a, double b) {
    return !(a <= b);
  }

  static boolean setp_geu_f64(double a, double b) {
    return !(a < b);
  }

  static boolean setp_num_f64(double a, double b) {
    return !Double.isNaN(a) && !Double.isNaN(b);
  }

  static boolean setp_nan_f64(double a, double b) {
    return Double.isNaN(a) || Double.isNaN(b);
  }

  // ------------------------------------------------------------ one operand

  static boolean testp_finite_f32(float a) {
    return Float.isFinite(a);
  }

  static boolean testp_infinite_f32(float a) {
    return Float.isInfinite(a);
  }

  static boolean testp_number_f32(float a) {
    return !Float.isNaN(a);
  }

  static boolean testp_notanumber_f32(float a) {
    return Float.isNaN(a);
  }

  static boolean testp_finite_f64(double a) {
    return Double.isFinite(a);
  }

  static boolean testp_infinite_f64(double a) {
    return Double.isInfinite(a);
  }

  static boolean testp_number_f64(double a) {
    return !Double.isNaN(a);
  }

  static boolean testp_notanumber_f64(double a) {
    return Double.isNaN(a);
  }
}
