package io.perflow.cuda;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Padding;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.ConvKernels;
import io.perflow.tensor.op.BinaryKind;
import io.perflow.tensor.op.ReduceKind;

/**
 * Convolution and its two adjoints as products of matrices read from images: {@code conv.cu}.
 * Images lie channels last. Filters are packed to a matrix (taps and channels, channels of the
 * result) only when their numbers have changed.
 */
final class Convolutions implements ConvKernels {
  private static final String FILE = "conv";
  private static final int THREADS = 256;
  private static final int TF32_THREADS = 128;

  // The number of blocks that fill a device; below it, tiles are smaller and sums are split.
  private static final int ENOUGH_BLOCKS = 128;

  // The number of pixels below which a sum over them is not worth splitting.
  private static final int SMALLEST_SPLIT = 256;

  private final Gpu gpu;
  private final Memory memory;
  private final Elementwise elementwise;
  private final Reductions reductions;
  private final Winograd winograd;
  private final Pooling pooling;
  private volatile ConvolutionMethod method = ConvolutionMethod.DIRECT;

  Convolutions(
      Gpu gpu,
      Memory memory,
      Elementwise elementwise,
      Reductions reductions,
      Winograd winograd,
      Pooling pooling) {
    this.gpu = gpu;
    this.memory = memory;
    this.elementwise = elementwise;
    this.reductions = reductions;
    this.winograd = winograd;
    this.pooling = pooling;
  }

  /** Sets the method of convolutions from now on. */
  void method(ConvolutionMethod chosen) {
    method = chosen;
  }

  /** A tile of a product: its name in kernels, and its extent in rows and columns. */
  private record Tile(String name, int rows, int cols) {
    static final Tile NARROW = new Tile("narrow", 128, 32);
    static final Tile SMALL = new Tile("small", 64, 64);
    static final Tile LARGE = new Tile("large", 128, 128);
    static final Tile DOUBLES = new Tile("small", 32, 32);

    long blocks(int m, int n) {
      return (long) Grid.ceil(m, rows) * Grid.ceil(n, cols);
    }
  }

  /**
   * Returns {@code struct Convolution}: the image that is read, and the product's rows and columns.
   */
  private static Struct struct(
      AxisMap h, AxisMap w, Shape read, Shape written, Shape weight, int groups, int filterPitch) {
    int channels = read.dim(1) / groups;
    int columns = written.dim(1) / groups;
    Struct struct = new Struct();
    h.appendTo(struct);
    w.appendTo(struct);
    struct.divisor(written.dim(2)).divisor(written.dim(3));
    struct.divisor(channels).divisor(weight.dim(3));
    struct.ints(
        written.dim(0) * written.dim(2) * written.dim(3),
        weight.dim(2) * weight.dim(3) * channels,
        read.dim(1),
        columns,
        written.dim(1),
        filterPitch);
    return struct;
  }

  /** Returns whether 16 bytes can be moved at a time along the channels of a group. */
  private static boolean vectors(DataType type, int perGroup, int all, int offset) {
    int group = 16 / type.bytes();
    return perGroup % group == 0 && all % group == 0 && offset % group == 0;
  }

  // ---- forward

  /** Returns y = bias + filter * x. */
  @Override
  public Tensor conv2d(Tensor x, Tensor weight, Tensor bias, Conv2dSpec spec) {
    return Temporaries.one(() -> forward(upsampled(x, spec), weight, bias, spec.upsampling(1)));
  }

  private Tensor forward(Tensor x, Tensor weight, Tensor bias, Conv2dSpec spec) {
    Shape in = x.shape();
    Shape shape =
        Shape.of(
            in.dim(0),
            weight.dim(0),
            spec.outH(in.dim(2), weight.dim(2)),
            spec.outW(in.dim(3), weight.dim(3)));
    Tensor y = gpu.fresh(x.type(), Layout.channelsLast(shape));
    if (y.size() > 0) {
      boolean circularH = spec.paddingH() == Padding.CIRCULAR;
      boolean circularW = spec.paddingW() == Padding.CIRCULAR;
      AxisMap h = AxisMap.forward(in.dim(2), spec.strideH(), spec.padH(), circularH);
      AxisMap w = AxisMap.forward(in.dim(3), spec.strideW(), spec.padW(), circularW);
      Tensor image = memory.channelsLast(x);
      if (method == ConvolutionMethod.WINOGRAD && Winograd.fits(weight, spec)) {
        winograd.convolve(y, image, weight, contiguous(bias), h, w, false);
      } else {
        Tensor filter = packed(weight, spec.groups(), false);
        convolve(y, image, filter, contiguous(bias), h, w, weight, spec);
      }
    }
    return y;
  }

  // (c) as (c, 1, 1)
  private static Tensor channels(Tensor bias) {
    Layout l = bias.layout();
    return bias.view(
        Layout.of(Shape.of(bias.dim(0), 1, 1), new int[] {l.stride(0), 1, 1}, l.offset()));
  }

  private Tensor contiguous(Tensor bias) {
    return bias == null ? null : memory.contiguous(bias);
  }

  private void convolve(
      Tensor y,
      Tensor image,
      Tensor filter,
      Tensor bias,
      AxisMap h,
      AxisMap w,
      Tensor weight,
      Conv2dSpec spec) {
    DataType type = y.type();
    int groups = spec.groups();
    int columns = y.dim(1) / groups;
    int rows = y.size() / y.dim(1);
    int channels = image.dim(1) / groups;
    boolean v4 =
        type == DataType.F32 && vectors(type, channels, image.dim(1), image.layout().offset());
    boolean tf32 = v4 && method == ConvolutionMethod.TF32;
    Tile tile = tf32 ? Tile.SMALL : tile(type, rows, columns, groups);
    Struct c =
        struct(h, w, image.shape(), y.shape(), weight.shape(), groups, filter.dim(-1))
            .flag(vectors(type, columns, y.dim(1), 0));
    gpu.launch(
        tf32 ? "tf32" : FILE,
        tf32 ? "conv_tf32" : "conv_" + tile.name + (v4 ? "_v4" : "") + Gpu.suffix(type),
        Grid.blocks(
            Grid.ceil(rows, tile.rows),
            Grid.ceil(columns, tile.cols),
            groups,
            tf32 ? TF32_THREADS : THREADS),
        a -> a.tensor(y).tensor(image).tensor(filter).tensor(bias).struct(c));
  }

  private static Tile tile(DataType type, int rows, int columns, int groups) {
    if (type == DataType.F64) {
      return Tile.DOUBLES;
    }
    if (columns <= Tile.NARROW.cols) {
      return Tile.NARROW;
    }
    boolean enough = Tile.LARGE.blocks(rows, columns) * groups >= ENOUGH_BLOCKS;
    return enough && columns > Tile.SMALL.cols ? Tile.LARGE : Tile.SMALL;
  }

  /** The key of a packed filter among the data derived from its storage. */
  private record Packing(Layout layout, int groups, boolean adjoint) {}

  /**
   * Returns a filter (out, in, kh, kw) as (groups, kh, kw, in, out), or with in and out exchanged
   * for the adjoint; the last axis padded with zeros to whole loads.
   */
  private Tensor packed(Tensor weight, int groups, boolean adjoint) {
    Packing key = new Packing(weight.layout(), groups, adjoint);
    return CudaStorage.of(weight).derived(key, () -> pack(weight, groups, adjoint));
  }

  private Tensor pack(Tensor weight, int groups, boolean adjoint) {
    Layout from = weight.layout();
    int out = weight.dim(0) / groups;
    int in = weight.dim(1);
    int rows = adjoint ? out : in;
    int cols = adjoint ? in : out;
    int load = 16 / weight.type().bytes();
    int pitch = Grid.ceil(cols, load) * load;
    Shape shape = Shape.of(groups, weight.dim(2), weight.dim(3), rows, cols);
    int[] strides = {
      out * from.stride(0),
      from.stride(2),
      from.stride(3),
      from.stride(adjoint ? 0 : 1),
      from.stride(adjoint ? 1 : 0)
    };
    Tensor packed = gpu.fresh(weight.type(), shape.with(4, pitch));
    Scope.detach(packed);
    if (pitch != cols) {
      gpu.fill(CudaStorage.of(packed).address(), weight.type(), packed.size(), 0);
    }
    elementwise.copy(
        packed.view(packed.layout().slice(4, 0, cols, 1)),
        weight.view(Layout.of(shape, strides, from.offset())));
    return packed;
  }

  // The large image is written here: products read their operand through the strides of the pixels.
  private Tensor upsampled(Tensor x, Conv2dSpec spec) {
    int factor = spec.upsampling();
    return factor == 1 ? x : pooling.upsampleNearest(x, factor);
  }

  // ---- adjoint in x

  /**
   * Returns x (of {@code inputShape}) from y: every product is added to the place from which it was
   * read.
   */
  @Override
  public Tensor conv2dBackwardInput(
      Tensor dy, Tensor weight, Tensor bias, Conv2dSpec spec, Shape inputShape) {
    int factor = spec.upsampling();
    if (factor == 1) {
      return Temporaries.one(() -> backwardInput(dy, weight, bias, spec, inputShape));
    }
    Shape large = inputShape.with(2, inputShape.dim(2) * factor);
    Shape all = large.with(3, inputShape.dim(3) * factor);
    return Temporaries.one(
        () -> {
          Tensor dx = backwardInput(dy, weight, null, spec.upsampling(1), all);
          Tensor sums = pooling.upsampleNearestBackward(dx, factor);
          return bias == null ? sums : elementwise.binary(BinaryKind.ADD, sums, channels(bias));
        });
  }

  private Tensor backwardInput(
      Tensor dy, Tensor weight, Tensor bias, Conv2dSpec spec, Shape inputShape) {
    if (inputShape.size() == 0) {
      return gpu.fresh(dy.type(), inputShape);
    }
    int h = inputShape.dim(2);
    int w = inputShape.dim(3);
    // A periodic axis whose places do not correspond one to one is computed with its margin, which
    // is then folded back.
    boolean wrapsH =
        wraps(spec.paddingH(), h, dy.dim(2), spec.strideH(), spec.padH(), weight.dim(2));
    boolean wrapsW =
        wraps(spec.paddingW(), w, dy.dim(3), spec.strideW(), spec.padW(), weight.dim(3));
    int marginH = spec.paddingH() == Padding.CIRCULAR && !wrapsH ? spec.padH() : 0;
    int marginW = spec.paddingW() == Padding.CIRCULAR && !wrapsW ? spec.padW() : 0;
    AxisMap mapH = AxisMap.adjoint(dy.dim(2), spec.strideH(), spec.padH() - marginH, wrapsH);
    AxisMap mapW = AxisMap.adjoint(dy.dim(3), spec.strideW(), spec.padW() - marginW, wrapsW);
    Shape extended =
        Shape.of(inputShape.dim(0), inputShape.dim(1), h + 2 * marginH, w + 2 * marginW);
    Tensor x = gpu.fresh(dy.type(), Layout.channelsLast(extended));
    Tensor image = memory.channelsLast(dy);
    Tensor shift = contiguous(bias);
    boolean folds = marginH + marginW > 0;
    Tensor added = folds ? null : shift;
    if (method == ConvolutionMethod.WINOGRAD && Winograd.fits(weight, spec)) {
      winograd.convolve(x, image, weight, added, mapH.turned(), mapW.turned(), true);
    } else {
      Tensor filter = packed(weight, spec.groups(), true);
      convolve(x, image, filter, added, mapH, mapW, weight, spec);
    }
    return folds ? folded(x, shift, inputShape, marginH, marginW) : x;
  }

  // Whether the adjoint of a periodic axis is itself periodic: taps from any place meet every place
  // of y once, and wrap around at most once.
  private static boolean wraps(
      Padding padding, int extent, int outExtent, int stride, int pad, int kernel) {
    return padding == Padding.CIRCULAR
        && outExtent * stride == extent
        && kernel - 1 - pad <= extent;
  }

  private Tensor folded(Tensor padded, Tensor bias, Shape shape, int marginH, int marginW) {
    Tensor x = gpu.fresh(padded.type(), Layout.channelsLast(shape));
    gpu.launch(
        FILE,
        "conv_fold" + Gpu.suffix(x.type()),
        Grid.threads(x.size()),
        a ->
            a.tensor(x)
                .tensor(padded)
                .tensor(bias)
                .ints(x.size())
                .divisor(shape.dim(2))
                .divisor(shape.dim(3))
                .divisor(shape.dim(1))
                .ints(marginH, marginW));
    return x;
  }

  // ---- adjoint in the weight

  /** Returns w (of {@code weightShape}) from x and y, in the memory order (kh, kw, in, out). */
  @Override
  public Tensor conv2dBackwardWeight(Tensor x, Tensor dy, Conv2dSpec spec, Shape weightShape) {
    return Temporaries.one(
        () -> backwardWeight(upsampled(x, spec), dy, spec.upsampling(1), weightShape));
  }

  private Tensor backwardWeight(Tensor x, Tensor dy, Conv2dSpec spec, Shape weightShape) {
    Layout order = Layout.ordered(weightShape, 2, 3, 1, 0);
    if (x.size() == 0 || dy.size() == 0 || weightShape.size() == 0) {
      return gpu.constant(x.type(), weightShape, 0);
    }
    Tensor image = memory.channelsLast(x);
    Tensor grad = memory.channelsLast(dy);
    DataType type = x.type();
    int groups = spec.groups();
    int out = dy.dim(1);
    int pixels = dy.size() / out;
    int rows = weightShape.size() / out;
    int columns = out / groups;
    boolean v4 =
        type == DataType.F32
            && vectors(type, weightShape.dim(1), x.dim(1), image.layout().offset())
            && vectors(type, columns, out, grad.layout().offset());
    Tile tile = type == DataType.F64 ? Tile.DOUBLES : Tile.SMALL;
    if (v4 && Tile.LARGE.blocks(rows, columns) * groups >= ENOUGH_BLOCKS) {
      tile = Tile.LARGE;
    }
    int blocks = Math.toIntExact(tile.blocks(rows, columns) * groups);
    int wanted = Math.min(ENOUGH_BLOCKS / blocks, pixels / SMALLEST_SPLIT);
    int chunk = Grid.ceil(Grid.ceil(pixels, Math.max(1, wanted)), 16) * 16;
    int splits = Grid.ceil(pixels, chunk);
    Tensor parts = gpu.fresh(type, Shape.of(splits, weightShape.size()));
    weightGradient(parts, image, grad, tile, v4, splits, chunk, spec, weightShape);
    Tensor dw =
        splits == 1 ? parts : reductions.reduce(ReduceKind.SUM, parts, new int[] {0}, false);
    return dw.view(order);
  }

  private void weightGradient(
      Tensor parts,
      Tensor image,
      Tensor grad,
      Tile tile,
      boolean v4,
      int splits,
      int chunk,
      Conv2dSpec spec,
      Shape weight) {
    Shape in = image.shape();
    DataType type = parts.type();
    int groups = spec.groups();
    int columns = weight.dim(0) / groups;
    int rows = weight.size() / weight.dim(0);
    boolean circularH = spec.paddingH() == Padding.CIRCULAR;
    boolean circularW = spec.paddingW() == Padding.CIRCULAR;
    AxisMap h = AxisMap.forward(in.dim(2), spec.strideH(), spec.padH(), circularH);
    AxisMap w = AxisMap.forward(in.dim(3), spec.strideW(), spec.padW(), circularW);
    Struct c =
        struct(h, w, in, grad.shape(), weight, groups, 0)
            .flag(vectors(type, columns, weight.dim(0), 0));
    gpu.launch(
        FILE,
        "conv_weight_" + tile.name + (v4 ? "_v4" : "") + Gpu.suffix(type),
        Grid.blocks(
            Grid.ceil(rows, tile.rows), Grid.ceil(columns, tile.cols), groups * splits, THREADS),
        a -> a.tensor(parts).tensor(image).tensor(grad).ints(splits, chunk).struct(c));
  }
}
