package io.perflow.tensor.cpu.gemm;

import static io.perflow.tensor.cpu.vector.Simd.D;
import static io.perflow.tensor.cpu.vector.Simd.WD;

import io.perflow.tensor.cpu.memory.Buffers;
import jdk.incubator.vector.DoubleVector;

/**
 * Triangular systems with one right-hand side, by vectors on one thread.
 *
 * <p>Such a solution reads the factor once and computes two operations for each of its numbers, so
 * it is as fast as memory at best, and products of blocks gain nothing. Four rows are taken at a
 * time, so that x is read, and in {@link #upper} written, a fourth as often.
 */
final class TriangularColumn {
  private static final int ROWS = 4;

  private TriangularColumn() {}

  /** Whether a factor and a right-hand side are of this kind. */
  static boolean suits(DoubleMatrix l, DoubleMatrix x) {
    return x.cols() == 1 && x.rowStride() == 1 && l.colStride() == 1;
  }

  /** Replaces x by L⁻¹ x: each number is less by the dot product of its row and those before. */
  static void lower(DoubleMatrix l, DoubleMatrix x) {
    int n = l.rows();
    double[] y = x.data();
    double[] scratch = Buffers.doubles(WD);
    for (int first = 0; first < n; first += ROWS) {
      int end = Math.min(n, first + ROWS);
      if (first > 0 && end - first == ROWS) {
        subtractDots(l.data(), l.at(first, 0), l.rowStride(), first, y, x.offset(), scratch);
      }
      int known = end - first == ROWS ? first : 0;
      for (int r = first; r < end; r++) {
        double sum = y[x.at(r, 0)];
        for (int k = known; k < r; k++) {
          sum -= l.data()[l.at(r, k)] * y[x.at(k, 0)];
        }
        y[x.at(r, 0)] = sum / l.data()[l.at(r, r)];
      }
    }
    Buffers.give(scratch);
  }

  /** x[n … n + 3] -= L[.., 0 … n - 1] x[0 … n - 1], with rows of L from {@code lo} on. */
  private static void subtractDots(
      double[] l, int lo, int step, int n, double[] x, int xo, double[] scratch) {
    DoubleVector s0 = DoubleVector.zero(D);
    DoubleVector s1 = s0;
    DoubleVector s2 = s0;
    DoubleVector s3 = s0;
    int k = 0;
    for (; k <= n - WD; k += WD) {
      DoubleVector v = DoubleVector.fromArray(D, x, xo + k);
      s0 = v.fma(DoubleVector.fromArray(D, l, lo + k), s0);
      s1 = v.fma(DoubleVector.fromArray(D, l, lo + step + k), s1);
      s2 = v.fma(DoubleVector.fromArray(D, l, lo + 2 * step + k), s2);
      s3 = v.fma(DoubleVector.fromArray(D, l, lo + 3 * step + k), s3);
    }
    double d0 = SmallDoubleGemm.lanes(s0, scratch, 0);
    double d1 = SmallDoubleGemm.lanes(s1, scratch, 0);
    double d2 = SmallDoubleGemm.lanes(s2, scratch, 0);
    double d3 = SmallDoubleGemm.lanes(s3, scratch, 0);
    for (; k < n; k++) {
      double v = x[xo + k];
      d0 += l[lo + k] * v;
      d1 += l[lo + step + k] * v;
      d2 += l[lo + 2 * step + k] * v;
      d3 += l[lo + 3 * step + k] * v;
    }
    x[xo + n] -= d0;
    x[xo + n + 1] -= d1;
    x[xo + n + 2] -= d2;
    x[xo + n + 3] -= d3;
  }

  /** Replaces x by L'⁻¹ x: each number, from the last, takes its row of L from those before. */
  static void upper(DoubleMatrix l, DoubleMatrix x) {
    double[] y = x.data();
    int end = l.rows();
    while (end > 0) {
      int first = Math.max(0, end - ROWS);
      for (int r = end - 1; r >= first; r--) {
        double value = y[x.at(r, 0)] / l.data()[l.at(r, r)];
        y[x.at(r, 0)] = value;
        for (int k = first; k < r; k++) {
          y[x.at(k, 0)] -= l.data()[l.at(r, k)] * value;
        }
      }
      if (first > 0) {
        subtractRows(l.data(), l.at(first, 0), l.rowStride(), first, y, x.offset());
      }
      end = first;
    }
  }

  /** x[0 … n - 1] -= L[.., 0 … n - 1]' x[n … n + 3], with rows of L from {@code lo} on. */
  private static void subtractRows(double[] l, int lo, int step, int n, double[] x, int xo) {
    double x0 = -x[xo + n];
    double x1 = -x[xo + n + 1];
    double x2 = -x[xo + n + 2];
    double x3 = -x[xo + n + 3];
    DoubleVector v0 = DoubleVector.broadcast(D, x0);
    DoubleVector v1 = DoubleVector.broadcast(D, x1);
    DoubleVector v2 = DoubleVector.broadcast(D, x2);
    DoubleVector v3 = DoubleVector.broadcast(D, x3);
    int k = 0;
    for (; k <= n - WD; k += WD) {
      DoubleVector sum =
          v0.fma(DoubleVector.fromArray(D, l, lo + k), DoubleVector.fromArray(D, x, xo + k));
      sum = v1.fma(DoubleVector.fromArray(D, l, lo + step + k), sum);
      sum = v2.fma(DoubleVector.fromArray(D, l, lo + 2 * step + k), sum);
      v3.fma(DoubleVector.fromArray(D, l, lo + 3 * step + k), sum).intoArray(x, xo + k);
    }
    for (; k < n; k++) { // tail, in the same order and with the same rounding
      double sum = Math.fma(x0, l[lo + k], x[xo + k]);
      sum = Math.fma(x1, l[lo + step + k], sum);
      sum = Math.fma(x2, l[lo + 2 * step + k], sum);
      x[xo + k] = Math.fma(x3, l[lo + 3 * step + k], sum);
    }
  }
}
