package io.perflow.tensor.cpu.gemm;

import static io.perflow.tensor.cpu.vector.Simd.F;
import static io.perflow.tensor.cpu.vector.Simd.V;
import static io.perflow.tensor.cpu.vector.Simd.W;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/**
 * Products of matrices so small that a call of {@link Gemm} for each, with its views and buffers,
 * would take longer than the product: each is computed where it lies, four rows by one vector at a
 * time, or the rows that remain by four vectors: with one row, B is all that is read, and it comes
 * from memory or a far cache fastest when it is read in order.
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
    for (int r = c.rows() / 4 * 4; r < c.rows(); r++) {
      row(a, ao + r * a.rowStride(), b, bo, c.data(), co + r * c.rowStride(), c.cols());
    }
  }

  /** One row of C, from {@code z[to]} on, of the row of A from {@code from} on. */
  private static void row(Matrix a, int from, Matrix b, int bo, float[] z, int to, int cols) {
    float[] x = a.data();
    float[] y = b.data();
    int depth = a.cols();
    int step = a.colStride();
    int down = b.rowStride();
    int j = 0;
    for (; j <= cols - 4 * W; j += 4 * W) {
      FloatVector s0 = FloatVector.zero(F);
      FloatVector s1 = s0;
      FloatVector s2 = s0;
      FloatVector s3 = s0;
      for (int k = 0; k < depth; k++) {
        FloatVector u = FloatVector.broadcast(F, x[from + k * step]);
        int at = bo + k * down + j;
        s0 = u.fma(FloatVector.fromArray(F, y, at), s0);
        s1 = u.fma(FloatVector.fromArray(F, y, at + W), s1);
        s2 = u.fma(FloatVector.fromArray(F, y, at + 2 * W), s2);
        s3 = u.fma(FloatVector.fromArray(F, y, at + 3 * W), s3);
      }
      V.cast(s0).intoArray(z, to + j);
      V.cast(s1).intoArray(z, to + j + W);
      V.cast(s2).intoArray(z, to + j + 2 * W);
      V.cast(s3).intoArray(z, to + j + 3 * W);
    }
    for (; j <= cols - W; j += W) {
      FloatVector s = FloatVector.zero(F);
      for (int k = 0; k < depth; k++) {
        FloatVector v = FloatVector.fromArray(F, y, bo + k * down + j);
        s = FloatVector.broadcast(F, x[from + k * step]).fma(v, s);
      }
      V.cast(s).intoArray(z, to + j);
    }
    if (j < cols) {
      VectorMask<Float> mask = F.indexInRange(j, cols);
      FloatVector s = FloatVector.zero(F);
      for (int k = 0; k < depth; k++) {
        FloatVector v = FloatVector.fromArray(F, y, bo + k * down + j, mask);
        s = FloatVector.broadcast(F, x[from + k * step]).fma(v, s);
      }
      V.cast(s).intoArray(z, to + j, mask);
    }
  }

  /** One vector of columns of all rows that come by four. */
  private static void strip(Matrix a, int ao, Matrix b, int bo, Matrix c, int co) {
    float[] x = a.data();
    float[] y = b.data();
    float[] z = c.data();
    int depth = a.cols();
    int row = a.rowStride();
    int step = a.colStride();
    int down = b.rowStride();
    int out = c.rowStride();
    for (int r = 0; r <= c.rows() - 4; r += 4) {
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
  }

  /** The last columns of these rows, fewer than a vector holds. */
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
    for (int r = 0; r <= c.rows() - 4; r += 4) {
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
  }
}
