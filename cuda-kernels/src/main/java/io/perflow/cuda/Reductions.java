package io.perflow.cuda;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.ReduceKernels;
import io.perflow.tensor.op.ReduceKind;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Reductions: {@code reduce.cu}. The partition of a sum depends only on the shape, so that its bits
 * are the same on every device.
 */
final class Reductions implements ReduceKernels {
  private static final String FILE = "reduce";

  // The number of elements that one warp, or one thread, takes: enough to pay for its start, and
  // few enough for many to run at once and for rounding errors not to grow.
  private static final int ROW_CHUNK = 2048;
  private static final int COLUMN_CHUNK = 128;

  // The bytes of a part's result: a number, or a number and a place.
  private static final int PART_BYTES = 16;

  private final Gpu gpu;
  private final Memory memory;

  Reductions(Gpu gpu, Memory memory) {
    this.gpu = gpu;
    this.memory = memory;
  }

  /** Returns the sum, the largest or the smallest element over sorted axes. */
  @Override
  public Tensor reduce(ReduceKind kind, Tensor x, int[] axes, boolean keep) {
    return Temporaries.one(
        () -> {
          return reduce(kind.name().toLowerCase(Locale.ROOT), x, axes, keep);
        });
  }

  /** Returns the position of the first largest along an axis. */
  @Override
  public Tensor argmax(Tensor x, int axis, boolean keep) {
    return Temporaries.one(
        () -> {
          return reduce("argmax", x, new int[] {axis}, keep);
        });
  }

  private Tensor reduce(String kind, Tensor x, int[] axes, boolean keep) {
    Layout others = pick(x.layout(), other(x.rank(), axes));
    Walk kept = Walk.single(others);
    Walk reduced = Walk.single(pick(x.layout(), axes));
    if (kept == null || reduced == null) {
      return reduce(kind, memory.contiguous(x), axes, keep);
    }
    // Results are numbered in the memory order of x, and lie in that order.
    Layout dense = Layout.ordered(others.shape(), others.order());
    Tensor y = gpu.fresh(x.type(), keep ? withOnes(dense, x.rank(), axes) : dense);
    if (y.size() > 0) {
      into(y, kind, x, kept, reduced);
    }
    return y;
  }

  private void into(Tensor y, String kind, Tensor x, Walk kept, Walk reduced) {
    int results = y.size();
    int count = x.size() / results;
    boolean rows =
        kept.innerExtent() <= 1 || Math.abs(reduced.innerStride(0)) < Math.abs(kept.innerStride(0));
    int chunk = rows ? ROW_CHUNK : COLUMN_CHUNK;
    int parts = Math.max(1, Grid.ceil(count, chunk));
    String suffix = kind + Gpu.suffix(x.type());
    String kernel = (rows ? "reduce_rows_" : "reduce_columns_") + suffix;
    long jobs = (long) results * parts;
    Grid grid = rows ? Grid.warps(jobs) : Grid.threads(jobs);
    Struct cut = new Struct().ints(results, count, parts, chunk);
    if (parts == 1) {
      gpu.launch(
          FILE, kernel, grid, a -> a.tensor(y).tensor(x).struct(cut).walk(kept).walk(reduced));
      return;
    }
    try (Scratch between = gpu.scratch(jobs * PART_BYTES)) {
      gpu.launch(
          FILE,
          kernel,
          grid,
          a -> a.address(between.address()).tensor(x).struct(cut).walk(kept).walk(reduced));
      gpu.launch(
          FILE,
          "reduce_parts_" + suffix,
          Grid.warps(results),
          a -> a.tensor(y).address(between.address()).ints(results, parts));
    }
  }

  private static int[] other(int rank, int[] axes) {
    return IntStream.range(0, rank).filter(a -> Arrays.binarySearch(axes, a) < 0).toArray();
  }

  /** Returns some axes of a layout, from offset 0. */
  private static Layout pick(Layout layout, int[] axes) {
    int[] extents = Arrays.stream(axes).map(layout.shape()::dim).toArray();
    int[] strides = Arrays.stream(axes).map(layout::stride).toArray();
    return Layout.of(Shape.of(extents), strides, 0);
  }

  /** Returns a layout with the reduced axes restored with extent 1. */
  private static Layout withOnes(Layout dense, int rank, int[] axes) {
    int[] extents = new int[rank];
    int[] strides = new int[rank];
    for (int a = 0, from = 0; a < rank; a++) {
      boolean gone = Arrays.binarySearch(axes, a) >= 0;
      extents[a] = gone ? 1 : dense.shape().dim(from);
      strides[a] = gone ? 1 : dense.stride(from++);
    }
    return Layout.of(Shape.of(extents), strides, 0);
  }

  /** Returns the running sums along an axis. */
  @Override
  public Tensor cumulativeSum(Tensor x, int axis) {
    return Temporaries.one(
        () -> {
          Tensor y = gpu.fresh(x.type(), x.shape());
          Walk lines =
              Walk.single(Movement.without(y.layout(), axis), Movement.without(x.layout(), axis));
          if (lines == null) {
            return cumulativeSum(memory.contiguous(x), axis);
          }
          int yStride = y.layout().stride(axis);
          boolean rows = lines.innerExtent() <= 1 || yStride < Math.abs(lines.innerStride(0));
          gpu.launch(
              FILE,
              (rows ? "cumsum_rows" : "cumsum_columns") + Gpu.suffix(x.type()),
              rows ? Grid.warps(lines.groups()) : Grid.threads(lines.groups()),
              a ->
                  a.at(y, lines.offset(0))
                      .at(x, lines.offset(1))
                      .ints(x.dim(axis), yStride, x.layout().stride(axis))
                      .walk(lines));
          return y;
        });
  }
}
