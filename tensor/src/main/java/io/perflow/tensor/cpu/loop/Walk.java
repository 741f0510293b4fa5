package io.perflow.tensor.cpu.loop;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/**
 * The common index space of an output and its operands, all of one shape, as few nested loops as
 * possible: axes ordered by the output's strides, neighbours merged where every operand steps
 * evenly over both, axes of extent 1 dropped. The last axis is a run of {@code cols} elements; the
 * others are counted together as {@code rows}.
 */
public final class Walk {
  /** Rows times columns in one task: large enough to hide its cost, small enough to balance. */
  public static final int TASK = 1 << 14;

  public final int rows;
  public final int cols;

  private final int rank; // of the rows
  private final int[] dims; // rank extents
  private final int[][] strides; // [operand][axis], the column stride last
  private final int[] offsets; // [operand]

  private Walk(int rank, int[] dims, int[][] strides, int[] offsets, int cols) {
    this.rank = rank;
    this.dims = dims;
    this.strides = strides;
    this.offsets = offsets;
    this.cols = cols;
    int product = 1;
    for (int i = 0; i < rank; i++) {
      product *= dims[i];
    }
    this.rows = product;
  }

  /** Over these layouts, which have the same shape; the first decides the order. */
  public static Walk of(Layout... operands) {
    Shape shape = operands[0].shape();
    int[] order = operands[0].order();
    int count = operands.length;
    int[] dims = new int[order.length + 1];
    int[][] strides = new int[count][order.length + 1];
    int[] offsets = new int[count];
    for (int k = 0; k < count; k++) {
      offsets[k] = operands[k].offset();
    }
    int last = -1; // axes so far, less one
    for (int axis : order) {
      int dim = shape.dim(axis);
      if (dim == 1) {
        continue;
      }
      if (last >= 0 && merges(operands, strides, last, axis, dim)) {
        dims[last] *= dim;
      } else {
        dims[++last] = dim;
      }
      for (int k = 0; k < count; k++) {
        strides[k][last] = operands[k].stride(axis);
      }
    }
    if (last < 0) { // one element: a run of one
      dims[++last] = shape.size();
    }
    return new Walk(last, dims, strides, offsets, dims[last]);
  }

  private static boolean merges(Layout[] operands, int[][] strides, int last, int axis, int dim) {
    for (int k = 0; k < operands.length; k++) {
      if (strides[k][last] != operands[k].stride(axis) * dim) {
        return false;
      }
    }
    return true;
  }

  /** Elements between neighbours of a run, for an operand. */
  public int step(int operand) {
    return strides[operand][rank];
  }

  /** Whether an operand's runs are contiguous or one repeated element. */
  public boolean isUnitOrConstant(int operand) {
    return cols == 1 || step(operand) == 1 || step(operand) == 0;
  }

  /** Elements between neighbouring rows of a block of {@link #blockRows}, for an operand. */
  public int rowStep(int operand) {
    return rank == 0 ? 0 : strides[operand][rank - 1];
  }

  /** Rows from {@code row} on that are evenly spaced for every operand. */
  int blockRows(int row) {
    return rank == 0 ? 1 : dims[rank - 1] - row % dims[rank - 1];
  }

  /** Where a row starts, for an operand. */
  public int start(int operand, int row) {
    int at = offsets[operand];
    int rest = row;
    for (int i = rank - 1; i >= 0; i--) {
      at += rest % dims[i] * strides[operand][i];
      rest /= dims[i];
    }
    return at;
  }

  /** Work on {@code count} elements from {@code from} on. */
  @FunctionalInterface
  public interface Run {
    void run(int from, int count);
  }

  /** Hands out {@code size} elements in a row, over all threads. */
  public static void along(int size, Run run) {
    Parallel.run((size + TASK - 1) / TASK, t -> run.run(t * TASK, Math.min(TASK, size - t * TASK)));
  }

  /** Work on rows {@code row} … {@code row + count - 1}, evenly spaced, columns from … to. */
  @FunctionalInterface
  public interface Block {
    void run(int row, int count, int fromCol, int toCol);
  }

  /** Hands out the whole space in blocks, over all threads. */
  public void forEach(Block block) {
    if (rows == 0 || cols == 0) {
      return;
    }
    if (cols >= TASK) { // long runs: cut each
      int cuts = (cols + TASK - 1) / TASK;
      Parallel.run(
          Math.multiplyExact(rows, cuts),
          task -> {
            int from = task % cuts * TASK;
            block.run(task / cuts, 1, from, Math.min(cols, from + TASK));
          });
      return;
    }
    int rowsPerTask = TASK / cols;
    Parallel.run(
        (rows + rowsPerTask - 1) / rowsPerTask,
        task -> {
          int row = task * rowsPerTask;
          int end = Math.min(rows, row + rowsPerTask);
          while (row < end) {
            int count = Math.min(blockRows(row), end - row);
            block.run(row, count, 0, cols);
            row += count;
          }
        });
  }

  /**
   * The memory order for an elementwise result: that of the first operand which fills it densely.
   */
  public static Layout resultLayout(Shape shape, Tensor... operands) {
    for (Tensor operand : operands) {
      if (fills(operand, shape)) {
        return packed(operand.layout());
      }
    }
    return Layout.contiguous(shape);
  }

  /** As for any number of operands, without an array. */
  public static Layout resultLayout(Shape shape, Tensor a, Tensor b) {
    Tensor first = fills(a, shape) ? a : b;
    return fills(first, shape) ? packed(first.layout()) : Layout.contiguous(shape);
  }

  private static boolean fills(Tensor operand, Shape shape) {
    return operand.shape().equals(shape) && operand.layout().isDense();
  }

  // the same order from 0 on
  private static Layout packed(Layout layout) {
    if (layout.isContiguous()) {
      return Layout.contiguous(layout.shape());
    }
    return layout.isChannelsLast()
        ? Layout.channelsLast(layout.shape())
        : Layout.ordered(layout.shape(), layout.order());
  }
}
