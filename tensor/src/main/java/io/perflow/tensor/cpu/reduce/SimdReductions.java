package io.perflow.tensor.cpu.reduce;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.cpu.memory.FloatStorage;
import io.perflow.tensor.cpu.memory.Fresh;
import io.perflow.tensor.cpu.memory.StridedCopy;
import io.perflow.tensor.op.ReduceKind;
import java.util.function.IntConsumer;

/**
 * Reductions of F32 tensors. In memory order a tensor is (outer, reduced, inner): inner 1 means
 * that rows are reduced, otherwise columns are. Any other arrangement is copied into the first.
 */
public final class SimdReductions extends ScalarReductions {
  /** Reduces a tensor that is not empty over sorted axes. */
  @Override
  public Tensor reduce(ReduceKind kind, Tensor x, int[] axes, boolean keep) {
    if (!FloatStorage.holds(x) || x.size() == 0) {
      return super.reduce(kind, x, axes, keep);
    }
    Shape shape = x.shape();
    boolean[] reduced = new boolean[shape.rank()];
    for (int axis : axes) {
      reduced[axis] = true;
    }
    Blocks blocks =
        x.layout().isDense()
            ? Blocks.of(x.layout(), reduced)
            : Blocks.ofColumns(x.layout(), reduced);
    if (blocks == null) {
      return reduce(kind, keptFirst(x, reduced), axes, keep);
    }
    // the kept axes of the result lie in the same memory order as in x
    Layout keptLayout = Layout.ordered(shape.reduce(axes, true), x.layout().order());
    Tensor y = Fresh.like(x, keptLayout);
    blocks.run(kind, FloatStorage.data(x), x.layout().offset(), FloatStorage.data(y));
    return keep ? y : y.view(dropAxes(keptLayout, reduced));
  }

  @Override
  public Tensor argmax(Tensor x, int axis, boolean keep) {
    if (!FloatStorage.holds(x) || x.size() == 0) {
      return super.argmax(x, axis, keep);
    }
    boolean[] reduced = new boolean[x.rank()];
    reduced[axis] = true;
    Tensor in = keptFirst(x, reduced);
    int cols = x.dim(axis);
    int rows = x.size() / cols;
    int[] found = new int[rows];
    Reduce.argmaxRows(FloatStorage.data(in), 0, cols, rows, cols, found, 0);
    Shape shape = x.shape().reduce(new int[] {axis}, keep);
    Tensor y = Fresh.like(x, Layout.contiguous(shape));
    float[] target = FloatStorage.data(y);
    for (int i = 0; i < rows; i++) {
      target[i] = found[i];
    }
    return y;
  }

  @Override
  public Tensor cumulativeSum(Tensor x, int axis) {
    if (!FloatStorage.holds(x) || x.size() == 0) {
      return super.cumulativeSum(x, axis);
    }
    int[] order = new int[x.rank()]; // the axis first, so that each step adds whole rows
    order[0] = axis;
    for (int a = 0, next = 1; a < x.rank(); a++) {
      if (a != axis) {
        order[next++] = a;
      }
    }
    Tensor y = StridedCopy.of(x, Layout.ordered(x.shape(), order));
    float[] data = FloatStorage.data(y);
    int n = x.dim(axis);
    int width = x.size() / n;
    double[] running = Buffers.doubles(width);
    java.util.Arrays.fill(running, 0, width, 0);
    for (int i = 0; i < n; i++) {
      for (int j = 0, at = i * width; j < width; j++) {
        running[j] += data[at + j];
        data[at + j] = (float) running[j];
      }
    }
    Buffers.give(running);
    return y;
  }

  private static Tensor keptFirst(Tensor x, boolean[] reduced) {
    int[] order = new int[reduced.length];
    int count = 0;
    for (boolean phase : new boolean[] {false, true}) {
      for (int axis = 0; axis < reduced.length; axis++) {
        if (reduced[axis] == phase) {
          order[count++] = axis;
        }
      }
    }
    return StridedCopy.of(x, Layout.ordered(x.shape(), order));
  }

  private static Layout dropAxes(Layout layout, boolean[] reduced) {
    int[] dims = new int[reduced.length];
    int[] strides = new int[reduced.length];
    int count = 0;
    for (int axis = 0; axis < reduced.length; axis++) {
      if (!reduced[axis]) {
        dims[count] = layout.shape().dim(axis);
        strides[count++] = layout.stride(axis);
      }
    }
    return Layout.of(
        Shape.of(java.util.Arrays.copyOf(dims, count)), java.util.Arrays.copyOf(strides, count), 0);
  }

  /**
   * A tensor seen as (outer, reduced, inner), {@code step} elements from one row of inner to the
   * next.
   */
  private record Blocks(int outer, int reduced, int inner, int step) {
    private static final int MANY = 16;

    static Blocks of(Layout layout, boolean[] isReduced) {
      int[] sizes = {1, 1, 1};
      int stage = 0;
      for (int axis : layout.order()) {
        int dim = layout.shape().dim(axis);
        if (dim == 1) {
          continue;
        }
        if (isReduced[axis] && stage == 0) {
          stage = 1;
        } else if (!isReduced[axis] && stage == 1) {
          stage = 2;
        } else if (isReduced[axis] && stage == 2) {
          return null;
        }
        sizes[stage] *= dim;
      }
      return new Blocks(sizes[0], sizes[1], sizes[2], sizes[2]);
    }

    /**
     * A layout of which one axis is kept, the innermost, and the others step evenly, with gaps: a
     * slice of the channels of an image. Null for any other.
     */
    static Blocks ofColumns(Layout layout, boolean[] isReduced) {
      int rank = isReduced.length;
      int[] axes = new int[rank];
      int count = 0;
      int kept = -1;
      for (int axis = 0; axis < rank; axis++) {
        if (isReduced[axis]) {
          axes[count++] = axis;
        } else if (kept >= 0 || layout.stride(axis) != 1) {
          return null;
        } else {
          kept = axis;
        }
      }
      if (kept < 0) {
        return null;
      }
      axes[count] = kept;
      int inner = layout.shape().dim(kept);
      int rows = layout.shape().size() / inner;
      Layout matrix = layout.permute(axes).reshape(Shape.of(rows, inner));
      return matrix == null || inner == 1 || matrix.stride(0) < inner
          ? null
          : new Blocks(1, rows, inner, matrix.stride(0));
    }

    void run(ReduceKind kind, float[] x, int offset, float[] y) {
      if (inner == 1 && outer == 1) {
        y[0] =
            switch (kind) {
              case SUM -> (float) Reduce.sumAll(x, offset, reduced);
              case MAX -> Reduce.maxAll(x, offset, reduced);
              case MIN -> Reduce.minAll(x, offset, reduced);
            };
      } else if (inner == 1) {
        switch (kind) {
          case SUM -> Reduce.sumRows(x, offset, reduced, outer, reduced, y, 0);
          case MAX -> Reduce.maxRows(x, offset, reduced, outer, reduced, y, 0);
          case MIN -> Reduce.minRows(x, offset, reduced, outer, reduced, y, 0);
        }
      } else {
        IntConsumer block = o -> columns(kind, x, offset + o * reduced * step, y, o * inner);
        if (outer >= MANY) {
          Parallel.run(outer, block);
        } else { // few blocks: each is cut among the threads itself
          for (int o = 0; o < outer; o++) {
            block.accept(o);
          }
        }
      }
    }

    private void columns(ReduceKind kind, float[] x, int at, float[] y, int to) {
      switch (kind) {
        case SUM -> Reduce.sumColumns(x, at, step, reduced, inner, y, to, false);
        case MAX -> Reduce.maxColumns(x, at, step, reduced, inner, y, to);
        case MIN -> Reduce.minColumns(x, at, step, reduced, inner, y, to);
      }
    }
  }
}
