package io.perflow.cuda;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.StepKernels;
import io.perflow.tensor.op.BinaryKind;
import io.perflow.tensor.op.ReduceKind;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;

/** The steps of a sampler that keep values or means: {@code advance.cu}. */
final class Advances implements StepKernels {
  private static final String FILE = "advance";

  // The number of values of a mean that one block takes; longer ones are summed by several.
  private static final int MOST_OF_A_BLOCK = 1 << 16;
  private static final int MOST_THREADS = 512;
  private static final int WARP = 32;

  private final Gpu gpu;
  private final Elementwise elementwise;
  private final Reductions reductions;
  private final Transforms transforms;

  Advances(Gpu gpu, Elementwise elementwise, Reductions reductions, Transforms transforms) {
    this.gpu = gpu;
    this.elementwise = elementwise;
    this.reductions = reductions;
    this.transforms = transforms;
  }

  /** Returns x + weight (d - share mean(d)) with d = to - from where free, otherwise 0. */
  @Override
  public Tensor advance(
      Tensor x, Tensor to, Tensor from, Tensor free, Tensor share, int[] axes, double weight) {
    return Temporaries.one(
        () -> {
          if (axes.length == 0) {
            return points(x, to, from, free, weight);
          }
          Tensor[] operands = {x, to, from, free, share};
          Tensor y = gpu.fresh(to.type(), Walk.resultLayout(to.shape(), x, to));
          Layout[] layouts = layouts(y, operands);
          Walk reduced = Walk.single(pick(layouts, axes));
          Walk kept = Walk.single(pick(layouts, others(to.rank(), axes)));
          if (reduced == null || kept == null || reduced.groups() > MOST_OF_A_BLOCK) {
            return inParts(operands, axes, weight);
          }
          if (y.size() == 0) {
            return y;
          }
          int warps = Math.min(Grid.ceil(reduced.groups(), WARP), MOST_THREADS / WARP);
          gpu.launch(
              FILE,
              "advance_rows" + Gpu.suffix(to.type()),
              Grid.blocks(kept.groups(), 1, 1, warps * WARP),
              a ->
                  a.tensor(y)
                      .struct(struct(operands, weight, a))
                      .number(to.type(), 1.0 / reduced.groups())
                      .walk(kept)
                      .walk(reduced));
          return y;
        });
  }

  @Override
  public Optional<Tensor> advanceTransverse(Tensor x, Tensor v, Tensor n, double weight) {
    return transforms.advanceTransverse(x, v, n, weight);
  }

  private Tensor points(Tensor x, Tensor to, Tensor from, Tensor free, double weight) {
    Tensor[] operands = {x, to, from, free, null};
    Tensor y = gpu.fresh(to.type(), Walk.resultLayout(to.shape(), x, to));
    for (Walk walk : Walk.of(Arrays.copyOf(layouts(y, operands), 5))) {
      gpu.launch(
          FILE,
          "advance" + Gpu.suffix(to.type()),
          Grid.threads(walk.groups()),
          a -> a.at(y, walk.offset(0)).struct(struct(operands, walk, weight, a)).walk(walk));
    }
    return y;
  }

  // For means of very many values: first their directions, then the sums, then the step with what
  // remains.
  private Tensor inParts(Tensor[] o, int[] axes, double weight) {
    Tensor none = gpu.constant(o[1].type(), Shape.of(), 0);
    Tensor all = gpu.constant(o[1].type(), Shape.of(), 1);
    Tensor d = points(none, o[1], o[2], o[3], 1);
    Tensor sums = reductions.reduce(ReduceKind.SUM, d, axes, true);
    Tensor scale = gpu.constant(d.type(), Shape.of(), (double) sums.size() / Math.max(1, d.size()));
    Tensor means = elementwise.binary(BinaryKind.MUL, sums, scale);
    Tensor shift = elementwise.binary(BinaryKind.MUL, o[4], means);
    return points(o[0], d, shift, all, weight);
  }

  // ---- operands

  private static Layout[] layouts(Tensor y, Tensor[] operands) {
    Layout[] layouts = new Layout[1 + operands.length];
    layouts[0] = y.layout();
    for (int k = 0; k < operands.length; k++) {
      layouts[1 + k] = byValue(operands[k]) ? y.layout() : operands[k].layout().expand(y.shape());
    }
    return layouts;
  }

  private static boolean byValue(Tensor operand) {
    return operand == null || CudaStorage.of(operand).constant() != null;
  }

  /** Returns {@code struct Operands}, from the first element of each. */
  private static Struct struct(Tensor[] operands, double weight, Arguments a) {
    int[] offsets = new int[operands.length];
    for (int k = 0; k < offsets.length; k++) {
      offsets[k] = operands[k].layout().offset();
    }
    return struct(operands, offsets, weight, a);
  }

  private static Struct struct(Tensor[] operands, Walk walk, double weight, Arguments a) {
    int[] offsets = new int[operands.length];
    for (int k = 0; k < 4; k++) {
      offsets[k] = walk.offset(1 + k);
    }
    return struct(operands, offsets, weight, a);
  }

  private static Struct struct(Tensor[] operands, int[] offsets, double weight, Arguments a) {
    Struct struct = new Struct();
    DataType type = operands[1].type();
    for (int k = 0; k < operands.length; k++) {
      struct.address(byValue(operands[k]) ? 0 : a.addressOf(operands[k], offsets[k]));
    }
    for (Tensor operand : operands) {
      struct.number(type, byValue(operand) && operand != null ? number(operand) : 0);
    }
    return struct.number(type, weight);
  }

  private static double number(Tensor operand) {
    return CudaStorage.of(operand).constant();
  }

  private static int[] others(int rank, int[] axes) {
    return IntStream.range(0, rank).filter(a -> Arrays.binarySearch(axes, a) < 0).toArray();
  }

  /** Returns some axes of each layout, from offset 0. */
  private static Layout[] pick(Layout[] layouts, int[] axes) {
    Layout[] picked = new Layout[layouts.length];
    for (int k = 0; k < layouts.length; k++) {
      Layout layout = layouts[k];
      int[] extents = Arrays.stream(axes).map(layout.shape()::dim).toArray();
      int[] strides = Arrays.stream(axes).map(layout::stride).toArray();
      picked[k] = Layout.of(Shape.of(extents), strides, 0);
    }
    return picked;
  }
}
