package io.perflow.tensor.cpu.gemm;

import static io.perflow.tensor.cpu.vector.Simd.F;
import static io.perflow.tensor.cpu.vector.Simd.V;
import static io.perflow.tensor.cpu.vector.Simd.W;

import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.memory.Buffers;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;

/**
 * Matrix products that would not repay copying B into panels: a few rows times a matrix, and tiny
 * matrices. B is read where it lies, once for each row of A: row by row when its rows are
 * contiguous, else, when its columns are, by dot products.
 */
final class SmallGemm {
  /** Rows of A up to which B is better read from memory for each of them. */
  static final int MAX_ROWS = 4;

  /** Multiplications up to which a product counts as tiny. */
  private static final int TINY = 4096;

  /** Multiplications of a task. */
  private static final int TASK = 1 << 16;

  private SmallGemm() {}

  static boolean suits(Matrix a, Matrix b) {
    boolean tiny = (long) a.rows() * b.cols() * a.cols() <= TINY;
    return (tiny || a.rows() <= MAX_ROWS) && (b.colStride() == 1 || b.rowStride() == 1);
  }

  /** As {@link Gemm#multiply}, for operands that suit. */
  static void multiply(
      Matrix a, Matrix b, float[] bias, int biasOffset, boolean accumulate, Matrix c) {
    int perColumn = Math.max(1, a.rows() * a.cols());
    // Whole vectors, so that the cut changes no sum: an element is summed alike wherever it falls.
    // So it may look at the number of threads, and each reads rows of B as long as can be.
    int fewest = Math.max(TASK / perColumn, c.cols() / Parallel.threads());
    int columns = Math.max(1, (fewest + 4 * W - 1) / (4 * W)) * 4 * W;
    Parallel.run(
        (c.cols() + columns - 1) / columns,
        task -> {
          int first = task * columns;
          int count = Math.min(columns, c.cols() - first);
          float[] x = Buffers.floats(a.cols() + W); // a row of A, then the lanes of a sum
          try {
            for (int r = 0; r < a.rows(); r++) {
              int co = c.at(r, first);
              if (!accumulate && bias == null) {
                Arrays.fill(c.data(), co, co + count, 0);
              } else if (!accumulate) {
                System.arraycopy(bias, biasOffset + first, c.data(), co, count);
              }
              for (int k = 0; k < a.cols(); k++) {
                x[k] = a.data()[a.at(r, k)];
              }
              if (b.colStride() == 1) {
                byRows(x, a.cols(), b.data(), b.at(0, first), b.rowStride(), count, c.data(), co);
              } else {
                byColumns(
                    x, a.cols(), b.data(), b.at(0, first), b.colStride(), count, c.data(), co);
              }
            }
          } finally {
            Buffers.give(x);
          }
        });
  }

  /**
   * y = x W' + bias for dense x (rows, in), W (out, in) and y (rows, out) from 0 on.
   *
   * @param bias out values, or null
   */
  static void linear(
      float[] x,
      int xOff,
      int rows,
      int in,
      float[] w,
      int wOff,
      float[] bias,
      int biasOff,
      float[] y,
      int out) {
    int columns = Math.max(1, TASK / Math.max(1, rows * in) / (4 * W)) * 4 * W;
    if (columns >= out) {
      linear(x, xOff, rows, in, w, wOff, bias, biasOff, y, out, 0, out);
      return;
    }
    Parallel.run(
        (out + columns - 1) / columns,
        task -> {
          int first = task * columns;
          int count = Math.min(columns, out - first);
          linear(x, xOff, rows, in, w, wOff, bias, biasOff, y, out, first, count);
        });
  }

  private static void linear(
      float[] x,
      int xOff,
      int rows,
      int in,
      float[] w,
      int wOff,
      float[] bias,
      int biasOff,
      float[] y,
      int out,
      int first,
      int count) {
    float[] row = Buffers.floats(in + W); // a row of x, then the lanes of a sum
    for (int r = 0; r < rows; r++) {
      int to = r * out + first;
      if (bias == null) {
        Arrays.fill(y, to, to + count, 0);
      } else {
        System.arraycopy(bias, biasOff + first, y, to, count);
      }
      System.arraycopy(x, xOff + r * in, row, 0, in);
      byColumns(row, in, w, wOff + first * in, in, count, y, to);
    }
    Buffers.give(row);
  }

  /** c[j] += sum_k x[k] b[k * step + j], four k at a time to load and store c less often. */
  private static void byRows(
      float[] x, int depth, float[] b, int bo, int step, int count, float[] c, int co) {
    int k = 0;
    for (; k + 4 <= depth; k += 4) {
      int b0 = bo + k * step;
      int b1 = b0 + step;
      int b2 = b1 + step;
      int b3 = b2 + step;
      FloatVector x0 = FloatVector.broadcast(F, x[k]);
      FloatVector x1 = FloatVector.broadcast(F, x[k + 1]);
      FloatVector x2 = FloatVector.broadcast(F, x[k + 2]);
      FloatVector x3 = FloatVector.broadcast(F, x[k + 3]);
      int j = 0;
      for (; j <= count - W; j += W) {
        FloatVector sum =
            x0.fma(FloatVector.fromArray(F, b, b0 + j), FloatVector.fromArray(F, c, co + j));
        sum = x1.fma(FloatVector.fromArray(F, b, b1 + j), sum);
        sum = x2.fma(FloatVector.fromArray(F, b, b2 + j), sum);
        x3.fma(FloatVector.fromArray(F, b, b3 + j), sum).intoArray(c, co + j);
      }
      for (; j < count; j++) { // tail, in the same order of k and with the same rounding
        float sum = Math.fma(x[k], b[b0 + j], c[co + j]);
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
      float[] x, int depth, float[] b, int bo, int step, int count, float[] c, int co) {
    int j = 0;
    for (; j + 4 <= count; j += 4) {
      int b0 = bo + j * step;
      FloatVector s0 = FloatVector.zero(F);
      FloatVector s1 = FloatVector.zero(F);
      FloatVector s2 = FloatVector.zero(F);
      FloatVector s3 = FloatVector.zero(F);
      int k = 0;
      for (; k <= depth - W; k += W) {
        FloatVector v = FloatVector.fromArray(F, x, k);
        s0 = v.fma(FloatVector.fromArray(F, b, b0 + k), s0);
        s1 = v.fma(FloatVector.fromArray(F, b, b0 + step + k), s1);
        s2 = v.fma(FloatVector.fromArray(F, b, b0 + 2 * step + k), s2);
        s3 = v.fma(FloatVector.fromArray(F, b, b0 + 3 * step + k), s3);
      }
      c[co + j] += lanes(s0, x, depth) + dot(x, k, depth, b, b0);
      c[co + j + 1] += lanes(s1, x, depth) + dot(x, k, depth, b, b0 + step);
      c[co + j + 2] += lanes(s2, x, depth) + dot(x, k, depth, b, b0 + 2 * step);
      c[co + j + 3] += lanes(s3, x, depth) + dot(x, k, depth, b, b0 + 3 * step);
    }
    for (; j < count; j++) {
      FloatVector s = FloatVector.zero(F);
      int k = 0;
      for (; k <= depth - W; k += W) {
        s = FloatVector.fromArray(F, x, k).fma(FloatVector.fromArray(F, b, bo + j * step + k), s);
      }
      c[co + j] += lanes(s, x, depth) + dot(x, k, depth, b, bo + j * step);
    }
  }

  /**
   * The sum of a vector's lanes, first to last. The order of {@code reduceLanes} is not specified,
   * and differs between interpreted and compiled code.
   */
  private static float lanes(FloatVector v, float[] scratch, int at) {
    V.cast(v).intoArray(scratch, at);
    float sum = 0;
    for (int i = 0; i < W; i++) {
      sum += scratch[at + i];
    }
    return sum;
  }

  /** The tail of a dot product, from k on. */
  private static float dot(float[] x, int k, int depth, float[] b, int bo) {
    float sum = 0;
    for (int i = k; i < depth; i++) {
      sum = Math.fma(x[i], b[bo + i], sum);
    }
    return sum;
  }
}
