package io.perflow.cuda;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.MovementKernels;
import java.util.Arrays;

/** The kernels that move elements: copies into parts of a tensor, and {@code select.cu}. */
final class Movement implements MovementKernels {
  private static final String FILE = "select";

  private final Gpu gpu;
  private final Memory memory;
  private final Elementwise elementwise;
  private final Indices indices;

  Movement(Gpu gpu, Memory memory, Elementwise elementwise) {
    this.gpu = gpu;
    this.memory = memory;
    this.indices = new Indices(gpu);
    this.elementwise = elementwise;
  }

  /** Joins parts along an axis, in the memory order of the first part that has one. */
  @Override
  public Tensor concat(Tensor[] parts, int axis) {
    int total = 0;
    for (Tensor part : parts) {
      total += part.dim(axis);
    }
    Layout first = Walk.resultLayout(parts[0].shape(), parts[0]);
    Shape shape = parts[0].shape().with(axis, total);
    Tensor y = gpu.fresh(parts[0].type(), Layout.ordered(shape, first.order()));
    int at = 0;
    for (Tensor part : parts) {
      int count = part.dim(axis);
      elementwise.copy(y.view(y.layout().slice(axis, at, count, 1)), part);
      at += count;
    }
    return y;
  }

  /** Returns x at a regular sub-grid of zeros. */
  @Override
  public Tensor scatter(Tensor x, Shape shape, int[] starts, int[] steps) {
    Tensor y = gpu.fresh(x.type(), shape);
    gpu.fill(CudaStorage.of(y).address(), x.type(), shape.size(), 0);
    Layout part = y.layout();
    for (int a = 0; a < shape.rank(); a++) {
      part = part.slice(a, starts[a], x.dim(a), steps[a]);
    }
    elementwise.copy(y.view(part), x);
    return y;
  }

  // ---- entries of an axis

  /** Makes entry index[i] of an axis entry i. */
  @Override
  public Tensor gather(Tensor x, int axis, int[] index) {
    return Temporaries.one(
        () -> {
          Shape shape = x.shape().with(axis, index.length);
          Tensor y = gpu.fresh(x.type(), shape);
          indices.with("gather", index, 0, () -> index, at -> select(y, x, axis, "gather", at));
          return y;
        });
  }

  /** Adds entry i of an axis to entry index[i] of zeros. */
  @Override
  public Tensor scatterAdd(Tensor x, int axis, int[] index, int size) {
    return Temporaries.one(
        () -> {
          Tensor y = gpu.fresh(x.type(), x.shape().with(axis, size));
          long startBytes = 4L * (size + 1);
          indices.with(
              "scatter",
              index,
              size,
              () -> turnedRound(index, size),
              at -> select(y, x, axis, "scatter_add", at, at + startBytes));
          return y;
        });
  }

  // The places where the entries of each result begin, then for each result its entries in
  // ascending order.
  private static int[] turnedRound(int[] index, int size) {
    int[] first = new int[size + 1];
    for (int target : index) {
      first[target + 1]++;
    }
    Arrays.parallelPrefix(first, Integer::sum);
    int[] next = first.clone();
    int[] all = Arrays.copyOf(first, size + 1 + index.length);
    for (int i = 0; i < index.length; i++) {
      all[size + 1 + next[index[i]]++] = i;
    }
    return all;
  }

  private void select(Tensor y, Tensor x, int axis, String kernel, long... lists) {
    Walk others = Walk.single(without(y.layout(), axis), without(x.layout(), axis));
    if (others == null) {
      select(y, memory.contiguous(x), axis, kernel, lists);
      return;
    }
    int count = y.dim(axis);
    boolean axisFirst = Math.abs(y.layout().stride(axis)) == 1;
    Struct along =
        new Struct().ints(count, y.layout().stride(axis), x.layout().stride(axis)).flag(axisFirst);
    gpu.launch(
        FILE,
        kernel + Gpu.suffix(x.type()),
        Grid.threads((long) count * others.groups()),
        a -> {
          a.at(y, others.offset(0)).at(x, others.offset(1));
          for (long list : lists) {
            a.address(list);
          }
          a.struct(along).walk(others);
        });
  }

  /** Returns a layout without one of its axes, at entry 0 of that axis. */
  static Layout without(Layout layout, int axis) {
    int[] strides = new int[layout.shape().rank() - 1];
    for (int a = 0; a < strides.length; a++) {
      strides[a] = layout.stride(a < axis ? a : a + 1);
    }
    return Layout.of(layout.shape().remove(axis), strides, layout.offset());
  }
}
