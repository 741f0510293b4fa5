package io.perflow.tensor.cpu;

import static io.perflow.tensor.cpu.MicroKernel.NR;
import static io.perflow.tensor.cpu.Simd.F;

import java.util.Arrays;
import jdk.incubator.vector.FloatVector;

/**
 * Matrix product C = A B (+ a bias row), or C += A B.
 *
 * <p>B is copied into panels of {@link MicroKernel#NR} columns. Each task takes a block of rows,
 * copies its part of A for {@link #DEPTH} columns at a time, and runs down the panels: the copy of
 * A stays in the second-level cache, a panel in the first (Goto and van de Geijn, "Anatomy of
 * High-Performance Matrix Multiplication", 2008). Products too small to repay the copies go to
 * {@link SmallGemm}.
 */
final class Gemm {
  /** Columns of A and rows of B taken at a time: 5 rows of A and a panel of B fit 32 KB. */
  private static final int DEPTH = Integer.getInteger("DEPTH", 256);

  /** Rows of a task: with {@link #DEPTH} columns they take half of a second-level cache. */
  private static final int ROWS = Integer.getInteger("ROWS", 240);

  /** Panels of a task: their sums for {@link #ROWS} rows take a quarter of it. */
  private static final int PANELS = Integer.getInteger("PANELS", 8);

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
    if (SmallGemm.suits(a, b)) {
      SmallGemm.multiply(a, b, bias, biasOffset, accumulate, c);
      return;
    }
    float[] packed = Buffers.floats(packedLength(b.rows(), b.cols()));
    try {
      pack(b, packed, 0);
      multiplyPacked(a, packed, 0, bias, biasOffset, accumulate, c);
    } finally {
      Buffers.give(packed);
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
    Parallel.run(
        (count + perTask - 1) / perTask,
        task -> {
          int end = Math.min(count, (task + 1) * perTask);
          for (int i = task * perTask; i < end; i++) {
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
  static int packedLength(int k, int n) {
    return MicroKernel.paddedColumns(n) * k;
  }

  /**
   * Copies b into the order [part of k][panel of NR columns][k][NR], with zeros beyond the last
   * column: the order of reading, so that the hardware fetches ahead.
   */
  static void pack(Matrix b, float[] packed, int to) {
    int panels = MicroKernel.paddedColumns(b.cols()) / NR;
    int depth = depth(b.rows());
    // A task should be worth waking a thread: some 16 thousand elements.
    int perTask = Math.max(1, (1 << 14) / Math.max(1, b.rows() * NR));
    Parallel.run(
        (panels + perTask - 1) / perTask,
        task -> {
          int end = Math.min(panels, (task + 1) * perTask);
          for (int p = task * perTask; p < end; p++) {
            for (int k0 = 0; k0 < b.rows(); k0 += depth) {
              int count = Math.min(depth, b.rows() - k0);
              packPanel(b, k0, count, p * NR, packed, to + (panels * k0 + p * count) * NR);
            }
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
  static void multiplyPacked(
      Matrix a, float[] b, int bo, float[] bias, int biasOffset, boolean accumulate, Matrix c) {
    int m = c.rows();
    int columns = MicroKernel.paddedColumns(c.cols());
    int panels = columns / NR;
    if (m == 0 || panels == 0) {
      return;
    }
    float[] start = Buffers.floats(columns);
    Arrays.fill(start, 0, columns, 0);
    if (bias != null) {
      System.arraycopy(bias, biasOffset, start, 0, c.cols());
    }
    // No element of C depends on how C is cut, so the cut may look at the number of threads.
    int threads = Parallel.threads();
    int blocks = (m + ROWS - 1) / ROWS;
    int groups = (panels + PANELS - 1) / PANELS;
    if (threads > 1 && (long) m * c.cols() * a.cols() > 1 << 17) {
      groups = Math.clamp((2 * threads + blocks - 1) / blocks, groups, panels);
    }
    int rows = (m + blocks - 1) / blocks;
    int perGroup = (panels + groups - 1) / groups;
    int tasks = (panels + perGroup - 1) / perGroup;
    Parallel.run(
        blocks * tasks,
        task -> {
          int row = task / tasks * rows;
          int first = task % tasks * perGroup;
          block(
              a,
              row,
              Math.min(rows, m - row),
              b,
              bo,
              first,
              Math.min(perGroup, panels - first),
              start,
              accumulate,
              c);
        });
    Buffers.give(start);
  }

  /** Rows {@code row} … {@code row + rows - 1} of C, for a range of panels. */
  private static void block(
      Matrix a,
      int row,
      int rows,
      float[] b,
      int bo,
      int firstPanel,
      int panels,
      float[] start,
      boolean accumulate,
      Matrix c) {
    if (rows <= 0) {
      return;
    }
    int k = a.cols();
    int depth = depth(k);
    int columns = MicroKernel.paddedColumns(c.cols());
    int padded = MicroKernel.paddedRows(rows);
    float[] left = Buffers.floats(padded * depth);
    float[] sums = Buffers.floats(padded * panels * NR);
    try {
      if (accumulate) {
        move(c, row, rows, firstPanel, panels, sums, padded, true);
      }
      int k0 = 0;
      do { // once even when k is zero, to write the bias
        int count = Math.min(depth, k - k0);
        boolean first = k0 == 0 && !accumulate;
        boolean last = k0 + count == k && padded == rows;
        packRows(a, row, rows, k0, count, left);
        for (int p = 0; p < panels; p++) {
          int column = (firstPanel + p) * NR;
          int sum = p * padded * NR;
          boolean direct = last && column + NR <= c.cols();
          MicroKernel.rows(
              padded,
              left,
              0,
              count,
              count,
              b,
              bo + k0 * columns + column * count,
              first ? start : sums,
              first ? column : sum,
              first ? 0 : NR,
              direct ? c.data() : sums,
              direct ? c.offset() + row * c.rowStride() + column : sum,
              direct ? c.rowStride() : NR);
        }
        k0 += depth;
      } while (k0 < k);
      move(c, row, rows, firstPanel, panels, sums, padded, false);
    } finally {
      Buffers.give(left);
      Buffers.give(sums);
    }
  }

  /**
   * Copies C to the sums of a block before accumulating, or the sums that the kernel could not
   * write to C itself, for want of whole blocks, back.
   */
  private static void move(
      Matrix c,
      int row,
      int rows,
      int firstPanel,
      int panels,
      float[] sums,
      int padded,
      boolean load) {
    for (int p = 0; p < panels; p++) {
      int column = (firstPanel + p) * NR;
      int width = Math.min(NR, c.cols() - column);
      int co = c.offset() + row * c.rowStride() + column;
      int sum = p * padded * NR;
      if (load) {
        Window.copyPixels(c.data(), co, c.rowStride(), width, rows, sums, sum, NR);
      } else if (width < NR || padded > rows) {
        Window.copyPixels(sums, sum, NR, width, rows, c.data(), co, c.rowStride());
      }
    }
  }

  /** The depth k cut into equal parts of at most {@link #DEPTH}. */
  static int depth(int k) {
    int parts = Math.max(1, (k + DEPTH - 1) / DEPTH);
    return (k + parts - 1) / parts;
  }

  /** Copies a block of A to dense rows. */
  private static void packRows(Matrix a, int row, int rows, int k0, int count, float[] left) {
    int from = a.offset() + row * a.rowStride() + k0 * a.colStride();
    if (a.colStride() == 1) {
      for (int r = 0; r < rows; r++) {
        System.arraycopy(a.data(), from + r * a.rowStride(), left, r * count, count);
      }
    } else {
      transpose(a.data(), from, a.colStride(), a.rowStride(), count, rows, left, 0, count);
    }
  }
}
