package io.perflow.cuda.emulator;

/**
 * The steps of which {@code cvt} is made, for one thread, named and made into loops as in {@link
 * Bits}: widening or cutting integers, rounding to an integral value, and changing between integers
 * and floating point. Values that do not fit an integer saturate, and a NaN becomes 0.
 */
final class Conversions {
  private Conversions() {}

  static int narrow_s8(int a) {
    return (byte) a;
  }

  static int narrow_u8(int a) {
    return a & 0xff;
  }

  static int narrow_s16(int a) {
    return (short) a;
  }

  static int narrow_u16(int a) {
    return a & 0xffff;
  }

  static long s64_of_s32(int a) {
    return a;
  }

  static long s64_of_u32(int a) {
    return Integer.toUnsignedLong(a);
  }

  static float f32_of_s32(int a) {
    return a;
  }

  static float f32_of_u32(int a) {
    return Integer.toUnsignedLong(a);
  }

  static float f32_of_s64(long a) {
    return a;
  }

  /**
   * Converts an unsigned number; one above the signed range is halved first, and the lost bit is
   * kept as sticky.
   */
  static float f32_of_u64(long a) {
    return a >= 0 ? a : 2f * (a >>> 1 | a & 1);
  }

  static double f64_of_s32(int a) {
    return a;
  }

  static double f64_of_u32(int a) {
    return Integer.toUnsignedLong(a);
  }

  static double f64_of_s64(long a) {
    return a;
  }

  static double f64_of_u64(long a) {
    return a >= 0 ? a : 2.0 * (a >>> 1 | a & 1);
  }

  static double f64_of_f32(float a) {
    return a;
  }

  static float f32_of_f64(double a) {
    return (float) a;
  }

  static float f32_of_f16(int a) {
    return Float.float16ToFloat((short) a);
  }

  static int f16_of_f32(float a) {
    return Float.floatToFloat16(a) & 0xffff;
  }

  /** Rounds to the 10 bits of TF32, ties away from zero; the lower 13 bits become zero. */
  static int tf32_of_f32(float a) {
    int bits = Float.floatToRawIntBits(a);
    return Float.isFinite(a) ? bits + 0x1000 & ~0x1fff : bits;
  }

  static float rni_f32(float a) {
    return (float) Math.rint(a);
  }

  static float rzi_f32(float a) {
    return (float) (a < 0 ? Math.ceil(a) : Math.floor(a));
  }

  static float rmi_f32(float a) {
    return (float) Math.floor(a);
  }

  static float rpi_f32(float a) {
    return (float) Math.ceil(a);
  }

  static double rni_f64(double a) {
    return Math.rint(a);
  }

  static double rzi_f64(double a) {
    return a < 0 ? Math.ceil(a) : Math.floor(a);
  }

  static double rmi_f64(double a) {
    return Math.floor(a);
  }

  static double rpi_f64(double a) {
    return Math.ceil(a);
  }

  static int s32_of_f32(float a) {
    return (int) a;
  }

  static int u32_of_f32(float a) {
    return u32_of_f64(a);
  }

  static long s64_of_f32(float a) {
    return (long) a;
  }

  static long u64_of_f32(float a) {
    return u64_of_f64(a);
  }

  static int s32_of_f64(double a) {
    return (int) a;
  }

  static int u32_of_f64(double a) {
    return (int) Math.min(Math.max((long) a, 0), 0xffffffffL);
  }

  static long s64_of_f64(double a) {
    return (long) a;
  }

  static long u64_of_f64(double a) {
    double half = 0x1p63;
    return a < half
        ? Math.max((long) a, 0)
        : a >= 2 * half ? -1 : (long) (a - half) + Long.MIN_VALUE;
  }
}
