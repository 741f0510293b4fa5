package io.perflow.tensor.cpu.gemm;

import static io.perflow.tensor.cpu.gemm.DoubleMicroKernel.NR;
import static io.perflow.tensor.cpu.vector.Simd.D;
import static io.perflow.tensor.cpu.vector.Simd.WD;

import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.memory.Buffers;
import java.util.Arrays;
import jdk.incubator.vector.DoubleVector;

/**
 * F64 matrix product C = A B or C += s A B. It cuts and packs as {@link Gemm} does, and every
 * element of C is summed in an order that depends on the sizes alone.
 */
final class DoubleGemm {
  /** Columns of A and rows of B taken at a time. */
  private static final int DEPTH = 512;

  /** Most rows of a task, and most doubles of its part of A: a third of a second-level cache. */
  private static final int ROWS = 120;

  private static final int BLOCK_DOUBLES = 40 << 10;

  /** Multiplications below which a product stays on one thread. */
  private static final int ALONE = 1 << 17;

  private DoubleGemm() {}

  /**
   * c = a b.
   *
   * @param a (m, k), any strides
   * @param b (k, n), any strides
   * @param c (m, n), rows or columns contiguous; shares no element with a and b
   */
  static void multiply(DoubleMatrix a, DoubleMatrix b, DoubleMatrix c) {
    product(1, a, b, false, c);
  }

  /** c += scale a b, for matrices as in {@link #multiply}. */
  static void add(double scale, DoubleMatrix a, DoubleMatrix b, DoubleMatrix c) {
    product(scale, a, b, true, c);
  }

  /**
   * {@link #multiply} for each triple of matrices; the offsets are added to those of the views, so
   * that an operand shared by several products just repeats its offset.
   */
  static void batched(
      DoubleMatrix a,
      int[] aOffsets,
      DoubleMatrix b,
      int[] bOffsets,
      DoubleMatrix c,
      int[] cOffsets) {
    int count = cOffsets.length;
    long work = (long) c.rows() * c.cols() * Math.max(1, a.cols());
    // Large products share their own work among the threads; a job inside a job would not.
    int perTask =
        count < Parallel.threads() && work > 1 << 18
            ? count
            : Math.clamp((1 << 17) / Math.max(1, work), 1, count);
    Parallel.run(
        (count + perTask - 1) / perTask,
        task -> {
          int end = Math.min(count, (task + 1) * perTask);
          for (int i = task * perTask; i < end; i++) {
            multiply(a.shifted(aOffsets[i]), b.shifted(bOffsets[i]), c.shifted(cOffsets[i]));
          }
        });
  }

  private static void product(
      double scale, DoubleMatrix a, DoubleMatrix b, boolean accumulate, DoubleMatrix c) {
    if (c.rows() == 0 || c.cols() == 0) {
      return;
    }
    DoubleMatrix at = b.transposed();
    DoubleMatrix bt = a.transposed();
    boolean column = c.cols() == 1 && c.rowStride() == 1 && SmallDoubleGemm.suits(at, bt);
    if (c.colStride() != 1 && c.cols() > 1 || column) { // C' = B' A'
      rowMajor(scale, at, bt, accumulate, c.transposed());
    } else {
      rowMajor(scale, a, b, accumulate, c);
    }
  }

  private static void rowMajor(
      double scale, DoubleMatrix a, DoubleMatrix b, boolean accumulate, DoubleMatrix c) {
    if (SmallDoubleGemm.suits(a, b)) {
      SmallDoubleGemm.multiply(scale, a, b, accumulate, c);
      return;
    }
    int k = a.cols();
    int parts = (k + DEPTH - 1) / DEPTH;
    int depth = (k + parts - 1) / parts;
    double[] panels = Buffers.doubles(DoubleMicroKernel.paddedColumns(c.cols()) * depth);
    try {
      for (int k0 = 0; k0 < k; k0 += depth) {
        int count = Math.min(depth, k - k0);
        packPart(b, k0, count, panels);
        multiplyPart(scale, a, k0, count, panels, accumulate || k0 > 0, c);
      }
    } finally {
      Buffers.give(panels);
    }
  }

  /** Rows {@code k0} … of b into [panel][k][NR], with zeros beyond the last column. */
  private static void packPart(DoubleMatrix b, int k0, int count, double[] packed) {
    int panels = DoubleMicroKernel.paddedColumns(b.cols()) / NR;
    // A task should be worth waking a thread: some 16 thousand elements.
    int perTask = Math.max(1, (1 << 14) / (count * NR));
    Parallel.run(
        (panels + perTask - 1) / perTask,
        task -> {
          int end = Math.min(panels, (task + 1) * perTask);
          for (int p = task * perTask; p < end; p++) {
            packPanel(b, k0, count, p * NR, packed, p * count * NR);
          }
        });
  }

  private static void packPanel(
      DoubleMatrix b, int k0, int k, int column, double[] packed, int to) {
    int columns = Math.min(NR, b.cols() - column);
    int from = b.at(k0, column);
    if (columns < NR) {
      Arrays.fill(packed, to, to + k * NR, 0);
    }
    if (b.colStride() == 1 && columns == NR) {
      for (int i = 0; i < k; i++) {
        for (int j = 0; j < NR; j += WD) {
          DoubleVector.fromArray(D, b.data(), from + i * b.rowStride() + j)
              .intoArray(packed, to + i * NR + j);
        }
      }
    } else {
      transpose(b.data(), from, b.colStride(), b.rowStride(), columns, k, packed, to, NR);
    }
  }

  /**
   * target[i * step + j] = source[j * outer + i * inner] for j &lt; outers, i &lt; inners, in bands
   * of 16 so that lines of both arrays are used while they are in cache.
   */
  private static void transpose(
      double[] source,
      int from,
      int outer,
      int inner,
      int outers,
      int inners,
      double[] target,
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

  /** C = s A[:, k0 …] B or C += s A[:, k0 …] B, with the {@code depth} rows of B in panels. */
  private static void multiplyPart(
      double scale, DoubleMatrix a, int k0, int depth, double[] b, boolean add, DoubleMatrix c) {
    int m = c.rows();
    int panels = DoubleMicroKernel.paddedColumns(c.cols()) / NR;
    int most = Math.clamp(BLOCK_DOUBLES / depth, 30, ROWS);
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
          int end = Math.min(panels, first + perGroup);
          DoubleMatrix left = a.block(row, Math.min(rows, m - row), k0, depth);
          block(scale, left, b, first, end, add, c.block(row, left.rows(), 0, c.cols()));
        });
  }

  /** The columns of some panels of C, for a part of A that fits the second-level cache. */
  private static void block(
      double scale,
      DoubleMatrix a,
      double[] b,
      int firstPanel,
      int endPanel,
      boolean add,
      DoubleMatrix c) {
    int rows = a.rows();
    int depth = a.cols();
    int padded = MicroKernel.paddedRows(rows);
    // Rows a multiple of 2 KB apart would share their place in the first-level cache.
    boolean inPlace = a.colStride() == 1 && padded == rows && a.rowStride() % 256 != 0;
    double[] copy = Buffers.doubles(inPlace ? 0 : padded * depth);
    double[] edge = Buffers.doubles(padded * NR);
    try {
      if (!inPlace) {
        packRows(a, copy);
      }
      double[] left = inPlace ? a.data() : copy;
      int ao = inPlace ? a.offset() : 0;
      int ar = inPlace ? a.rowStride() : depth;
      for (int p = firstPanel; p < endPanel; p++) {
        int panel = p * NR * depth;
        int width = Math.min(NR, c.cols() - p * NR);
        int co = c.at(0, p * NR);
        if (!add && padded == rows && width == NR) {
          DoubleMicroKernel.rows(rows, left, ao, ar, depth, b, panel, c.data(), co, c.rowStride());
          continue;
        }
        DoubleMicroKernel.rows(padded, left, ao, ar, depth, b, panel, edge, 0, NR);
        if (!add) {
          copyRows(edge, 0, NR, width, rows, c.data(), co, c.rowStride());
        } else if (width == NR) {
          DoubleMicroKernel.add(rows, scale, edge, c.data(), co, c.rowStride());
        } else {
          addColumns(rows, width, scale, edge, c.data(), co, c.rowStride());
        }
      }
    } finally {
      Buffers.give(copy);
      Buffers.give(edge);
    }
  }

  private static void addColumns(
      int rows, int width, double scale, double[] a, double[] c, int co, int cr) {
    for (int r = 0; r < rows; r++) {
      for (int j = 0; j < width; j++) {
        c[co + r * cr + j] += scale * a[r * NR + j];
      }
    }
  }

  /** Copies a block of A to dense rows. */
  private static void packRows(DoubleMatrix a, double[] copy) {
    int depth = a.cols();
    if (a.colStride() == 1) {
      copyRows(a.data(), a.offset(), a.rowStride(), depth, a.rows(), copy, 0, depth);
    } else {
      transpose(
          a.data(), a.offset(), a.colStride(), a.rowStride(), depth, a.rows(), copy, 0, depth);
    }
  }

  private static void copyRows(
      double[] source, int from, int step, int width, int rows, double[] target, int to, int by) {
    for (int r = 0; r < rows; r++) {
      System.arraycopy(source, from + r * step, target, to + r * by, width);
    }
  }
}
