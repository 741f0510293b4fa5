package io.perflow.cuda.emulator;

/**
 * Moves, selections and logic: the results of these PTX instructions for one thread. {@link
 * Opcodes} describes how functions are named after opcodes; {@link LoopMaker} makes the loops over
 * the threads.
 *
 * <p>32-bit values are ints, and 16-bit values are ints with the upper half zero.
 */
final class Bits {
  private Bits() {}

  static int mov_b32(int a) {
    return a;
  }

  static long mov_b64(long a) {
    return a;
  }

  static float mov_f32(float a) {
    return a;
  }

  static double mov_f64(double a) {
    return a;
  }

  static boolean mov_pred(boolean a) {
    return a;
  }

  static int bits_of_f32(float a) {
    return Float.floatToRawIntBits(a);
  }

  static float f32_of_bits(int a) {
    return Float.intBitsToFloat(a);
  }

  static long bits_of_f64(double a) {
    return Double.doubleToRawLongBits(a);
  }

  static double f64_of_bits(long a) {
    return Double.longBitsToDouble(a);
  }

  static long pack_b64(int low, int high) {
    return Integer.toUnsignedLong(low) | (long) high << 32;
  }

  static int low_b64(long a) {
    return (int) a;
  }

  static int high_b64(long a) {
    return (int) (a >>> 32);
  }

  static int pack_b32(int low, int high) {
    return (low & 0xffff) | high << 16;
  }

  static int low_b32(int a) {
    return a & 0xffff;
  }

  static int high_b32(int a) {
    return a >>> 16;
  }

  static int selp_b32(int a, int b, boolean p) {
    return p ? a : b;
  }

  static long selp_b64(long a, long b, boolean p) {
    return p ? a : b;
  }

  static float selp_f32(float a, float b, boolean p) {
    return p ? a : b;
  }

  static double selp_f64(double a, double b, boolean p) {
    return p ? a : b;
  }

  static int and_b32(int a, int b) {
    return a & b;
  }

  static int or_b32(int a, int b) {
    return a | b;
  }

  static int xor_b32(int a, int b) {
    return a ^ b;
  }

  static int not_b32(int a) {
    return ~a;
  }

  static int not_b16(int a) {
    return ~a & 0xffff;
  }

  static long and_b64(long a, long b) {
    return a & b;
  }

  static long or_b64(long a, long b) {
    return a | b;
  }

  static long xor_b64(long a, long b) {
    return a ^ b;
  }

  static long not_b64(long a) {
    return ~a;
  }

  static boolean and_pred(boolean a, boolean b) {
    return a & b;
  }

  static boolean or_pred(boolean a, boolean b) {
    return a | b;
  }

  static boolean xor_pred(boolean a, boolean b) {
    return a ^ b;
  }

  static boolean not_pred(boolean a) {
    return !a;
  }

  /**
   * Shifts to the left; counts of 32 and more shift everything out, as on a device, whereas Java
   * would take them modulo 32.
   */
  static int shl_b32(int a, int n) {
    return n >>> 5 == 0 ? a << n : 0;
  }

  static int shl_b16(int a, int n) {
    return n >>> 4 == 0 ? a << n & 0xffff : 0;
  }

  static long shl_b64(long a, int n) {
    return n >>> 6 == 0 ? a << n : 0;
  }

  static int shr_u32(int a, int n) {
    return n >>> 5 == 0 ? a >>> n : 0;
  }

  static int shr_s32(int a, int n) {
    return a >> (n >>> 5 == 0 ? n : 31);
  }

  static int shr_u16(int a, int n) {
    return shr_u32(a, n);
  }

  static int shr_s16(int a, int n) {
    return shr_s32((short) a, n) & 0xffff;
  }

  static long shr_u64(long a, int n) {
    return n >>> 6 == 0 ? a >>> n : 0;
  }

  static long shr_s64(long a, int n) {
    return a >> (n >>> 6 == 0 ? n : 63);
  }

  static int shf_l_wrap_b32(int low, int high, int n) {
    return (int) (pack_b64(low, high) << (n & 31) >>> 32);
  }

  static int shf_r_wrap_b32(int low, int high, int n) {
    return (int) (pack_b64(low, high) >>> (n & 31));
  }

  static int shf_l_clamp_b32(int low, int high, int n) {
    return (int) (pack_b64(low, high) << (n >>> 5 == 0 ? n : 32) >>> 32);
  }

  static int shf_r_clamp_b32(int low, int high, int n) {
    return (int) (pack_b64(low, high) >>> (n >>> 5 == 0 ? n : 32));
  }

  static int popc_b32(int a) {
    return Integer.bitCount(a);
  }

  static int popc_b64(long a) {
    return Long.bitCount(a);
  }

  static int clz_b32(int a) {
    return Integer.numberOfLeadingZeros(a);
  }

  static int clz_b64(long a) {
    return Long.numberOfLeadingZeros(a);
  }

  static int brev_b32(int a) {
    return Integer.reverse(a);
  }

  static long brev_b64(long a) {
    return Long.reverse(a);
  }

  static int bfind_u32(int a) {
    return 31 - Integer.numberOfLeadingZeros(a);
  }

  /** Returns how far to shift left until the highest bit is set; all ones when there is none. */
  static int bfind_shiftamt_u32(int a) {
    return a == 0 ? -1 : Integer.numberOfLeadingZeros(a);
  }

  static int bfind_u64(long a) {
    return 63 - Long.numberOfLeadingZeros(a);
  }

  static int bfe_u32(int a, int position, int length) {
    return (int) (Integer.toUnsignedLong(shr_u32(a, position & 255)) & ones(length & 255));
  }

  static int bfe_s32(int a, int position, int length) {
    int n = length & 255;
    int field = bfe_u32(a, position, length);
    return n == 0 || n > 31 ? (n == 0 ? 0 : shr_s32(a, position & 255)) : field << 32 - n >> 32 - n;
  }

  static int bfi_b32(int a, int into, int position, int length) {
    long mask = (position & 255) > 31 ? 0 : ones(length & 255) << (position & 255);
    return (int) (into & ~mask | (Integer.toUnsignedLong(a) << (position & 63)) & mask);
  }

  static long bfi_b64(long a, long into, int position, int length) {
    long mask = (position & 255) > 63 ? 0 : ones(length & 255) << (position & 255);
    return into & ~mask | a << (position & 63) & mask;
  }

  private static long ones(int n) {
    return n > 63 ? -1L : (1L << n) - 1;
  }

  /** Returns any function of three bits, given by its truth table. */
  static int lop3_b32(int a, int b, int c, int table) {
    int result = 0;
    for (int row = 0; row < 8; row++) {
      if ((table >> row & 1) != 0) {
        int x = (row & 4) != 0 ? a : ~a;
        int y = (row & 2) != 0 ? b : ~b;
        int z = (row & 1) != 0 ? c : ~c;
        result |= x & y & z;
      }
    }
    return result;
  }

  /**
   * Returns four bytes picked from the eight of b:a; the fourth bit of a selector spreads the sign.
   */
  static int prmt_b32(int a, int b, int selectors) {
    long bytes = pack_b64(a, b);
    int result = 0;
    for (int i = 0; i < 4; i++) {
      int selector = selectors >>> 4 * i;
      int value = (byte) (bytes >>> 8 * (selector & 7));
      result |= ((selector & 8) != 0 ? value >> 7 & 0xff : value & 0xff) << 8 * i;
    }
    return result;
  }
}
