package io.perflow.tensor.cpu.gemm;

import static io.perflow.tensor.cpu.gemm.MicroKernel.NR;
import static io.perflow.tensor.cpu.vector.Simd.F;

import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.cpu.memory.StridedCopy;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;

/**
 * Matrix product C = A B (+ a bias row), or C += A B.
 *
 * <p>The depth is cut into parts of at most {@link #DEPTH}. For each part, B is copied into panels
 * of {@link MicroKernel#NR} columns; each task then copies its rows of A and runs down the panels,
 * so that the copy of A and a panel stay in the second-level cache (Goto and van de Geijn, "Anatomy
 * of High-Performance Matrix Multiplication", 2008). Products too small to repay the copies go to
 * {@link SmallGemm}.
 */
public final class Gemm {
  /**
   * Columns of A and rows of B taken at a time. A panel this deep is read from the second-level
   * cache; shallower ones would fit the first, but every further part passes over all of C again.
   */
  private static final int DEPTH = 1024;

  /** Most rows of a task, and most floats of its part of A: a third of a second-level cache. */
  private static final int ROWS = 120;

  private static final int BLOCK_FLOATS = 40 << 10;

  /** Multiplications below which a product stays on one thread. */
  private static final int ALONE = 1 << 17;

  private static final float[] ZEROS = new float[NR];

  private Gemm() {}

  /**
   * c = a b + bias, or c += a b.
   *
   * @param a (m, k), any strides
   * @param b (k, n), any strides
   * @param bias n values, or null; not together with {@code accumulate}
   * @param c (m, n) with column stride 1; shares no memory with a and b
   */
  static void multiply(
      Matrix a, Matrix b, float[] bias, int biasOffset, boolean accumulate, Matrix c) {
    if (c.rows() == 0 || c.cols() == 0) {
      return;
    }
    if (c.cols() == 1
        && c.rowStride() == 1
        && bias == null
        && SmallGemm.suits(b.transposed(), a.transposed())) {
      SmallGemm.multiply(b.transposed(), a.transposed(), null, 0, accumulate, c.transposed());
      return;
    }
    if (SmallGemm.suits(a, b)) {
      SmallGemm.multiply(a, b, bias, biasOffset, accumulate, c);
      return;
    }
    int k = a.cols();
    int depth = depth(k);
    float[] start = startRow(bias, biasOffset, c.cols());
    float[] panels = Buffers.floats(packedLength(depth, c.cols()));
    try {
      int k0 = 0;
      do { // once even when k is zero, to write the bias
        int count = Math.min(depth, k - k0);
        packPart(b, k0, count, panels, 0);
        multiplyPart(new Matrix[] {a}, k0, count, panels, 0, start, accumulate || k0 > 0, c);
        k0 += depth;
      } while (k0 < k);
    } finally {
      Buffers.give(start);
      Buffers.give(panels);
    }
  }

  /**
   * As {@link #multiply} for {@code count} triples of matrices; the offsets are added to those of
   * the views, so that an operand shared by several products just repeats its offset.
   */
  static void batched(
      int count,
      Matrix a,
      int[] aOffsets,
      Matrix b,
      int[] bOffsets,
      float[] bias,
      int biasOffset,
      boolean accumulate,
      Matrix c,
      int[] cOffsets) {
    long work = (long) c.rows() * c.cols() * Math.max(1, a.cols());
    if (count < Parallel.threads() && work > 1 << 18) {
      for (int i = 0; i < count; i++) {
        multiply(
            a.shifted(aOffsets[i]),
            b.shifted(bOffsets[i]),
            bias,
            biasOffset,
            accumulate,
            c.shifted(cOffsets[i]));
      }
      return;
    }
    int perTask = Math.clamp((1 << 17) / Math.max(1, work), 1, Math.max(1, count));
    boolean tiny = bias == null && !accumulate && TinyGemm.suits(a, b, c);
    Parallel.run(
        (count + perTask - 1) / perTask,
        task -> {
          int end = Math.min(count, (task + 1) * perTask);
          for (int i = task * perTask; i < end; i++) {
            if (tiny) {
              int ao = a.offset() + aOffsets[i];
              int bo = b.offset() + bOffsets[i];
              TinyGemm.multiply(a, ao, b, bo, c, c.offset() + cOffsets[i]);
              continue;
            }
            multiply(
                a.shifted(aOffsets[i]),
                b.shifted(bOffsets[i]),
                bias,
                biasOffset,
                accumulate,
                c.shifted(cOffsets[i]));
          }
        });
  }

  /** Floats of a packed (k, n) matrix. */
  public static int packedLength(int k, int n) {
    return MicroKernel.paddedColumns(n) * k;
  }

  /** Copies b into the order [part of k][panel of NR columns][k][NR]. */
  public static void pack(Matrix b, float[] packed, int to) {
    int columns = MicroKernel.paddedColumns(b.cols());
    int depth = depth(b.rows());
    for (int k0 = 0; k0 < b.rows(); k0 += depth) {
      packPart(b, k0, Math.min(depth, b.rows() - k0), packed, to + k0 * columns);
    }
  }

  /** Rows {@code k0} … of b into [panel][k][NR], with zeros beyond the last column. */
  private static void packPart(Matrix b, int k0, int count, float[] packed, int to) {
    int panels = MicroKernel.paddedColumns(b.cols()) / NR;
    // A task should be worth waking a thread: some 16 thousand elements.
    int perTask = Math.max(1, (1 << 14) / Math.max(1, count * NR));
    Parallel.run(
        (panels + perTask - 1) / perTask,
        task -> {
          int end = Math.min(panels, (task + 1) * perTask);
          for (int p = task * perTask; p < end; p++) {
            packPanel(b, k0, count, p * NR, packed, to + p * count * NR);
          }
        });
  }

  private static void packPanel(Matrix b, int k0, int k, int column, float[] packed, int to) {
    int columns = Math.min(NR, b.cols() - column);
    int from = b.offset() + k0 * b.rowStride() + column * b.colStride();
    if (columns < NR) {
      Arrays.fill(packed, to, to + k * NR, 0);
    }
    if (b.colStride() == 1 && columns == NR) {
      for (int i = 0; i < k; i++) {
        for (int j = 0; j < NR; j += F.length()) {
          FloatVector.fromArray(F, b.data(), from + i * b.rowStride() + j)
              .intoArray(packed, to + i * NR + j);
        }
      }
    } else {
      transpose(b.data(), from, b.colStride(), b.rowStride(), columns, k, packed, to, NR);
    }
  }

  /**
   * target[i * step + j] = source[j * outer + i * inner] for j &lt; outers, i &lt; inners, in
   * squares of 16 so that lines of both arrays are used while they are in cache.
   */
  private static void transpose(
      float[] source,
      int from,
      int outer,
      int inner,
      int outers,
      int inners,
      float[] target,
      int to,
      int step) {
    for (int i0 = 0; i0 < inners; i0 += 16) {
      int i1 = Math.min(inners, i0 + 16);
      for (int j = 0; j < outers; j++) {
        int s = from + j * outer;
        int t = to + j;
        for (int i = i0; i < i1; i++) {
          target[t + i * step] = source[s + i * inner];
        }
      }
    }
  }

  /** As {@link #multiply}, with b already packed: (k, n) follow from a and c. */
  public static void multiplyPacked(
      Matrix a, float[] b, int bo, float[] bias, int biasOffset, boolean accumulate, Matrix c) {
    multiplyPacked(new Matrix[] {a}, b, bo, bias, biasOffset, accumulate, c);
  }

  /** The same, where a is several matrices side by side. */
  public static void multiplyPacked(
      Matrix[] a, float[] b, int bo, float[] bias, int biasOffset, boolean accumulate, Matrix c) {
    if (c.rows() == 0 || c.cols() == 0) {
      return;
    }
    int k = 0;
    for (Matrix part : a) {
      k += part.cols();
    }
    int depth = depth(k);
    int columns = MicroKernel.paddedColumns(c.cols());
    float[] start = startRow(bias, biasOffset, c.cols());
    try {
      int k0 = 0;
      do { // once even when k is zero, to write the bias
        int count = Math.min(depth, k - k0);
        multiplyPart(a, k0, count, b, bo + k0 * columns, start, accumulate || k0 > 0, c);
        k0 += depth;
      } while (k0 < k);
    } finally {
      Buffers.give(start);
    }
  }

  /** The bias, or zeros, up to a whole number of panels. */
  private static float[] startRow(float[] bias, int biasOffset, int columns) {
    int padded = MicroKernel.paddedColumns(columns);
    float[] start = Buffers.floats(padded);
    Arrays.fill(start, 0, padded, 0);
    if (bias != null) {
      System.arraycopy(bias, biasOffset, start, 0, columns);
    }
    return start;
  }

  /** C = start + A[:, k0 …] B or C += A[:, k0 …] B, with the {@code depth} rows of B in panels. */
  private static void multiplyPart(
      Matrix[] a, int k0, int depth, float[] b, int bo, float[] start, boolean add, Matrix c) {
    int m = c.rows();
    int panels = MicroKernel.paddedColumns(c.cols()) / NR;
    int most = Math.clamp(BLOCK_FLOATS / Math.max(1, depth), 30, ROWS);
    int fewest = (m + most - 1) / most;
    int rows = (m + fewest - 1) / fewest;
    int blocks = (m + rows - 1) / rows;
    // No element of C depends on how C is cut, so the cut may look at the number of threads.
    int threads = Parallel.threads();
    boolean share = threads > 1 && (long) m * c.cols() * depth > ALONE;
    int groups = share ? Math.clamp((2 * threads + blocks - 1) / blocks, 1, panels) : 1;
    int perGroup = (panels + groups - 1) / groups;
    int tasks = (panels + perGroup - 1) / perGroup;
    Parallel.run(
        blocks * tasks,
        task -> {
          int row = task / tasks * rows;
          int first = task % tasks * perGroup;
          block(
              a,
              k0,
              depth,
              row,
              Math.min(rows, m - row),
              b,
              bo,
              first,
              Math.min(perGroup, panels - first),
              start,
              add,
              c);
        });
  }

  private static void block(
      Matrix[] a,
      int k0,
      int depth,
      int row,
      int rows,
      float[] b,
      int bo,
      int firstPanel,
      int panels,
      float[] start,
      boolean add,
      Matrix c) {
    int padded = MicroKernel.paddedRows(rows);
    // Rows a multiple of 2 KB apart would share their place in the first-level cache.
    Matrix first = a[0];
    boolean inPlace =
        a.length == 1 && first.colStride() == 1 && padded == rows && first.rowStride() % 512 != 0;
    float[] copy = Buffers.floats(inPlace ? 0 : padded * depth);
    float[] edge = Buffers.floats(padded * NR);
    try {
      if (!inPlace) {
        packRows(a, k0, depth, row, rows, copy);
      }
      float[] left = inPlace ? first.data() : copy;
      int ao = inPlace ? first.at(row, k0) : 0;
      int ar = inPlace ? first.rowStride() : depth;
      for (int p = firstPanel; p < firstPanel + panels; p++) {
        int column = p * NR;
        int panel = bo + column * depth;
        int width = Math.min(NR, c.cols() - column);
        int co = c.at(row, column);
        if (!add && padded == rows && width == NR) {
          MicroKernel.rows(
              rows, left, ao, ar, depth, b, panel, start, column, c.data(), co, c.rowStride());
          continue;
        }
        MicroKernel.rows(
            padded,
            left,
            ao,
            ar,
            depth,
            b,
            panel,
            add ? ZEROS : start,
            add ? 0 : column,
            edge,
            0,
            NR);
        if (!add) {
          StridedCopy.rows(edge, 0, NR, width, rows, c.data(), co, c.rowStride());
        } else if (width == NR) {
          MicroKernel.add(rows, edge, c.data(), co, c.rowStride());
        } else {
          addColumns(rows, width, edge, c.data(), co, c.rowStride());
        }
      }
    } finally {
      Buffers.give(copy);
      Buffers.give(edge);
    }
  }

  private static void addColumns(int rows, int width, float[] a, float[] c, int co, int cr) {
    for (int r = 0; r < rows; r++) {
      for (int j = 0; j < width; j++) {
        c[co + r * cr + j] += a[r * NR + j];
      }
    }
  }

  /** Copies a block of the columns {@code k0} … of all of A to dense rows. */
  private static void packRows(Matrix[] a, int k0, int depth, int row, int rows, float[] copy) {
    int column = 0;
    for (Matrix part : a) {
      int from = Math.max(k0, column);
      int count = Math.min(k0 + depth, column + part.cols()) - from;
      if (count > 0) {
        packRows(part, from - column, count, row, rows, copy, from - k0, depth);
      }
      column += part.cols();
    }
  }

  private static void packRows(
      Matrix a, int column, int columns, int row, int rows, float[] copy, int to, int step) {
    int from = a.at(row, column);
    if (a.colStride() == 1) {
      StridedCopy.rows(a.data(), from, a.rowStride(), columns, rows, copy, to, step);
    } else {
      transpose(a.data(), from, a.colStride(), a.rowStride(), columns, rows, copy, to, step);
    }
  }

  /** The depth k cut into equal parts of at most {@link #DEPTH}. */
  public static int depth(int k) {
    int parts = Math.max(1, (k + DEPTH - 1) / DEPTH);
    return (k + parts - 1) / parts;
  }
}
