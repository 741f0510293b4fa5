package io.perflow.tensor.cpu.norm;

import static io.perflow.tensor.cpu.vector.Simd.F;
import static io.perflow.tensor.cpu.vector.Simd.V;
import static io.perflow.tensor.cpu.vector.Simd.W;

import io.perflow.tensor.cpu.elementwise.VectorMath;
import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.cpu.reduce.Reduce;
import jdk.incubator.vector.FloatVector;

/**
 * The loops of {@link GroupNorm}.
 *
 * <p>Sums run down the columns of a matrix (rows, cols). Pointwise loops run along contiguous
 * elements; what differs from channel to channel comes from tables that repeat the channels, so
 * that one loop is long also where a pixel has few channels.
 */
final class GroupNormLoops {
  private GroupNormLoops() {}

  /**
   * Sums of {@code x - shift} and of its square down the columns, where {@code shift} (out) is the
   * mean of the column as float: so near the true mean that the squares lose nothing to
   * cancellation, however large the mean is beside the deviation.
   *
   * @param to where the values of the first column stand in the three results
   */
  static void moments(
      float[] x,
      int off,
      int stride,
      int rows,
      int cols,
      float[] shift,
      float[] sum,
      float[] sq,
      int to) {
    Reduce.columnSums(x, off, stride, rows, cols, shift, to);
    float inverse = 1f / rows;
    for (int c = 0; c < cols; c++) {
      shift[to + c] *= inverse;
    }
    int c = 0;
    for (; c <= cols - 2 * W; c += 2 * W) {
      moments2(x, off + c, stride, rows, to + c, shift, sum, sq);
    }
    for (; c < cols; c++) {
      float m = shift[to + c];
      float s = 0f;
      float t = 0f;
      for (int r = 0; r < rows; r++) {
        float v = x[off + r * stride + c] - m;
        s += v;
        t += v * v;
      }
      sum[to + c] = s;
      sq[to + c] = t;
    }
  }

  private static void moments2(
      float[] x, int off, int stride, int rows, int c, float[] shift, float[] sum, float[] sq) {
    FloatVector m0 = FloatVector.fromArray(F, shift, c);
    FloatVector m1 = FloatVector.fromArray(F, shift, c + W);
    FloatVector s0 = FloatVector.zero(F);
    FloatVector s1 = s0;
    FloatVector t0 = s0;
    FloatVector t1 = s0;
    for (int r = 0; r < rows; r++) {
      FloatVector v0 = FloatVector.fromArray(F, x, off + r * stride).sub(m0);
      FloatVector v1 = FloatVector.fromArray(F, x, off + r * stride + W).sub(m1);
      s0 = s0.add(v0);
      s1 = s1.add(v1);
      t0 = v0.fma(v0, t0);
      t1 = v1.fma(v1, t1);
    }
    V.cast(s0).intoArray(sum, c);
    V.cast(s1).intoArray(sum, c + W);
    V.cast(t0).intoArray(sq, c);
    V.cast(t1).intoArray(sq, c + W);
  }

  /**
   * Sums of {@code g} and of {@code g (x - mean)} down the columns.
   *
   * @param to where the values of the first column stand in mean and both results
   */
  static void products(
      float[] x,
      int xOff,
      int xStride,
      float[] g,
      int gOff,
      int gStride,
      int rows,
      int cols,
      float[] mean,
      float[] sum,
      float[] dot,
      int to) {
    int c = 0;
    for (; c <= cols - 2 * W; c += 2 * W) {
      FloatVector m0 = FloatVector.fromArray(F, mean, to + c);
      FloatVector m1 = FloatVector.fromArray(F, mean, to + c + W);
      FloatVector s0 = FloatVector.zero(F);
      FloatVector s1 = s0;
      FloatVector t0 = s0;
      FloatVector t1 = s0;
      for (int r = 0; r < rows; r++) {
        int i = xOff + r * xStride + c;
        int j = gOff + r * gStride + c;
        FloatVector g0 = FloatVector.fromArray(F, g, j);
        FloatVector g1 = FloatVector.fromArray(F, g, j + W);
        s0 = s0.add(g0);
        s1 = s1.add(g1);
        t0 = FloatVector.fromArray(F, x, i).sub(m0).fma(g0, t0);
        t1 = FloatVector.fromArray(F, x, i + W).sub(m1).fma(g1, t1);
      }
      V.cast(s0).intoArray(sum, to + c);
      V.cast(s1).intoArray(sum, to + c + W);
      V.cast(t0).intoArray(dot, to + c);
      V.cast(t1).intoArray(dot, to + c + W);
    }
    for (; c < cols; c++) {
      float m = mean[to + c];
      float s = 0f;
      float t = 0f;
      for (int r = 0; r < rows; r++) {
        float v = g[gOff + r * gStride + c];
        s += v;
        t += v * (x[xOff + r * xStride + c] - m);
      }
      sum[to + c] = s;
      dot[to + c] = t;
    }
  }

  // Tables hold a from 0 on, b from step on and so on; they reach to the next whole vector.

  /** {@code y = x a + b}. */
  static void affine(float[] x, int xOff, float[] table, int step, float[] y, int yOff, int n) {
    int i = 0;
    for (; i <= n - W; i += W) {
      FloatVector u = FloatVector.fromArray(F, x, xOff + i);
      FloatVector b = FloatVector.fromArray(F, table, step + i);
      u.fma(FloatVector.fromArray(F, table, i), b).intoArray(y, yOff + i);
    }
    for (; i < n; i++) {
      y[yOff + i] = Math.fma(x[xOff + i], table[i], table[step + i]);
    }
  }

  // The long loops below run over whole vectors and hold nothing else: with the masks of a tail
  // beside the function the compiler gives up inlining half-way, and every vector that then crosses
  // a call is an object on the heap. A tail goes through the same loop in a vector of its own.

  /** {@code y = silu(x a + b)}. */
  static void affineSilu(float[] x, int xOff, float[] table, int step, float[] y, int yOff, int n) {
    int bound = F.loopBound(n);
    affineSiluBody(x, xOff, table, 0, step, y, yOff, bound);
    if (bound < n) {
      float[] rest = Buffers.floats(W);
      System.arraycopy(x, xOff + bound, rest, 0, n - bound);
      affineSiluBody(rest, 0, table, bound, step, rest, 0, W);
      System.arraycopy(rest, 0, y, yOff + bound, n - bound);
      Buffers.give(rest);
    }
  }

  private static void affineSiluBody(
      float[] x, int xOff, float[] table, int at, int step, float[] y, int yOff, int n) {
    for (int i = 0; i < n; i += W) {
      FloatVector u = FloatVector.fromArray(F, x, xOff + i);
      FloatVector b = FloatVector.fromArray(F, table, step + at + i);
      u = u.fma(FloatVector.fromArray(F, table, at + i), b);
      VectorMath.silu(u).intoArray(y, yOff + i);
    }
  }

  /** {@code y = silu(x a + b)} down one vector of columns of a matrix. */
  static void columnSilu(
      float[] x,
      int xOff,
      int xStride,
      int rows,
      float[] table,
      int a,
      int b,
      float[] y,
      int yOff,
      int yStride) {
    FloatVector slope = FloatVector.fromArray(F, table, a);
    FloatVector base = FloatVector.fromArray(F, table, b);
    for (int r = 0; r < rows; r++) {
      FloatVector u = FloatVector.fromArray(F, x, xOff + r * xStride).fma(slope, base);
      VectorMath.silu(u).intoArray(y, yOff + r * yStride);
    }
  }

  /** {@code du = dy silu'(x a + b)}. */
  static void siluGrad(
      float[] x,
      int xOff,
      float[] table,
      int step,
      float[] dy,
      int dyOff,
      float[] du,
      int duOff,
      int n) {
    int bound = F.loopBound(n);
    siluGradBody(x, xOff, table, 0, step, dy, dyOff, du, duOff, bound);
    if (bound < n) {
      float[] rest = Buffers.floats(2 * W);
      System.arraycopy(x, xOff + bound, rest, 0, n - bound);
      System.arraycopy(dy, dyOff + bound, rest, W, n - bound);
      siluGradBody(rest, 0, table, bound, step, rest, W, rest, 0, W);
      System.arraycopy(rest, 0, du, duOff + bound, n - bound);
      Buffers.give(rest);
    }
  }

  private static void siluGradBody(
      float[] x,
      int xOff,
      float[] table,
      int at,
      int step,
      float[] dy,
      int dyOff,
      float[] du,
      int duOff,
      int n) {
    for (int i = 0; i < n; i += W) {
      FloatVector u = FloatVector.fromArray(F, x, xOff + i);
      FloatVector b = FloatVector.fromArray(F, table, step + at + i);
      u = u.fma(FloatVector.fromArray(F, table, at + i), b);
      FloatVector v = FloatVector.fromArray(F, dy, dyOff + i);
      VectorMath.siluGrad(u).mul(v).intoArray(du, duOff + i);
    }
  }

  /** {@code dx = du p + (x q + r)}. */
  static void inputGrad(
      float[] x,
      int xOff,
      float[] du,
      int duOff,
      float[] table,
      int step,
      float[] dx,
      int dxOff,
      int n) {
    int i = 0;
    for (; i <= n - W; i += W) {
      FloatVector u = FloatVector.fromArray(F, x, xOff + i);
      FloatVector r = FloatVector.fromArray(F, table, 2 * step + i);
      u = u.fma(FloatVector.fromArray(F, table, step + i), r);
      FloatVector g = FloatVector.fromArray(F, du, duOff + i);
      g.fma(FloatVector.fromArray(F, table, i), u).intoArray(dx, dxOff + i);
    }
    for (; i < n; i++) {
      float u = Math.fma(x[xOff + i], table[step + i], table[2 * step + i]);
      dx[dxOff + i] = Math.fma(du[duOff + i], table[i], u);
    }
  }
}
