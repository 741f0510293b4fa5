package io.perflow.tensor.cpu.vector;

import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Transposition of floats, in square tiles held in registers.
 *
 * <p>A tile of B rows is transposed in log2 B stages. Stage d exchanges, for rows i and i + d, the
 * lanes whose index has bit d: row i takes them from row i + d and gives its own. The first stage
 * needs no shuffle, because loading a row d elements earlier or later moves its lanes as well.
 * Tiles are no wider than 256 bits: wider ones would need more registers than there are.
 */
public final class FloatTranspose {
  private static final boolean WIDE = Simd.F.length() >= 8;
  private static final VectorSpecies<Float> T =
      WIDE ? FloatVector.SPECIES_256 : FloatVector.SPECIES_128;
  private static final int B = T.length();
  private static final VectorShuffle<Float> SWAP2 = swap(2);
  private static final VectorMask<Float> BIT1 = bit(1);
  private static final VectorMask<Float> BIT2 = bit(2);
  private static final VectorMask<Float> BIT4 = bit(4);

  private FloatTranspose() {}

  private static VectorShuffle<Float> swap(int d) {
    return VectorShuffle.fromOp(T, i -> i ^ d);
  }

  private static VectorMask<Float> bit(int d) {
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
      int rows, int cols, float[] src, int at, int stride, float[] dst, int to, int toStride) {
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
        strip8(cols, src, at + r * stride, stride, dst, to + r, toStride);
      } else {
        strip4(cols, src, at + r * stride, stride, dst, to + r, toStride);
      }
    }
  }

  /** Transposes 8 rows. */
  private static void strip8(
      int cols, float[] src, int at, int stride, float[] dst, int to, int toStride) {
    int parts = cols % B == 0 ? 1 : 2;
    for (int part = 0; part < parts; part++) {
      for (int j = part * (cols - B); j <= cols - B; j += B) {
        int s = at + j;
        int t = to + j * toStride;
        var a0 =
            FloatVector.fromArray(T, src, s)
                .blend(FloatVector.fromArray(T, src, s + 4 * stride - 4), BIT4);
        var a1 =
            FloatVector.fromArray(T, src, s + stride)
                .blend(FloatVector.fromArray(T, src, s + 5 * stride - 4), BIT4);
        var a2 =
            FloatVector.fromArray(T, src, s + 2 * stride)
                .blend(FloatVector.fromArray(T, src, s + 6 * stride - 4), BIT4);
        var a3 =
            FloatVector.fromArray(T, src, s + 3 * stride)
                .blend(FloatVector.fromArray(T, src, s + 7 * stride - 4), BIT4);
        var a4 =
            FloatVector.fromArray(T, src, s + 4)
                .blend(FloatVector.fromArray(T, src, s + 4 * stride), BIT4);
        var a5 =
            FloatVector.fromArray(T, src, s + stride + 4)
                .blend(FloatVector.fromArray(T, src, s + 5 * stride), BIT4);
        var a6 =
            FloatVector.fromArray(T, src, s + 2 * stride + 4)
                .blend(FloatVector.fromArray(T, src, s + 6 * stride), BIT4);
        var a7 =
            FloatVector.fromArray(T, src, s + 3 * stride + 4)
                .blend(FloatVector.fromArray(T, src, s + 7 * stride), BIT4);
        var b0 = a0.blend(a2.rearrange(SWAP2), BIT2);
        var b2 = a0.rearrange(SWAP2).blend(a2, BIT2);
        var b1 = a1.blend(a3.rearrange(SWAP2), BIT2);
        var b3 = a1.rearrange(SWAP2).blend(a3, BIT2);
        var b4 = a4.blend(a6.rearrange(SWAP2), BIT2);
        var b6 = a4.rearrange(SWAP2).blend(a6, BIT2);
        var b5 = a5.blend(a7.rearrange(SWAP2), BIT2);
        var b7 = a5.rearrange(SWAP2).blend(a7, BIT2);
        var c0 = b0.blend(b1.reinterpretAsLongs().lanewise(LSHL, 32).reinterpretAsFloats(), BIT1);
        var c1 = b0.reinterpretAsLongs().lanewise(LSHR, 32).reinterpretAsFloats().blend(b1, BIT1);
        var c2 = b2.blend(b3.reinterpretAsLongs().lanewise(LSHL, 32).reinterpretAsFloats(), BIT1);
        var c3 = b2.reinterpretAsLongs().lanewise(LSHR, 32).reinterpretAsFloats().blend(b3, BIT1);
        var c4 = b4.blend(b5.reinterpretAsLongs().lanewise(LSHL, 32).reinterpretAsFloats(), BIT1);
        var c5 = b4.reinterpretAsLongs().lanewise(LSHR, 32).reinterpretAsFloats().blend(b5, BIT1);
        var c6 = b6.blend(b7.reinterpretAsLongs().lanewise(LSHL, 32).reinterpretAsFloats(), BIT1);
        var c7 = b6.reinterpretAsLongs().lanewise(LSHR, 32).reinterpretAsFloats().blend(b7, BIT1);
        c0.intoArray(dst, t);
        c1.intoArray(dst, t + toStride);
        c2.intoArray(dst, t + 2 * toStride);
        c3.intoArray(dst, t + 3 * toStride);
        c4.intoArray(dst, t + 4 * toStride);
        c5.intoArray(dst, t + 5 * toStride);
        c6.intoArray(dst, t + 6 * toStride);
        c7.intoArray(dst, t + 7 * toStride);
      }
    }
  }

  /** Transposes 4 rows. */
  private static void strip4(
      int cols, float[] src, int at, int stride, float[] dst, int to, int toStride) {
    int parts = cols % B == 0 ? 1 : 2;
    for (int part = 0; part < parts; part++) {
      for (int j = part * (cols - B); j <= cols - B; j += B) {
        int s = at + j;
        int t = to + j * toStride;
        var a0 =
            FloatVector.fromArray(T, src, s)
                .blend(FloatVector.fromArray(T, src, s + 2 * stride - 2), BIT2);
        var a1 =
            FloatVector.fromArray(T, src, s + stride)
                .blend(FloatVector.fromArray(T, src, s + 3 * stride - 2), BIT2);
        var a2 =
            FloatVector.fromArray(T, src, s + 2)
                .blend(FloatVector.fromArray(T, src, s + 2 * stride), BIT2);
        var a3 =
            FloatVector.fromArray(T, src, s + stride + 2)
                .blend(FloatVector.fromArray(T, src, s + 3 * stride), BIT2);
        var b0 = a0.blend(a1.reinterpretAsLongs().lanewise(LSHL, 32).reinterpretAsFloats(), BIT1);
        var b1 = a0.reinterpretAsLongs().lanewise(LSHR, 32).reinterpretAsFloats().blend(a1, BIT1);
        var b2 = a2.blend(a3.reinterpretAsLongs().lanewise(LSHL, 32).reinterpretAsFloats(), BIT1);
        var b3 = a2.reinterpretAsLongs().lanewise(LSHR, 32).reinterpretAsFloats().blend(a3, BIT1);
        b0.intoArray(dst, t);
        b1.intoArray(dst, t + toStride);
        b2.intoArray(dst, t + 2 * toStride);
        b3.intoArray(dst, t + 3 * toStride);
      }
    }
  }
}
