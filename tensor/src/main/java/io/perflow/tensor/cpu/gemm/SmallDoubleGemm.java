package io.perflow.tensor.cpu.gemm;

import static io.perflow.tensor.cpu.vector.Simd.D;
import static io.perflow.tensor.cpu.vector.Simd.VD;
import static io.perflow.tensor.cpu.vector.Simd.WD;

import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.memory.Buffers;
import java.util.Arrays;
import jdk.incubator.vector.DoubleVector;

/**
 * F64 matrix products that would not repay copying B into panels: a few rows times a matrix, and
 * tiny matrices; the twin of {@link SmallGemm}.
 */
final class SmallDoubleGemm {
  /** Rows of A up to which B is better read from memory for each of them. */
  private static final int MAX_ROWS = 4;

  /** Multiplications up to which a product counts as tiny. */
  private static final int TINY = 4096;

  /** Multiplications of a task. */
  private static final int TASK = 1 << 16;

  private SmallDoubleGemm() {}

  /** True for all products of depth zero, too, which read nothing. */
  static boolean suits(DoubleMatrix a, DoubleMatrix b) {
    boolean tiny = (long) a.rows() * b.cols() * a.cols() <= TINY;
    boolean inPlace = b.colStride() == 1 || b.rowStride() == 1 || a.cols() == 0;
    return (tiny || a.rows() <= MAX_ROWS) && inPlace;
  }

  /** c = scale a b, or c += scale a b, for operands that suit and c with column stride 1. */
  static void multiply(
      double scale, DoubleMatrix a, DoubleMatrix b, boolean accumulate, DoubleMatrix c) {
    int perColumn = Math.max(1, a.rows() * a.cols());
    // Whole vectors, so that the cut changes no sum: an element is summed alike wherever it falls.
    // So it may look at the number of threads, and each reads rows of B as long as can be.
    int fewest = Math.max(TASK / perColumn, c.cols() / Parallel.threads());
    int columns = Math.max(1, (fewest + 4 * WD - 1) / (4 * WD)) * 4 * WD;
    Parallel.run(
        (c.cols() + columns - 1) / columns,
        task -> {
          int first = task * columns;
          int count = Math.min(columns, c.cols() - first);
          double[] x = Buffers.doubles(a.cols() + WD); // a row of A, then the lanes of a sum
          try {
            for (int r = 0; r < a.rows(); r++) {
              row(scale, a, r, b, first, count, accumulate, c, x);
            }
          } finally {
            Buffers.give(x);
          }
        });
  }

  private static void row(
      double scale,
      DoubleMatrix a,
      int r,
      DoubleMatrix b,
      int first,
      int count,
      boolean accumulate,
      DoubleMatrix c,
      double[] x) {
    int co = c.at(r, first);
    int bo = b.at(0, first);
    if (!accumulate) {
      Arrays.fill(c.data(), co, co + count, 0);
    }
    for (int k = 0; k < a.cols(); k++) {
      x[k] = scale * a.data()[a.at(r, k)];
    }
    if (b.colStride() == 1) {
      byRows(x, a.cols(), b.data(), bo, b.rowStride(), count, c.data(), co);
    } else {
      byColumns(x, a.cols(), b.data(), bo, b.colStride(), count, c.data(), co);
    }
  }

  /** c[j] += sum_k x[k] b[k * step + j], four k at a time to load and store c less often. */
  private static void byRows(
      double[] x, int depth, double[] b, int bo, int step, int count, double[] c, int co) {
    int k = 0;
    for (; k + 4 <= depth; k += 4) {
      int b0 = bo + k * step;
      int b1 = b0 + step;
      int b2 = b1 + step;
      int b3 = b2 + step;
      DoubleVector x0 = DoubleVector.broadcast(D, x[k]);
      DoubleVector x1 = DoubleVector.broadcast(D, x[k + 1]);
      DoubleVector x2 = DoubleVector.broadcast(D, x[k + 2]);
      DoubleVector x3 = DoubleVector.broadcast(D, x[k + 3]);
      int j = 0;
      for (; j <= count - WD; j += WD) {
        DoubleVector sum =
            x0.fma(DoubleVector.fromArray(D, b, b0 + j), DoubleVector.fromArray(D, c, co + j));
        sum = x1.fma(DoubleVector.fromArray(D, b, b1 + j), sum);
        sum = x2.fma(DoubleVector.fromArray(D, b, b2 + j), sum);
        x3.fma(DoubleVector.fromArray(D, b, b3 + j), sum).intoArray(c, co + j);
      }
      for (; j < count; j++) { // tail, in the same order of k and with the same rounding
        double sum = Math.fma(x[k], b[b0 + j], c[co + j]);
        sum = Math.fma(x[k + 1], b[b1 + j], sum);
        sum = Math.fma(x[k + 2], b[b2 + j], sum);
        c[co + j] = Math.fma(x[k + 3], b[b3 + j], sum);
      }
    }
    for (; k < depth; k++) {
      for (int j = 0; j < count; j++) {
        c[co + j] = Math.fma(x[k], b[bo + k * step + j], c[co + j]);
      }
    }
  }

  /** c[j] += sum_k x[k] b[j * step + k]. */
  private static void byColumns(
      double[] x, int depth, double[] b, int bo, int step, int count, double[] c, int co) {
    int j = 0;
    for (; j + 4 <= count; j += 4) {
      int b0 = bo + j * step;
      DoubleVector s0 = DoubleVector.zero(D);
      DoubleVector s1 = DoubleVector.zero(D);
      DoubleVector s2 = DoubleVector.zero(D);
      DoubleVector s3 = DoubleVector.zero(D);
      int k = 0;
      for (; k <= depth - WD; k += WD) {
        DoubleVector v = DoubleVector.fromArray(D, x, k);
        s0 = v.fma(DoubleVector.fromArray(D, b, b0 + k), s0);
        s1 = v.fma(DoubleVector.fromArray(D, b, b0 + step + k), s1);
        s2 = v.fma(DoubleVector.fromArray(D, b, b0 + 2 * step + k), s2);
        s3 = v.fma(DoubleVector.fromArray(D, b, b0 + 3 * step + k), s3);
      }
      c[co + j] += lanes(s0, x, depth) + dot(x, k, depth, b, b0);
      c[co + j + 1] += lanes(s1, x, depth) + dot(x, k, depth, b, b0 + step);
      c[co + j + 2] += lanes(s2, x, depth) + dot(x, k, depth, b, b0 + 2 * step);
      c[co + j + 3] += lanes(s3, x, depth) + dot(x, k, depth, b, b0 + 3 * step);
    }
    for (; j < count; j++) {
      DoubleVector s = DoubleVector.zero(D);
      int k = 0;
      for (; k <= depth - WD; k += WD) {
        s = DoubleVector.fromArray(D, x, k).fma(DoubleVector.fromArray(D, b, bo + j * step + k), s);
      }
      c[co + j] += lanes(s, x, depth) + dot(x, k, depth, b, bo + j * step);
    }
  }

  /**
   * The sum of a vector's lanes, first to last. The order of {@code reduceLanes} is not specified,
   * and differs between interpreted and compiled code.
   */
  static double lanes(DoubleVector v, double[] scratch, int at) {
    VD.cast(v).intoArray(scratch, at);
    double sum = 0;
    for (int i = 0; i < WD; i++) {
      sum += scratch[at + i];
    }
    return sum;
  }

  /** The tail of a dot product, from k on. */
  private static double dot(double[] x, int k, int depth, double[] b, int bo) {
    double sum = 0;
    for (int i = k; i < depth; i++) {
      sum = Math.fma(x[i], b[bo + i], sum);
    }
    return sum;
  }
}
