package io.perflow.tensor.cpu.random;

import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.memory.Buffers;

/**
 * Random numbers by counting: Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011).
 *
 * <p>A block cipher of ten rounds turns a 128-bit counter under a 64-bit key into four random
 * 32-bit words. Nothing is carried from one block to the next, so any block can be computed
 * anywhere, on any number of threads or on another device, with the same result. Block b of a
 * stream has the counter words (low 32 bits of b, high 32 bits of b, 0, 0) and the key words (low,
 * high) of the key.
 *
 * <p>A block gives two doubles in [0, 1) of 53 bits each, u1 from words 0 and 1 and u2 from words 2
 * and 3: the first word holds the leading bits, the second the rest. They are elements 2b and 2b +
 * 1 of a uniform tensor; F32 keeps their leading 24 bits. The two normals of a block are those of
 * Box and Muller, sqrt(-2 log(1 - u1)) times cos(2 pi u2) and sin(2 pi u2).
 *
 * <p>Logarithm, sine and cosine are computed here with +, -, *, /, square root, fused multiply-add
 * and bit operations alone, all of which IEEE 754 defines to the last bit; so a GPU that follows
 * the same steps, without contracting products and sums on its own, produces the same bits. Their
 * error is below 1e-15 relative to sqrt(-2 log(1 - u1)).
 */
public final class Philox {
  private static final long WORD = 0xFFFFFFFFL;
  private static final long MULTIPLIER_0 = 0xD2511F53L;
  private static final long MULTIPLIER_1 = 0xCD9E8D57L;
  private static final int WEYL_0 = 0x9E3779B9; // golden ratio
  private static final int WEYL_1 = 0xBB67AE85; // sqrt(3) - 1
  private static final int ROUNDS = 10;

  private static final int CHUNK = 512; // blocks whose numbers stay in the first-level cache

  private Philox() {}

  /** Computes the four words for a counter of four words under a key of two, into {@code out}. */
  static void block(int c0, int c1, int c2, int c3, int k0, int k1, int[] out) {
    for (int round = 0; round < ROUNDS; round++) {
      long p0 = MULTIPLIER_0 * (c0 & WORD);
      long p1 = MULTIPLIER_1 * (c2 & WORD);
      int next0 = (int) (p1 >>> 32) ^ c1 ^ k0;
      int next2 = (int) (p0 >>> 32) ^ c3 ^ k1;
      c0 = next0;
      c1 = (int) p1;
      c2 = next2;
      c3 = (int) p0;
      k0 += WEYL_0;
      k1 += WEYL_1;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
  }

  /**
   * Returns words 0 and 1 of a block as one number, word 0 leading, for the counter words (low and
   * high half of c, c2, c3).
   */
  public static long bits(long key, long c, int c2, int c3) {
    int[] words = new int[4];
    block((int) c, (int) (c >>> 32), c2, c3, (int) key, (int) (key >>> 32), words);
    return join(words[0], words[1]);
  }

  private static long join(int leading, int rest) {
    return (long) leading << 32 | rest & WORD;
  }

  /** Returns the leading 53 bits of a number as a fraction in [0, 1). */
  private static double fraction(long bits) {
    return (bits >>> 11) * 0x1p-53;
  }

  /** Fills n uniform numbers in [0, 1) from block {@code counter} on. */
  public static void uniform(long key, long counter, double[] out, int n) {
    forChunks(key, counter, n, (u, at, count) -> interleave(u, out, at, count));
  }

  /**
   * Fills n uniform F32 numbers, the leading 24 bits of the doubles; rounding these could give 1.
   */
  public static void uniform(long key, long counter, float[] out, int n) {
    forChunks(
        key,
        counter,
        n,
        (u, at, count) -> {
          for (int i = 0; i < count; i++) {
            out[at + i] = (int) (u[i % 2 * CHUNK + i / 2] * 0x1p24) * 0x1p-24f;
          }
        });
  }

  /** Fills n standard normal numbers from block {@code counter} on. */
  public static void normal(long key, long counter, double[] out, int n) {
    forChunks(
        key,
        counter,
        n,
        (u, at, count) -> {
          boxMuller(u, (count + 1) / 2);
          interleave(u, out, at, count);
        });
  }

  /** Fills n standard normal F32 numbers, the doubles rounded. */
  public static void normal(long key, long counter, float[] out, int n) {
    forChunks(
        key,
        counter,
        n,
        (u, at, count) -> {
          boxMuller(u, (count + 1) / 2);
          for (int i = 0; i < count; i++) {
            out[at + i] = (float) u[i % 2 * CHUNK + i / 2];
          }
        });
  }

  /** The numbers of up to CHUNK blocks, u1 at b and u2 at CHUNK + b, for elements from at on. */
  @FunctionalInterface
  private interface Chunk {
    void use(double[] u, int at, int count);
  }

  private static void forChunks(long key, long counter, int n, Chunk body) {
    int size = 2 * CHUNK;
    int chunks = (int) (((long) n + size - 1) / size);
    Parallel.run(
        chunks,
        chunk -> {
          int at = chunk * size;
          int count = Math.min(n - at, size);
          double[] u = Buffers.doubles(size);
          fractions(key, counter + (long) chunk * CHUNK, u, (count + 1) / 2);
          body.use(u, at, count);
          Buffers.give(u);
        });
  }

  private static void fractions(long key, long first, double[] u, int blocks) {
    int[] words = new int[4];
    for (int b = 0; b < blocks; b++) {
      long counter = first + b;
      block((int) counter, (int) (counter >>> 32), 0, 0, (int) key, (int) (key >>> 32), words);
      u[b] = fraction(join(words[0], words[1]));
      u[CHUNK + b] = fraction(join(words[2], words[3]));
    }
  }

  private static void interleave(double[] u, double[] out, int at, int count) {
    for (int i = 0; i < count; i++) {
      out[at + i] = u[i % 2 * CHUNK + i / 2];
    }
  }

  // This loop is free of branches, so that the compiler can use vectors.
  private static void boxMuller(double[] u, int blocks) {
    for (int b = 0; b < blocks; b++) {
      double radius = Math.sqrt(-2 * log(1 - u[b])); // 1 - u lies in (0, 1], without rounding
      // 4 u = quadrant + rest with |rest| <= 1/2, exactly; the remaining angle is at most pi / 4.
      double turns = 4 * u[CHUNK + b];
      int quadrant = (int) (turns + 0.5);
      double angle = (turns - quadrant) * (Math.PI / 2);
      double cos = cos(angle);
      double sin = sin(angle);
      boolean odd = (quadrant & 1) != 0;
      u[b] = radius * (1 - (quadrant + 1 & 2)) * (odd ? sin : cos);
      u[CHUNK + b] = radius * (1 - (quadrant & 2)) * (odd ? cos : sin);
    }
  }

  /**
   * Returns the natural logarithm of a normal number x > 0: x = 2^e m with m in [sqrt(1/2),
   * sqrt(2)), and log m = 2 atanh(s) = 2 (s + s^3/3 + s^5/5 + …) with s = (m - 1) / (m + 1), |s| at
   * most 0.172.
   */
  static double log(double x) {
    long bits = Double.doubleToRawLongBits(x);
    int e = (int) (bits - 0x3FE6A09E667F3BCDL >> 52); // exponent relative to sqrt(1/2)
    double m = Double.longBitsToDouble(bits - ((long) e << 52));
    double s = (m - 1) / (m + 1);
    double z = s * s;
    double p = 2.0 / 23;
    p = Math.fma(p, z, 2.0 / 21);
    p = Math.fma(p, z, 2.0 / 19);
    p = Math.fma(p, z, 2.0 / 17);
    p = Math.fma(p, z, 2.0 / 15);
    p = Math.fma(p, z, 2.0 / 13);
    p = Math.fma(p, z, 2.0 / 11);
    p = Math.fma(p, z, 2.0 / 9);
    p = Math.fma(p, z, 2.0 / 7);
    p = Math.fma(p, z, 2.0 / 5);
    p = Math.fma(p, z, 2.0 / 3);
    // log 2 is split in two parts, so that e times the first is exact.
    double low = Math.fma(s * z, p, e * 0x1.cf79abc9e3b3ap-40);
    return Math.fma(e, 0x1.62e42fefap-1, Math.fma(2, s, low));
  }

  /** Returns the sine for |x| up to pi / 4, by its Taylor series to x^17. */
  static double sin(double x) {
    double z = x * x;
    double p = 1.0 / 355687428096000.0; // 17!
    p = Math.fma(p, z, -1.0 / 1307674368000.0);
    p = Math.fma(p, z, 1.0 / 6227020800.0);
    p = Math.fma(p, z, -1.0 / 39916800);
    p = Math.fma(p, z, 1.0 / 362880);
    p = Math.fma(p, z, -1.0 / 5040);
    p = Math.fma(p, z, 1.0 / 120);
    p = Math.fma(p, z, -1.0 / 6);
    return Math.fma(x * z, p, x);
  }

  /** Returns the cosine for |x| up to pi / 4, by its Taylor series to x^16. */
  static double cos(double x) {
    double z = x * x;
    double p = 1.0 / 20922789888000.0; // 16!
    p = Math.fma(p, z, -1.0 / 87178291200.0);
    p = Math.fma(p, z, 1.0 / 479001600);
    p = Math.fma(p, z, -1.0 / 3628800);
    p = Math.fma(p, z, 1.0 / 40320);
    p = Math.fma(p, z, -1.0 / 720);
    p = Math.fma(p, z, 1.0 / 24);
    p = Math.fma(p, z, -0.5);
    return Math.fma(p, z, 1);
  }
}
