package io.perflow.tensor.cpu.reduce;

import static io.perflow.tensor.cpu.vector.Simd.F;
import static io.perflow.tensor.cpu.vector.Simd.V;
import static io.perflow.tensor.cpu.vector.Simd.W;

import io.perflow.tensor.cpu.elementwise.Elementwise;
import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.loop.Ranges;
import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.op.BinaryKind;
import java.util.Arrays;
import java.util.function.IntConsumer;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;

/**
 * Sums, extremes and dot products with a fixed order of operations.
 *
 * <p>A run is cut into blocks of {@link #BLOCK} elements; a block is summed in float by a few
 * vectors of partial sums, and the sums of the blocks are added in double, in a fixed order. So the
 * error grows with the length of a block, not of the run, and no number of threads changes the
 * result.
 */
public final class Reduce {
  private static final int BLOCK = 4096;

  /** Elements of one task: a multiple of the block. */
  private static final int TASK = 16 * BLOCK;

  /** Rows that are summed in float before the sum goes on in double. */
  private static final int COLUMN_BLOCK = 128;

  private static final int COLUMN_TASK = 8 * COLUMN_BLOCK;

  // Lanes i + W/2, i + W/4 …: the order of FloatVector.reduceLanes is not specified for sums.
  private static final VectorShuffle<Float> BY_8 = VectorShuffle.iota(F, 8 % W, 1, true);
  private static final VectorShuffle<Float> BY_4 = VectorShuffle.iota(F, 4 % W, 1, true);
  private static final VectorShuffle<Float> BY_2 = VectorShuffle.iota(F, 2, 1, true);
  private static final VectorShuffle<Float> BY_1 = VectorShuffle.iota(F, 1, 1, true);

  private Reduce() {}

  /** Sum of all lanes, in halves. */
  static float lanes(FloatVector v) {
    FloatVector s = v;
    if (W > 8) {
      s = s.add(s.rearrange(BY_8));
    }
    if (W > 4) {
      s = s.add(s.rearrange(BY_4));
    }
    s = s.add(s.rearrange(BY_2));
    return s.add(s.rearrange(BY_1)).lane(0);
  }

  // ---- one run
  // -----------------------------------------------------------------------------------

  /** Sum of a run. */
  public static double sum(float[] x, int off, int n) {
    double front = 0;
    double back = 0;
    int half = n / (2 * BLOCK) * BLOCK;
    for (int i = 0; i < half; i += BLOCK) {
      long two = sumBlocks(x, off + i, off + half + i, BLOCK);
      front += first(two);
      back += second(two);
    }
    double total = front + back;
    for (int i = 2 * half; i < n; i += BLOCK) {
      total += sumBlock(x, off + i, Math.min(BLOCK, n - i));
    }
    return total;
  }

  /**
   * {@link #sumBlock} of two blocks, as the bits of two floats. Two streams, far from each other,
   * come faster from the third-level cache than one, and the sums of lanes at the end overlap.
   */
  private static long sumBlocks(float[] x, int one, int two, int n) {
    float total = 0f;
    float other = 0f;
    int i = 0;
    if (n >= W) {
      FloatVector a = FloatVector.zero(F);
      FloatVector b = a;
      FloatVector c = a;
      FloatVector d = a;
      FloatVector p = a;
      FloatVector q = a;
      FloatVector r = a;
      FloatVector s = a;
      for (; i <= n - 4 * W; i += 4 * W) {
        a = a.add(FloatVector.fromArray(F, x, one + i));
        p = p.add(FloatVector.fromArray(F, x, two + i));
        b = b.add(FloatVector.fromArray(F, x, one + i + W));
        q = q.add(FloatVector.fromArray(F, x, two + i + W));
        c = c.add(FloatVector.fromArray(F, x, one + i + 2 * W));
        r = r.add(FloatVector.fromArray(F, x, two + i + 2 * W));
        d = d.add(FloatVector.fromArray(F, x, one + i + 3 * W));
        s = s.add(FloatVector.fromArray(F, x, two + i + 3 * W));
      }
      for (; i <= n - W; i += W) {
        a = a.add(FloatVector.fromArray(F, x, one + i));
        p = p.add(FloatVector.fromArray(F, x, two + i));
      }
      total = lanes(a.add(b).add(c.add(d)));
      other = lanes(p.add(q).add(r.add(s)));
    }
    for (; i < n; i++) {
      total += x[one + i];
      other += x[two + i];
    }
    return (long) Float.floatToRawIntBits(total) << 32
        | Float.floatToRawIntBits(other) & 0xffffffffL;
  }

  private static float first(long two) {
    return Float.intBitsToFloat((int) (two >>> 32));
  }

  private static float second(long two) {
    return Float.intBitsToFloat((int) two);
  }

  private static float sumBlock(float[] x, int off, int n) {
    float total = 0f;
    int i = 0;
    if (n >= W) {
      FloatVector a = FloatVector.zero(F);
      FloatVector b = a;
      FloatVector c = a;
      FloatVector d = a;
      for (; i <= n - 4 * W; i += 4 * W) {
        a = a.add(FloatVector.fromArray(F, x, off + i));
        b = b.add(FloatVector.fromArray(F, x, off + i + W));
        c = c.add(FloatVector.fromArray(F, x, off + i + 2 * W));
        d = d.add(FloatVector.fromArray(F, x, off + i + 3 * W));
      }
      for (; i <= n - W; i += W) {
        a = a.add(FloatVector.fromArray(F, x, off + i));
      }
      total = lanes(a.add(b).add(c.add(d)));
    }
    for (; i < n; i++) {
      total += x[off + i];
    }
    return total;
  }

  /** Sum of products of two runs. */
  public static double dot(float[] x, int xOff, float[] y, int yOff, int n) {
    double total = 0;
    for (int i = 0; i < n; i += BLOCK) {
      total += dotBlock(x, xOff + i, y, yOff + i, Math.min(BLOCK, n - i));
    }
    return total;
  }

  private static float dotBlock(float[] x, int xOff, float[] y, int yOff, int n) {
    float total = 0f;
    int i = 0;
    if (n >= W) {
      FloatVector a = FloatVector.zero(F);
      FloatVector b = a;
      FloatVector c = a;
      FloatVector d = a;
      for (; i <= n - 4 * W; i += 4 * W) {
        a = FloatVector.fromArray(F, x, xOff + i).fma(FloatVector.fromArray(F, y, yOff + i), a);
        b =
            FloatVector.fromArray(F, x, xOff + i + W)
                .fma(FloatVector.fromArray(F, y, yOff + i + W), b);
        c =
            FloatVector.fromArray(F, x, xOff + i + 2 * W)
                .fma(FloatVector.fromArray(F, y, yOff + i + 2 * W), c);
        d =
            FloatVector.fromArray(F, x, xOff + i + 3 * W)
                .fma(FloatVector.fromArray(F, y, yOff + i + 3 * W), d);
      }
      for (; i <= n - W; i += W) {
        a = FloatVector.fromArray(F, x, xOff + i).fma(FloatVector.fromArray(F, y, yOff + i), a);
      }
      total = lanes(a.add(b).add(c.add(d)));
    }
    for (; i < n; i++) {
      total = Math.fma(x[xOff + i], y[yOff + i], total);
    }
    return total;
  }

  /** Largest element of a run; NaN when one is NaN, -infinity without elements. */
  public static float max(float[] x, int off, int n) {
    float best = Float.NEGATIVE_INFINITY;
    int i = 0;
    if (n >= W) {
      FloatVector a = FloatVector.fromArray(F, x, off + n - W); // may overlap those before
      FloatVector b = a;
      FloatVector c = a;
      FloatVector d = a;
      for (; i <= n - 4 * W; i += 4 * W) {
        a = V.cast(a).max(FloatVector.fromArray(F, x, off + i));
        b = V.cast(b).max(FloatVector.fromArray(F, x, off + i + W));
        c = V.cast(c).max(FloatVector.fromArray(F, x, off + i + 2 * W));
        d = V.cast(d).max(FloatVector.fromArray(F, x, off + i + 3 * W));
      }
      for (; i < n - W; i += W) {
        a = V.cast(a).max(FloatVector.fromArray(F, x, off + i));
      }
      FloatVector ab = V.cast(a).max(V.cast(b));
      return ab.max(V.cast(c).max(V.cast(d))).reduceLanes(VectorOperators.MAX);
    }
    for (; i < n; i++) {
      best = Math.max(best, x[off + i]);
    }
    return best;
  }

  /** Smallest element of a run; NaN when one is NaN, infinity without elements. */
  static float min(float[] x, int off, int n) {
    float best = Float.POSITIVE_INFINITY;
    int i = 0;
    if (n >= W) {
      FloatVector a = FloatVector.fromArray(F, x, off + n - W); // may overlap those before
      FloatVector b = a;
      FloatVector c = a;
      FloatVector d = a;
      for (; i <= n - 4 * W; i += 4 * W) {
        a = V.cast(a).min(FloatVector.fromArray(F, x, off + i));
        b = V.cast(b).min(FloatVector.fromArray(F, x, off + i + W));
        c = V.cast(c).min(FloatVector.fromArray(F, x, off + i + 2 * W));
        d = V.cast(d).min(FloatVector.fromArray(F, x, off + i + 3 * W));
      }
      for (; i < n - W; i += W) {
        a = V.cast(a).min(FloatVector.fromArray(F, x, off + i));
      }
      FloatVector ab = V.cast(a).min(V.cast(b));
      return ab.min(V.cast(c).min(V.cast(d))).reduceLanes(VectorOperators.MIN);
    }
    for (; i < n; i++) {
      best = Math.min(best, x[off + i]);
    }
    return best;
  }

  /** Index of the first NaN, else of the first largest element; -1 without elements. */
  static int argmax(float[] x, int off, int n) {
    return indexOf(x, off, n, max(x, off, n));
  }

  private static int indexOf(float[] x, int off, int n, float value) {
    boolean nan = Float.isNaN(value);
    for (int i = 0; i < n; i++) {
      float v = x[off + i];
      if (nan ? Float.isNaN(v) : v == value) {
        return i;
      }
    }
    return -1;
  }

  // ---- one long run, in parallel
  // -----------------------------------------------------------------

  /** A reduction of the elements [from, from + count) of a run to one number. */
  private interface Part {
    double of(int from, int count);
  }

  private static double inParallel(int n, boolean max, boolean min, Part part) {
    int tasks = (n + TASK - 1) / TASK;
    if (tasks <= 1) {
      return part.of(0, n);
    }
    double[] parts = Buffers.doubles(tasks);
    try {
      Parallel.run(tasks, t -> parts[t] = part.of(t * TASK, Math.min(TASK, n - t * TASK)));
      double total = parts[0];
      for (int t = 1; t < tasks; t++) {
        total =
            max ? Math.max(total, parts[t]) : min ? Math.min(total, parts[t]) : total + parts[t];
      }
      return total;
    } finally {
      Buffers.give(parts);
    }
  }

  /** {@link #sum} of a long run. */
  static double sumAll(float[] x, int off, int n) {
    return inParallel(n, false, false, (from, count) -> sum(x, off + from, count));
  }

  /** {@link #max} of a long run. */
  static float maxAll(float[] x, int off, int n) {
    return (float) inParallel(n, true, false, (from, count) -> max(x, off + from, count));
  }

  /** {@link #min} of a long run. */
  static float minAll(float[] x, int off, int n) {
    return (float) inParallel(n, false, true, (from, count) -> min(x, off + from, count));
  }

  // ---- rows
  // --------------------------------------------------------------------------------------

  /** Sum of every row of (rows, cols) into {@code out}. */
  static void sumRows(float[] x, int off, int stride, int rows, int cols, float[] out, int o) {
    if (cols > TASK) {
      for (int r = 0; r < rows; r++) {
        out[o + r] = (float) sumAll(x, off + r * stride, cols);
      }
    } else {
      inTasks(rows, cols, (from, to) -> sumRange(x, off, stride, from, to, cols, out, o));
    }
  }

  // Two rows at a time where each is one block, from both halves of the range.
  private static void sumRange(
      float[] x, int off, int stride, int from, int to, int cols, float[] out, int o) {
    int half = cols <= BLOCK ? (to - from) / 2 : 0;
    for (int r = from; r < from + half; r++) {
      long two = sumBlocks(x, off + r * stride, off + (r + half) * stride, cols);
      out[o + r] = first(two);
      out[o + r + half] = second(two);
    }
    for (int r = from + 2 * half; r < to; r++) {
      out[o + r] = (float) sum(x, off + r * stride, cols);
    }
  }

  /** Largest element of every row of (rows, cols) into {@code out}. */
  static void maxRows(float[] x, int off, int stride, int rows, int cols, float[] out, int o) {
    if (cols > TASK) {
      for (int r = 0; r < rows; r++) {
        out[o + r] = maxAll(x, off + r * stride, cols);
      }
    } else {
      eachRow(rows, cols, r -> out[o + r] = max(x, off + r * stride, cols));
    }
  }

  /** Smallest element of every row of (rows, cols) into {@code out}. */
  static void minRows(float[] x, int off, int stride, int rows, int cols, float[] out, int o) {
    if (cols > TASK) {
      for (int r = 0; r < rows; r++) {
        out[o + r] = minAll(x, off + r * stride, cols);
      }
    } else {
      eachRow(rows, cols, r -> out[o + r] = min(x, off + r * stride, cols));
    }
  }

  /** {@link #argmax} of every row of (rows, cols) into {@code out}. */
  static void argmaxRows(float[] x, int off, int stride, int rows, int cols, int[] out, int o) {
    eachRow(rows, cols, r -> out[o + r] = argmax(x, off + r * stride, cols));
  }

  private static void eachRow(int rows, int cols, IntConsumer row) {
    inTasks(
        rows,
        cols,
        (from, to) -> {
          for (int r = from; r < to; r++) {
            row.accept(r);
          }
        });
  }

  private static void inTasks(int rows, int cols, Ranges.Body body) {
    int perTask = Math.max(1, TASK / Math.max(1, cols));
    int tasks = (rows + perTask - 1) / perTask;
    Parallel.run(tasks, t -> body.run(t * perTask, Math.min(rows, (t + 1) * perTask)));
  }

  // ---- columns
  // -----------------------------------------------------------------------------------

  /** Sum over the rows of (rows, cols) into {@code out} (cols), or added to what is there. */
  static void sumColumns(
      float[] x, int off, int stride, int rows, int cols, float[] out, int o, boolean accumulate) {
    int tasks = (rows + COLUMN_TASK - 1) / COLUMN_TASK;
    double[] parts = Buffers.doubles(Math.max(1, Math.multiplyExact(tasks, cols)));
    try {
      Parallel.run(
          tasks,
          t -> {
            int first = t * COLUMN_TASK;
            int count = Math.min(COLUMN_TASK, rows - first);
            columnTask(x, off + first * stride, stride, count, cols, parts, t * cols);
          });
      for (int c = 0; c < cols; c++) {
        double total = accumulate ? out[o + c] : 0;
        for (int t = 0; t < tasks; t++) {
          total += parts[t * cols + c];
        }
        out[o + c] = (float) total;
      }
    } finally {
      Buffers.give(parts);
    }
  }

  private static void columnTask(
      float[] x, int off, int stride, int rows, int cols, double[] parts, int to) {
    float[] block = Buffers.floats(cols);
    try {
      for (int c = 0; c < cols; c++) {
        parts[to + c] = 0;
      }
      for (int first = 0; first < rows; first += COLUMN_BLOCK) {
        int count = Math.min(COLUMN_BLOCK, rows - first);
        columnSums(x, off + first * stride, stride, count, cols, block, 0);
        for (int c = 0; c < cols; c++) {
          parts[to + c] += block[c];
        }
      }
    } finally {
      Buffers.give(block);
    }
  }

  /** Column sums of a few rows in float, from {@code out[o]} on. */
  public static void columnSums(
      float[] x, int off, int stride, int rows, int cols, float[] out, int o) {
    int c = 0;
    for (; c <= cols - 4 * W; c += 4 * W) {
      FloatVector s0 = FloatVector.zero(F);
      FloatVector s1 = s0;
      FloatVector s2 = s0;
      FloatVector s3 = s0;
      for (int r = 0; r < rows; r++) {
        int i = off + r * stride + c;
        s0 = s0.add(FloatVector.fromArray(F, x, i));
        s1 = s1.add(FloatVector.fromArray(F, x, i + W));
        s2 = s2.add(FloatVector.fromArray(F, x, i + 2 * W));
        s3 = s3.add(FloatVector.fromArray(F, x, i + 3 * W));
      }
      V.cast(s0).intoArray(out, o + c);
      V.cast(s1).intoArray(out, o + c + W);
      V.cast(s2).intoArray(out, o + c + 2 * W);
      V.cast(s3).intoArray(out, o + c + 3 * W);
    }
    for (; c <= cols - W; c += W) {
      FloatVector s = FloatVector.zero(F);
      for (int r = 0; r < rows; r++) {
        s = s.add(FloatVector.fromArray(F, x, off + r * stride + c));
      }
      V.cast(s).intoArray(out, o + c);
    }
    for (; c < cols; c++) {
      float s = 0f;
      for (int r = 0; r < rows; r++) {
        s += x[off + r * stride + c];
      }
      out[o + c] = s;
    }
  }

  /** Largest element of every column of (rows, cols) into {@code out} (cols). */
  static void maxColumns(float[] x, int off, int stride, int rows, int cols, float[] out, int o) {
    Arrays.fill(out, o, o + cols, Float.NEGATIVE_INFINITY);
    extremes(BinaryKind.MAX, x, off, stride, rows, cols, out, o);
  }

  /** Smallest element of every column of (rows, cols) into {@code out} (cols). */
  static void minColumns(float[] x, int off, int stride, int rows, int cols, float[] out, int o) {
    Arrays.fill(out, o, o + cols, Float.POSITIVE_INFINITY);
    extremes(BinaryKind.MIN, x, off, stride, rows, cols, out, o);
  }

  /** Folds the rows into {@code out}, in strips of columns side by side. */
  private static void extremes(
      BinaryKind kind, float[] x, int off, int stride, int rows, int cols, float[] out, int o) {
    int strip = 64;
    Parallel.run(
        (cols + strip - 1) / strip,
        t -> {
          int c = t * strip;
          Elementwise.binaryRows(
              kind,
              x,
              off + c,
              stride,
              1,
              out,
              o + c,
              0,
              1,
              out,
              o + c,
              0,
              rows,
              Math.min(strip, cols - c));
        });
  }
}
