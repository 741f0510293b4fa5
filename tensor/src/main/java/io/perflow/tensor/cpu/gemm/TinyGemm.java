package io.perflow.tensor.cpu.gemm;

import static io.perflow.tensor.cpu.vector.Simd.F;
import static io.perflow.tensor.cpu.vector.Simd.V;
import static io.perflow.tensor.cpu.vector.Simd.W;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/**
 * Products of matrices so small that a call of {@link Gemm} for each, with its views and buffers,
 * would take longer than the product: each is computed where it lies, four rows by one vector at a
 * time.
 */
final class TinyGemm {
  /** Multiplications up to which a product of a batch counts as tiny. */
  private static final int TINY = 1 << 14;

  private TinyGemm() {}

  /** Whether the products of a batch are tiny, with rows of B and C contiguous. */
  static boolean suits(Matrix a, Matrix b, Matrix c) {
    return (long) c.rows() * c.cols() * a.cols() <= TINY
        && b.colStride() == 1
        && c.colStride() == 1;
  }

  /** C = A B, with the offsets of the first elements. */
  static void multiply(Matrix a, int ao, Matrix b, int bo, Matrix c, int co) {
    int j = 0;
    for (; j <= c.cols() - W; j += W) {
      strip(a, ao, b, bo + j, c, co + j);
    }
    if (j < c.cols()) {
      rest(a, ao, b, bo + j, c, co + j, F.indexInRange(j, c.cols()));
    }
  }

  private static void strip(Matrix a, int ao, Matrix b, int bo, Matrix c, int co) {
    float[] x = a.data();
    float[] y = b.data();
    float[] z = c.data();
    int depth = a.cols();
    int row = a.rowStride();
    int step = a.colStride();
    int down = b.rowStride();
    int out = c.rowStride();
    int r = 0;
    for (; r <= c.rows() - 4; r += 4) {
      FloatVector s0 = FloatVector.zero(F);
      FloatVector s1 = s0;
      FloatVector s2 = s0;
      FloatVector s3 = s0;
      int at = ao + r * row;
      for (int k = 0; k < depth; k++) {
        FloatVector v = FloatVector.fromArray(F, y, bo + k * down);
        s0 = FloatVector.broadcast(F, x[at]).fma(v, s0);
        s1 = FloatVector.broadcast(F, x[at + row]).fma(v, s1);
        s2 = FloatVector.broadcast(F, x[at + 2 * row]).fma(v, s2);
        s3 = FloatVector.broadcast(F, x[at + 3 * row]).fma(v, s3);
        at += step;
      }
      V.cast(s0).intoArray(z, co + r * out);
      V.cast(s1).intoArray(z, co + (r + 1) * out);
      V.cast(s2).intoArray(z, co + (r + 2) * out);
      V.cast(s3).intoArray(z, co + (r + 3) * out);
    }
    for (; r < c.rows(); r++) {
      FloatVector s = FloatVector.zero(F);
      int at = ao + r * row;
      for (int k = 0; k < depth; k++) {
        FloatVector v = FloatVector.fromArray(F, y, bo + k * down);
        s = FloatVector.broadcast(F, x[at]).fma(v, s);
        at += step;
      }
      V.cast(s).intoArray(z, co + r * out);
    }
  }

  /** The last columns, fewer than a vector holds. */
  private static void rest(
      Matrix a, int ao, Matrix b, int bo, Matrix c, int co, VectorMask<Float> mask) {
    float[] x = a.data();
    float[] y = b.data();
    float[] z = c.data();
    int depth = a.cols();
    int row = a.rowStride();
    int step = a.colStride();
    int down = b.rowStride();
    int out = c.rowStride();
    int r = 0;
    for (; r <= c.rows() - 4; r += 4) {
      FloatVector s0 = FloatVector.zero(F);
      FloatVector s1 = s0;
      FloatVector s2 = s0;
      FloatVector s3 = s0;
      int at = ao + r * row;
      for (int k = 0; k < depth; k++) {
        FloatVector v = FloatVector.fromArray(F, y, bo + k * down, mask);
        s0 = FloatVector.broadcast(F, x[at]).fma(v, s0);
        s1 = FloatVector.broadcast(F, x[at + row]).fma(v, s1);
        s2 = FloatVector.broadcast(F, x[at + 2 * row]).fma(v, s2);
        s3 = FloatVector.broadcast(F, x[at + 3 * row]).fma(v, s3);
        at += step;
      }
      V.cast(s0).intoArray(z, co + r * out, mask);
      V.cast(s1).intoArray(z, co + (r + 1) * out, mask);
      V.cast(s2).intoArray(z, co + (r + 2) * out, mask);
      V.cast(s3).intoArray(z, co + (r + 3) * out, mask);
    }
    for (; r < c.rows(); r++) {
      FloatVector s = FloatVector.zero(F);
      int at = ao + r * row;
      for (int k = 0; k < depth; k++) {
        FloatVector v = FloatVector.fromArray(F, y, bo + k * down, mask);
        s = FloatVector.broadcast(F, x[at]).fma(v, s);
        at += step;
      }
      V.cast(s).intoArray(z, co + r * out, mask);
    }
  }
}
