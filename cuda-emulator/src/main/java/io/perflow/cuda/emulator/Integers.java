package io.perflow.cuda.emulator;

/**
 * Integer arithmetic of PTX for one thread, named and made into loops as in {@link Bits}. Signed
 * and unsigned 32-bit integers are ints, 16-bit integers are ints with the upper half zero.
 */
final class Integers {
  private Integers() {}

  static int add_b32(int a, int b) {
    return a + b;
  }

  static int sub_b32(int a, int b) {
    return a - b;
  }

  static int mul_lo_b32(int a, int b) {
    return a * b;
  }

  static int mad_lo_b32(int a, int b, int c) {
    return a * b + c;
  }

  static int add_b16(int a, int b) {
    return a + b & 0xffff;
  }

  static int sub_b16(int a, int b) {
    return a - b & 0xffff;
  }

  static int mul_lo_b16(int a, int b) {
    return a * b & 0xffff;
  }

  static int mad_lo_b16(int a, int b, int c) {
    return a * b + c & 0xffff;
  }

  static long add_b64(long a, long b) {
    return a + b;
  }

  static long sub_b64(long a, long b) {
    return a - b;
  }

  static long mul_lo_b64(long a, long b) {
    return a * b;
  }

  static long mad_lo_b64(long a, long b, long c) {
    return a * b + c;
  }

  static long mul_wide_s32(int a, int b) {
    return (long) a * b;
  }

  static long mul_wide_u32(int a, int b) {
    return Integer.toUnsignedLong(a) * Integer.toUnsignedLong(b);
  }

  static int mul_wide_s16(int a, int b) {
    return (short) a * (short) b;
  }

  static int mul_wide_u16(int a, int b) {
    return a * b;
  }

  static long mad_wide_s32(int a, int b, long c) {
    return (long) a * b + c;
  }

  static long mad_wide_u32(int a, int b, long c) {
    return Integer.toUnsignedLong(a) * Integer.toUnsignedLong(b) + c;
  }

  static int mad_wide_u16(int a, int b, int c) {
    return a * b + c;
  }

  static int mad_wide_s16(int a, int b, int c) {
    return (short) a * (short) b + c;
  }

  static int mul_hi_s32(int a, int b) {
    return (int) ((long) a * b >> 32);
  }

  static int mul_hi_u32(int a, int b) {
    return (int) (mul_wide_u32(a, b) >>> 32);
  }

  static int mul_hi_u16(int a, int b) {
    return a * b >>> 16;
  }

  static long mul_hi_s64(long a, long b) {
    return Math.multiplyHigh(a, b);
  }

  static long mul_hi_u64(long a, long b) {
    return Math.unsignedMultiplyHigh(a, b);
  }

  static int mad_hi_s32(int a, int b, int c) {
    return mul_hi_s32(a, b) + c;
  }

  static int mad_hi_u32(int a, int b, int c) {
    return mul_hi_u32(a, b) + c;
  }

  /** Divides; division by zero has all bits set, as on devices. */
  static int div_s32(int a, int b) {
    return b == 0 ? -1 : a / b;
  }

  static int div_u32(int a, int b) {
    return b == 0 ? -1 : Integer.divideUnsigned(a, b);
  }

  static int div_s16(int a, int b) {
    return div_s32((short) a, (short) b) & 0xffff;
  }

  static int div_u16(int a, int b) {
    return div_u32(a, b) & 0xffff;
  }

  static long div_s64(long a, long b) {
    return b == 0 ? -1 : a / b;
  }

  static long div_u64(long a, long b) {
    return b == 0 ? -1 : Long.divideUnsigned(a, b);
  }

  static int rem_s32(int a, int b) {
    return b == 0 ? a : a % b;
  }

  static int rem_u32(int a, int b) {
    return b == 0 ? a : Integer.remainderUnsigned(a, b);
  }

  static int rem_s16(int a, int b) {
    return rem_s32((short) a, (short) b) & 0xffff;
  }

  static int rem_u16(int a, int b) {
    return rem_u32(a, b);
  }

  static long rem_s64(long a, long b) {
    return b == 0 ? a : a % b;
  }

  static long rem_u64(long a, long b) {
    return b == 0 ? a : Long.remainderUnsigned(a, b);
  }

  static int abs_s32(int a) {
    return Math.abs(a);
  }

  static long abs_s64(long a) {
    return Math.abs(a);
  }

  static int neg_s32(int a) {
    return -a;
  }

  static int neg_s16(int a) {
    return -a & 0xffff;
  }

  static long neg_s64(long a) {
    return -a;
  }

  static int min_s32(int a, int b) {
    return Math.min(a, b);
  }

  static int max_s32(int a, int b) {
    return Math.max(a, b);
  }

  static int min_u32(int a, int b) {
    return Integer.compareUnsigned(a, b) < 0 ? a : b;
  }

  static int max_u32(int a, int b) {
    return Integer.compareUnsigned(a, b) < 0 ? b : a;
  }

  static int min_u16(int a, int b) {
    return Math.min(a, b);
  }

  static int max_u16(int a, int b) {
    return Math.max(a, b);
  }

  static int min_s16(int a, int b) {
    return Math.min((short) a, (short) b) & 0xffff;
  }

  static int max_s16(int a, int b) {
    return Math.max((short) a, (short) b) & 0xffff;
  }

  static long min_s64(long a, long b) {
    return Math.min(a, b);
  }

  static long max_s64(long a, long b) {
    return Math.max(a, b);
  }

  static long min_u64(long a, long b) {
    return Long.compareUnsigned(a, b) < 0 ? a : b;
  }

  static long max_u64(long a, long b) {
    return Long.compareUnsigned(a, b) < 0 ? b : a;
  }

  // ------------------------------------------------------------ with a carry

  /** Returns the low word of a·b + c + carry. */
  static int mad_lo_sum(int a, int b, int c, int carry) {
    return a * b + c + carry;
  }

  static int mad_lo_carry(int a, int b, int c, int carry) {
    return carryOf(a * b, c, carry);
  }

  static int mad_hi_sum(int a, int b, int c, int carry) {
    return mul_hi_u32(a, b) + c + carry;
  }

  static int mad_hi_carry(int a, int b, int c, int carry) {
    return carryOf(mul_hi_u32(a, b), c, carry);
  }

  static int add_sum(int a, int b, int carry) {
    return a + b + carry;
  }

  static int add_carry(int a, int b, int carry) {
    return carryOf(a, b, carry);
  }

  /** Returns the carry of a subtraction, which is 1 when it borrows. */
  static int sub_sum(int a, int b, int borrow) {
    return a - b - borrow;
  }

  static int sub_carry(int a, int b, int borrow) {
    return Integer.toUnsignedLong(a) < Integer.toUnsignedLong(b) + borrow ? 1 : 0;
  }

  private static int carryOf(int a, int b, int carry) {
    return (int) (Integer.toUnsignedLong(a) + Integer.toUnsignedLong(b) + carry >>> 32);
  }
}
