package io.perflow.tensor.cpu.vector;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Transposition of doubles, in square tiles held in registers.
 *
 * <p>A tile of B rows is transposed in log2 B stages. Stage d exchanges, for rows i and i + d, the
 * lanes whose index has bit d: row i takes them from row i + d and gives its own. The first stage
 * needs no shuffle, because loading a row d elements earlier or later moves its lanes as well.
 * Tiles are no wider than 256 bits: wider ones would need more registers than there are.
 */
public final class DoubleTranspose {
  private static final boolean WIDE = Simd.D.length() >= 4;
  private static final VectorSpecies<Double> T =
      WIDE ? DoubleVector.SPECIES_256 : DoubleVector.SPECIES_128;
  private static final int B = T.length();
  private static final VectorShuffle<Double> SWAP1 = swap(1);
  private static final VectorMask<Double> BIT1 = bit(1);
  private static final VectorMask<Double> BIT2 = bit(2);

  private DoubleTranspose() {}

  private static VectorShuffle<Double> swap(int d) {
    return VectorShuffle.fromOp(T, i -> i ^ d);
  }

  private static VectorMask<Double> bit(int d) {
    boolean[] bits = new boolean[B];
    for (int i = 0; i < B; i++) {
      bits[i] = (i & d) != 0;
    }
    return VectorMask.fromArray(T, bits, 0);
  }

  /**
   * Sets {@code dst[to + j * toStride + i] = src[at + i * stride + j]} for rows x cols elements.
   */
  public static void transpose(
      int rows, int cols, double[] src, int at, int stride, double[] dst, int to, int toStride) {
    if (rows < B || cols < B || stride < B) {
      for (int j = 0; j < cols; j++) {
        for (int i = 0; i < rows; i++) {
          dst[to + j * toStride + i] = src[at + i * stride + j];
        }
      }
      return;
    }
    for (int i = 0; i < rows; i += B) {
      int r = Math.min(i, rows - B); // the last tile may overlap the one before
      if (WIDE) {
        strip4(cols, src, at + r * stride, stride, dst, to + r, toStride);
      } else {
        strip2(cols, src, at + r * stride, stride, dst, to + r, toStride);
      }
    }
  }

  /** Transposes 4 rows. */
  private static void strip4(
      int cols, double[] src, int at, int stride, double[] dst, int to, int toStride) {
    int parts = cols % B == 0 ? 1 : 2;
    for (int part = 0; part < parts; part++) {
      for (int j = part * (cols - B); j <= cols - B; j += B) {
        int s = at + j;
        int t = to + j * toStride;
        var a0 =
            DoubleVector.fromArray(T, src, s)
                .blend(DoubleVector.fromArray(T, src, s + 2 * stride - 2), BIT2);
        var a1 =
            DoubleVector.fromArray(T, src, s + stride)
                .blend(DoubleVector.fromArray(T, src, s + 3 * stride - 2), BIT2);
        var a2 =
            DoubleVector.fromArray(T, src, s + 2)
                .blend(DoubleVector.fromArray(T, src, s + 2 * stride), BIT2);
        var a3 =
            DoubleVector.fromArray(T, src, s + stride + 2)
                .blend(DoubleVector.fromArray(T, src, s + 3 * stride), BIT2);
        var b0 = a0.blend(a1.rearrange(SWAP1), BIT1);
        var b1 = a0.rearrange(SWAP1).blend(a1, BIT1);
        var b2 = a2.blend(a3.rearrange(SWAP1), BIT1);
        var b3 = a2.rearrange(SWAP1).blend(a3, BIT1);
        b0.intoArray(dst, t);
        b1.intoArray(dst, t + toStride);
        b2.intoArray(dst, t + 2 * toStride);
        b3.intoArray(dst, t + 3 * toStride);
      }
    }
  }

  /** Transposes 2 rows. */
  private static void strip2(
      int cols, double[] src, int at, int stride, double[] dst, int to, int toStride) {
    int parts = cols % B == 0 ? 1 : 2;
    for (int part = 0; part < parts; part++) {
      for (int j = part * (cols - B); j <= cols - B; j += B) {
        int s = at + j;
        int t = to + j * toStride;
        var a0 =
            DoubleVector.fromArray(T, src, s)
                .blend(DoubleVector.fromArray(T, src, s + stride - 1), BIT1);
        var a1 =
            DoubleVector.fromArray(T, src, s + 1)
                .blend(DoubleVector.fromArray(T, src, s + stride), BIT1);
        a0.intoArray(dst, t);
        a1.intoArray(dst, t + toStride);
      }
    }
  }
}
