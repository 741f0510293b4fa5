package io.perflow.cuda;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.NormKernels;
import io.perflow.tensor.op.GroupNormSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * The group normalisation fused with the operations that follow it, forward and backward: {@code
 * norm.cu}.
 */
final class Norms implements NormKernels {
  private static final String FILE = "norm";
  private static final int THREADS = 256;

  // The number of elements of a group that one block takes; beyond it, several blocks share a
  // group.
  private static final int CHUNK = 16384;

  // The number of pixels over which one block sums the gradients of a group's channels.
  private static final int GRAD_CHUNK = 2048;

  private final Gpu gpu;
  private final Memory memory;

  Norms(Gpu gpu, Memory memory) {
    this.gpu = gpu;
    this.memory = memory;
  }

  /**
   * An image x (n, c, pixels) with one stride for the pixels, whose channels or pixels are
   * innermost.
   */
  private record Image(Tensor x, int pixels, boolean channelsLast) {
    int count(GroupNormSpec spec) {
      return x.dim(1) / spec.groups() * pixels;
    }

    /** Returns {@code struct Norm}, cut into parts of {@code chunk} elements, or pixels. */
    Struct struct(GroupNormSpec spec, Tensor scale, int parts, int chunk) {
      Layout layout = x.layout();
      int strideP = channelsLast ? x.dim(1) : 1;
      return new Struct()
          .ints(x.dim(1))
          .divisor(spec.groups())
          .divisor(x.dim(1) / spec.groups())
          .divisor(pixels)
          .ints(layout.stride(0), layout.stride(1), strideP)
          .flag(channelsLast)
          .ints(scale == null ? 0 : scale.layout().stride(0))
          .ints(scale == null ? 0 : scale.layout().stride(1))
          .flag(spec.silu())
          .ints(count(spec), parts, chunk);
    }
  }

  // Returns the image in one of the two orders that the kernels support.
  private Image image(Tensor x) {
    int pixels = x.size() / Math.max(1, x.dim(0) * x.dim(1));
    boolean last = !x.layout().isContiguous() && x.layout().equals(channelsLast(x));
    return new Image(last ? x : memory.contiguous(x), pixels, last);
  }

  private static Layout channelsLast(Tensor x) {
    Layout target = Layout.channelsLast(x.shape());
    return Layout.of(x.shape(), target.strides(), x.layout().offset());
  }

  // Scale and shift must share their strides.
  private Tensor[] maps(Tensor weight, Tensor bias, Tensor scale, Tensor shift) {
    boolean alike =
        scale == null
            || scale.layout().stride(0) == shift.layout().stride(0)
                && scale.layout().stride(1) == shift.layout().stride(1);
    return new Tensor[] {
      weight == null ? null : memory.contiguous(weight),
      bias == null ? null : memory.contiguous(bias),
      alike ? scale : memory.contiguous(scale),
      alike ? shift : memory.contiguous(shift)
    };
  }

  // struct Maps: four pointers.
  private static Struct addresses(Arguments a, Tensor[] maps) {
    Struct struct = new Struct();
    for (Tensor map : maps) {
      struct.address(map == null ? 0 : a.addressOf(map, map.layout().offset()));
    }
    return struct;
  }

  /** Returns the result, mean and 1 / sqrt(variance + eps). */
  @Override
  public Tensor[] groupNorm(
      Tensor input, Tensor weight, Tensor bias, Tensor scale, Tensor shift, GroupNormSpec spec) {
    return Temporaries.all(() -> forward(input, weight, bias, scale, shift, spec));
  }

  private Tensor[] forward(
      Tensor input, Tensor weight, Tensor bias, Tensor scale, Tensor shift, GroupNormSpec spec) {
    Image image = image(input);
    Tensor x = image.x;
    DataType type = x.type();
    Tensor[] maps = maps(weight, bias, scale, shift);
    Layout result = Layout.of(x.shape(), x.layout().strides(), 0);
    Tensor y = gpu.fresh(type, result);
    Tensor mean = gpu.fresh(type, Shape.of(x.dim(0), spec.groups()));
    Tensor rstd = gpu.fresh(type, mean.shape());
    if (x.size() == 0) {
      return new Tensor[] {y, mean, rstd};
    }
    int groups = mean.size();
    int parts = Grid.ceil(image.count(spec), CHUNK);
    Struct norm = image.struct(spec, maps[2], parts, CHUNK);
    Grid grid = Grid.blocks(groups, parts, 1, THREADS);
    if (parts == 1) {
      gpu.launch(
          FILE,
          "norm" + Gpu.suffix(type),
          grid,
          a ->
              a.tensor(y)
                  .tensor(mean)
                  .tensor(rstd)
                  .tensor(x)
                  .struct(addresses(a, maps))
                  .number(type, spec.eps())
                  .struct(norm));
      return new Tensor[] {y, mean, rstd};
    }
    try (Scratch moments = gpu.scratch(3L * groups * parts * type.bytes())) {
      gpu.launch(
          FILE,
          "norm_moments" + Gpu.suffix(type),
          grid,
          a -> a.address(moments.address()).tensor(x).struct(norm));
      gpu.launch(
          FILE,
          "norm_apply" + Gpu.suffix(type),
          grid,
          a ->
              a.tensor(y)
                  .tensor(mean)
                  .tensor(rstd)
                  .tensor(x)
                  .address(moments.address())
                  .struct(addresses(a, maps))
                  .number(type, spec.eps())
                  .struct(norm));
    }
    return new Tensor[] {y, mean, rstd};
  }

  /**
   * Returns the gradients of x, then weight and bias if affine, then scale and shift if modulated.
   */
  @Override
  public Tensor[] groupNormBackward(
      Tensor dy,
      Tensor input,
      Tensor weight,
      Tensor bias,
      Tensor scale,
      Tensor shift,
      Tensor mean,
      Tensor rstd,
      GroupNormSpec spec) {
    return Temporaries.all(() -> backward(dy, input, weight, bias, scale, shift, mean, rstd, spec));
  }

  private Tensor[] backward(
      Tensor dy,
      Tensor input,
      Tensor weight,
      Tensor bias,
      Tensor scale,
      Tensor shift,
      Tensor mean,
      Tensor rstd,
      GroupNormSpec spec) {
    Image image = image(input);
    Tensor[] maps = maps(weight, bias, scale, shift);
    Tensor m = memory.contiguous(mean);
    Tensor r = memory.contiguous(rstd);
    return new Backward(image, like(dy, image), maps, m, r, spec).run();
  }

  // dy in the memory order of x.
  private Tensor like(Tensor dy, Image image) {
    if (!image.channelsLast) {
      return memory.contiguous(dy);
    }
    boolean same = dy.layout().equals(channelsLast(dy));
    return same ? dy : memory.copy(dy, Layout.channelsLast(dy.shape()));
  }

  /** The four launches of the gradient, over the same operands. */
  private final class Backward {
    private final Image image;
    private final Tensor x;
    private final Tensor dy;
    private final Tensor[] maps;
    private final Tensor mean;
    private final Tensor rstd;
    private final GroupNormSpec spec;
    private final DataType type;
    private final int n;
    private final int c;
    private final int groups; // of all images

    Backward(Image image, Tensor dy, Tensor[] maps, Tensor mean, Tensor rstd, GroupNormSpec spec) {
      this.image = image;
      this.x = image.x;
      this.dy = dy;
      this.maps = maps;
      this.mean = mean;
      this.rstd = rstd;
      this.spec = spec;
      type = x.type();
      n = x.dim(0);
      c = x.dim(1);
      groups = n * spec.groups();
    }

    Tensor[] run() {
      List<Tensor> result = new ArrayList<>();
      result.add(gpu.fresh(type, Layout.of(x.shape(), x.layout().strides(), 0)));
      for (int i = 0; i < 2 && spec.affine(); i++) {
        result.add(zeroIfEmpty(Shape.of(c)));
      }
      for (int i = 0; i < 2 && spec.modulated(); i++) {
        result.add(zeroIfEmpty(Shape.of(n, c)));
      }
      if (x.size() > 0) {
        compute(result);
      }
      return result.toArray(Tensor[]::new);
    }

    // Sums over no element are 0.
    private Tensor zeroIfEmpty(Shape shape) {
      return x.size() == 0 ? gpu.constant(type, shape, 0) : gpu.fresh(type, shape);
    }

    private void compute(List<Tensor> result) {
      int parts = Grid.ceil(image.pixels, GRAD_CHUNK);
      Struct norm = image.struct(spec, maps[2], parts, GRAD_CHUNK);
      try (Scratch sums = gpu.scratch(2L * n * c * parts * type.bytes());
          Scratch totals = gpu.scratch(2L * n * c * type.bytes());
          Scratch means = gpu.scratch(2L * groups * type.bytes())) {
        channelSums(sums, parts, norm);
        joinParts(sums, totals, means, norm, result);
        if (spec.affine()) {
          gpu.launch(
              FILE,
              "norm_grad_affine" + Gpu.suffix(type),
              Grid.threads(c),
              a ->
                  a.tensor(result.get(1))
                      .tensor(result.get(2))
                      .address(totals.address())
                      .struct(addresses(a, maps))
                      .ints(n)
                      .struct(norm));
        }
        inputGradient(result.getFirst(), means);
      }
    }

    private void channelSums(Scratch sums, int parts, Struct norm) {
      int perGroup = c / spec.groups();
      // Side by side along channels where those are neighbours in memory.
      int lanes = image.channelsLast ? Math.min(32, Integer.highestOneBit(perGroup)) : 1;
      gpu.launch(
          FILE,
          "norm_grad_sums" + Gpu.suffix(type),
          Grid.blocks(groups, parts, 1, THREADS),
          a ->
              a.address(sums.address())
                  .tensor(dy)
                  .tensor(x)
                  .tensor(mean)
                  .tensor(rstd)
                  .struct(addresses(a, maps))
                  .ints(lanes)
                  .struct(norm));
    }

    private void joinParts(
        Scratch sums, Scratch totals, Scratch means, Struct norm, List<Tensor> result) {
      int last = result.size() - 1;
      gpu.launch(
          FILE,
          "norm_grad_channels" + Gpu.suffix(type),
          Grid.blocks(Grid.ceil(groups, THREADS / 32), 1, 1, THREADS),
          a ->
              a.address(totals.address())
                  .address(means.address())
                  .tensor(spec.modulated() ? result.get(last - 1) : null)
                  .tensor(spec.modulated() ? result.get(last) : null)
                  .address(sums.address())
                  .struct(addresses(a, maps))
                  .ints(groups)
                  .struct(norm));
    }

    private void inputGradient(Tensor dx, Scratch means) {
      int parts = Grid.ceil(image.count(spec), CHUNK);
      Struct norm = image.struct(spec, maps[2], parts, CHUNK);
      gpu.launch(
          FILE,
          "norm_grad" + Gpu.suffix(type),
          Grid.blocks(groups, parts, 1, THREADS),
          a ->
              a.tensor(dx)
                  .tensor(dy)
                  .tensor(x)
                  .tensor(mean)
                  .tensor(rstd)
                  .address(means.address())
                  .struct(addresses(a, maps))
                  .struct(norm));
    }
  }
}
