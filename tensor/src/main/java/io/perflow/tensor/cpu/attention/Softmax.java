package io.perflow.tensor.cpu.attention;

import static io.perflow.tensor.cpu.vector.Simd.F;
import static io.perflow.tensor.cpu.vector.Simd.W;

import io.perflow.tensor.cpu.elementwise.LaneMath;
import io.perflow.tensor.cpu.elementwise.VectorMath;
import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.reduce.Reduce;
import java.util.function.IntConsumer;
import jdk.incubator.vector.FloatVector;

/**
 * Softmax along rows of contiguous elements, {@code y = exp(x - max) / sum exp(x - max)}, and its
 * gradient.
 *
 * <p>All matrices are (rows, cols) with a row stride of their own. A row of infinite maximum is
 * NaN.
 */
final class Softmax {
  private static final int TASK = 1 << 14;

  private Softmax() {}

  /** Softmax of every row; {@code y} may be {@code x}. */
  static void forward(
      float[] x, int xOff, int xRow, float[] y, int yOff, int yRow, int rows, int cols) {
    eachRow(
        rows,
        cols,
        r -> {
          int i = xOff + r * xRow;
          int o = yOff + r * yRow;
          exponentials(x, i, Reduce.max(x, i, cols), y, o, cols);
          float inverse = (float) (1 / Reduce.sum(y, o, cols));
          scale(y, o, inverse, cols);
        });
  }

  /** Gradient: {@code dx = y (dy - sum y dy)} for every row; {@code dx} may be {@code dy}. */
  static void backward(
      float[] y,
      int yOff,
      int yRow,
      float[] dy,
      int dyOff,
      int dyRow,
      float[] dx,
      int dxOff,
      int dxRow,
      int rows,
      int cols) {
    eachRow(
        rows,
        cols,
        r -> {
          int i = yOff + r * yRow;
          int g = dyOff + r * dyRow;
          gradient(y, i, dy, g, (float) Reduce.dot(y, i, dy, g, cols), dx, dxOff + r * dxRow, cols);
        });
  }

  private static void eachRow(int rows, int cols, IntConsumer row) {
    int perTask = Math.max(1, TASK / Math.max(1, cols));
    Parallel.run(
        (rows + perTask - 1) / perTask,
        t -> {
          int end = Math.min(rows, (t + 1) * perTask);
          for (int r = t * perTask; r < end; r++) {
            row.accept(r);
          }
        });
  }

  private static void exponentials(float[] x, int xOff, float max, float[] y, int yOff, int n) {
    int bound = F.loopBound(n);
    for (int i = 0; i < bound; i += W) {
      VectorMath.exp(FloatVector.fromArray(F, x, xOff + i).sub(max)).intoArray(y, yOff + i);
    }
    for (int i = bound; i < n; i++) {
      y[yOff + i] = LaneMath.exp(x[xOff + i] - max);
    }
  }

  private static void scale(float[] y, int yOff, float factor, int n) {
    for (int i = 0; i < n; i++) {
      y[yOff + i] *= factor;
    }
  }

  private static void gradient(
      float[] y, int yOff, float[] dy, int dyOff, float dot, float[] dx, int dxOff, int n) {
    for (int i = 0; i < n; i++) {
      dx[dxOff + i] = y[yOff + i] * (dy[dyOff + i] - dot);
    }
  }
}
