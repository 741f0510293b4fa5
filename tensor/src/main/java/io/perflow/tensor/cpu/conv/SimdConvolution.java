package io.perflow.tensor.cpu.conv;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Padding;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.NormedImages;
import io.perflow.tensor.cpu.memory.FloatRows;
import io.perflow.tensor.cpu.memory.FloatStorage;
import io.perflow.tensor.cpu.memory.Fresh;
import io.perflow.tensor.cpu.memory.StridedCopy;
import io.perflow.tensor.cpu.norm.NormedRows;
import io.perflow.tensor.cpu.norm.SimdNorms;
import java.util.Optional;

/** Convolution of F32 images; results lie channels last. */
public final class SimdConvolution extends ScalarConvolution {
  @Override
  public Tensor conv2d(Tensor x, Tensor weight, Tensor bias, Conv2dSpec spec) {
    return FloatStorage.holds(x)
        ? forward(null, x, weight, bias, spec)
        : super.conv2d(x, weight, bias, spec);
  }

  @Override
  public Optional<Tensor> conv2dAdding(
      Tensor addend, Tensor x, Tensor weight, Tensor bias, Conv2dSpec spec) {
    return FloatStorage.holds(x)
        ? Optional.of(forward(addend, x, weight, bias, spec))
        : Optional.empty();
  }

  @Override
  public boolean joins(Tensor[] x, Tensor weight, Conv2dSpec spec) {
    return FloatStorage.holds(x[0])
        && x[0].size() > 0
        && isPlain(spec, 0)
        && weight.dim(2) == 1
        && weight.dim(3) == 1;
  }

  @Override
  public Tensor joinedConv2d(Tensor[] x, Tensor weight, Tensor bias, Conv2dSpec spec) {
    Tensor y = channelsLast(x[0], x[0].shape().with(1, weight.dim(0)));
    PackedFilter filter = filter(weight, spec, weight.dim(1), true);
    Image[] parts = new Image[x.length];
    for (int i = 0; i < x.length; i++) {
      Image part = image(x[i], 1);
      parts[i] =
          part.uniform() ? part : image(StridedCopy.of(x[i], Layout.channelsLast(x[i].shape())), 1);
    }
    FloatRows b = FloatRows.of(bias);
    Convolution.pointwise(parts, filter.data(), 0, b.data(), b.offset(), image(y, 1));
    return y;
  }

  @Override
  public boolean norms(Tensor[] x, Tensor weight, Conv2dSpec spec) {
    return FloatStorage.holds(x[0])
        && x[0].size() > 0
        && !Settings.exactConvolution()
        && isPlain(spec, 1)
        && PackedFilter.suitsWinograd(weight.dim(2), weight.dim(3), weight.dim(0), weight.dim(1));
  }

  /** Stride 1, one group, every pixel once, and this margin on all sides. */
  private static boolean isPlain(Conv2dSpec spec, int margin) {
    return spec.strideH() == 1
        && spec.strideW() == 1
        && spec.padH() == margin
        && spec.padW() == margin
        && spec.groups() == 1
        && spec.upsampling() == 1;
  }

  @Override
  public Tensor[] normedConv2d(
      NormedImages x, Tensor weight, Tensor bias, Tensor addend, Conv2dSpec spec) {
    Tensor mean = SimdNorms.freshStatistics(x);
    Tensor rstd = SimdNorms.freshStatistics(x);
    Tensor y = channelsLast(weight, x.images()[0].shape().with(1, weight.dim(0)));
    PackedFilter filter = filter(weight, spec, weight.dim(1), true);
    FloatRows b = FloatRows.of(bias);
    Image sum = addend == null ? null : image(addend, 1);
    try (NormedRows rows = SimdNorms.rows(x, mean, rstd, false)) {
      Winograd.correlate(
          tiles(rows, filter.geometry), filter.group(0), b.data(), b.offset(), sum, image(y, 1));
    }
    return new Tensor[] {y, mean, rstd};
  }

  private static TileSource tiles(NormedRows rows, ConvGeometry g) {
    return new NormedTiles(rows, g.padH(), g.padW(), g.circularH(), g.circularW());
  }

  @Override
  public Tensor[] normedConv2dBackward(
      Tensor dy, NormedImages x, Tensor mean, Tensor rstd, Tensor weight, Conv2dSpec spec) {
    PackedFilter filter = filter(weight, spec, weight.dim(1), false);
    ConvGeometry g = filter.geometry;
    Tensor[] dx = new Tensor[x.images().length];
    Image[] to = new Image[dx.length];
    for (int i = 0; i < dx.length; i++) {
      dx[i] = channelsLast(dy, x.images()[i].shape());
      to[i] = image(dx[i], 1);
    }
    // with a margin of one the adjoint has it as well
    TileSource tiles = new ImageTiles(image(dy, 1), 1, 1, g.circularH(), g.circularW());
    Winograd.correlate(tiles, filter.group(0), null, 0, null, to);
    return SimdNorms.backward(x, mean, rstd, dx);
  }

  @Override
  public Tensor normedConv2dBackwardWeight(
      Tensor dy, NormedImages x, Tensor mean, Tensor rstd, Conv2dSpec spec, Shape weightShape) {
    Tensor dw = Fresh.like(dy, Layout.contiguous(weightShape));
    try (NormedRows rows = SimdNorms.rows(x, mean, rstd, true)) {
      TileSource tiles = tiles(rows, geometry(spec, weightShape));
      WinogradGradient.compute(tiles, image(dy, 1), FloatStorage.data(dw), 0);
    }
    return dw;
  }

  // addend may be null
  private static Tensor forward(
      Tensor addend, Tensor x, Tensor weight, Tensor bias, Conv2dSpec spec) {
    Shape w = weight.shape();
    Shape s = x.shape();
    int oh = spec.outH(s.dim(2), w.dim(2));
    int ow = spec.outW(s.dim(3), w.dim(3));
    Tensor y = channelsLast(x, Shape.of(s.dim(0), w.dim(0), oh, ow));
    if (y.size() > 0) {
      PackedFilter filter = filter(weight, spec.upsampling(1), s.dim(1), true);
      FloatRows b = FloatRows.of(bias);
      Image from = image(x, spec.upsampling());
      Image sum = addend == null ? null : image(addend, 1);
      Convolution.forward(from, filter, b.data(), b.offset(), sum, image(y, 1));
    }
    return y;
  }

  @Override
  public Tensor conv2dBackwardInput(
      Tensor dy, Tensor weight, Tensor bias, Conv2dSpec spec, Shape inputShape) {
    if (!FloatStorage.holds(dy)) {
      return super.conv2dBackwardInput(dy, weight, bias, spec, inputShape);
    }
    int factor = spec.upsampling();
    Tensor dx = channelsLast(dy, inputShape);
    if (dx.size() > 0) {
      PackedFilter filter = filter(weight, spec.upsampling(1), inputShape.dim(1), false);
      FloatRows b = FloatRows.of(bias);
      if (factor == 1 || filter.sums(factor)) {
        Image to = image(dx, factor);
        Convolution.backwardInput(image(dy, 1), filter, b.data(), b.offset(), to);
      } else {
        int h = inputShape.dim(2) * factor;
        int w = inputShape.dim(3) * factor;
        Shape large = inputShape.with(2, h).with(3, w);
        Tensor all = conv2dBackwardInput(dy, weight, null, spec.upsampling(1), large);
        Convolution.sumBlocks(image(all, 1), b.data(), b.offset(), image(dx, factor));
      }
    }
    return dx;
  }

  @Override
  public Tensor conv2dBackwardWeight(Tensor x, Tensor dy, Conv2dSpec spec, Shape weightShape) {
    if (!FloatStorage.holds(x)) {
      return super.conv2dBackwardWeight(x, dy, spec, weightShape);
    }
    Tensor dw = Fresh.like(x, Layout.contiguous(weightShape));
    boolean exact = Settings.exactConvolution();
    Convolution.backwardWeight(
        geometry(spec, weightShape),
        image(x, spec.upsampling()),
        image(dy, 1),
        FloatStorage.data(dw),
        0,
        exact);
    return dw;
  }

  private static Tensor channelsLast(Tensor like, Shape shape) {
    return Fresh.like(like, Layout.channelsLast(shape));
  }

  /** What weights are packed for. */
  private record Packing(Layout layout, Conv2dSpec spec, boolean forward, boolean exact) {}

  // Packed weights stay with the weights' storage until an optimiser changes them: a sampler packs
  // once, a training step once per direction.
  private static PackedFilter filter(Tensor weight, Conv2dSpec spec, int inC, boolean forward) {
    boolean exact = Settings.exactConvolution();
    Packing key = new Packing(weight.layout(), spec, forward, exact);
    FloatStorage storage = (FloatStorage) weight.storage();
    PackedFilter filter = (PackedFilter) storage.derived(key);
    if (filter == null) {
      filter = pack(weight, spec, inC, forward, exact);
      storage.keep(key, filter);
    }
    return filter;
  }

  private static PackedFilter pack(
      Tensor weight, Conv2dSpec spec, int inC, boolean forward, boolean exact) {
    Tensor w =
        weight.layout().isContiguous()
            ? weight
            : StridedCopy.of(weight, Layout.contiguous(weight.shape()));
    ConvGeometry g = geometry(spec, weight.shape());
    float[] data = FloatStorage.data(w);
    int at = w.layout().offset();
    int outC = weight.dim(0);
    return forward
        ? PackedFilter.forward(g, outC, inC, data, at, exact)
        : PackedFilter.backwardInput(g, outC, inC, data, at, exact);
  }

  private static ConvGeometry geometry(Conv2dSpec spec, Shape weight) {
    return new ConvGeometry(
        weight.dim(2),
        weight.dim(3),
        spec.strideH(),
        spec.strideW(),
        spec.padH(),
        spec.padW(),
        spec.paddingH() == Padding.CIRCULAR,
        spec.paddingW() == Padding.CIRCULAR,
        spec.groups());
  }

  private static Image image(Tensor x, int repeat) {
    Tensor t = x;
    if (x.dim(1) != 1 && x.layout().stride(1) != 1) {
      t = StridedCopy.of(x, Layout.channelsLast(x.shape()));
    }
    return new Image(FloatStorage.data(t), t.layout(), repeat);
  }
}
