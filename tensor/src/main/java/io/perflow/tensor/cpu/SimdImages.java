package io.perflow.tensor.cpu;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Padding;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.GroupNormSpec;

/** Convolution and normalisation of F32 images; results lie channels last. */
final class SimdImages {
  private SimdImages() {}

  static Tensor conv2d(Tensor x, Tensor weight, Tensor bias, Conv2dSpec spec) {
    Shape w = weight.shape();
    Shape s = x.shape();
    int oh = spec.outH(s.dim(2), w.dim(2));
    int ow = spec.outW(s.dim(3), w.dim(3));
    Tensor y = channelsLast(x, Shape.of(s.dim(0), w.dim(0), oh, ow));
    if (y.size() > 0) {
      PackedFilter filter = filter(weight, spec, s.dim(1), true);
      Tensor b = rows(bias);
      Convolution.forward(image(x), filter, vector(b), offset(b), image(y));
    }
    return y;
  }

  static Tensor conv2dBackwardInput(
      Tensor dy, Tensor weight, Tensor bias, Conv2dSpec spec, Shape inputShape) {
    Tensor dx = channelsLast(dy, inputShape);
    if (dx.size() > 0) {
      PackedFilter filter = filter(weight, spec, inputShape.dim(1), false);
      Tensor b = rows(bias);
      Convolution.backwardInput(image(dy), filter, vector(b), offset(b), image(dx));
    }
    return dx;
  }

  static Tensor conv2dBackwardWeight(Tensor x, Tensor dy, Conv2dSpec spec, Shape weightShape) {
    Tensor dw = Fresh.like(x, Layout.contiguous(weightShape));
    boolean exact = Settings.exactConvolution();
    Convolution.backwardWeight(
        geometry(spec, weightShape), image(x), image(dy), FloatStorage.data(dw), 0, exact);
    return dw;
  }

  private static Tensor channelsLast(Tensor like, Shape shape) {
    return Fresh.like(like, Layout.channelsLast(shape));
  }

  // Packed weights stay with the weights' storage until an optimiser changes them: a sampler packs
  // once, a training step once per direction.
  static PackedFilter filter(Tensor weight, Conv2dSpec spec, int inC, boolean forward) {
    boolean exact = Settings.exactConvolution();
    FloatStorage storage = (FloatStorage) weight.storage();
    PackedFilter filter = storage.packed(weight.layout(), spec, forward, exact);
    if (filter == null) {
      filter = pack(weight, spec, inC, forward, exact);
      storage.keep(weight.layout(), spec, forward, exact, filter);
    }
    return filter;
  }

  private static PackedFilter pack(
      Tensor weight, Conv2dSpec spec, int inC, boolean forward, boolean exact) {
    Tensor w =
        weight.layout().isContiguous()
            ? weight
            : SimdElementwise.copy(weight, Layout.contiguous(weight.shape()));
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

  private static Image image(Tensor x) {
    Tensor t = x;
    if (x.dim(1) != 1 && x.layout().stride(1) != 1) {
      t = SimdElementwise.copy(x, Layout.channelsLast(x.shape()));
    }
    return new Image(FloatStorage.data(t), t.layout());
  }

  // ---- group norm

  static Tensor[] groupNorm(
      Tensor x, Tensor weight, Tensor bias, Tensor scale, Tensor shift, GroupNormSpec spec) {
    Tensor in = normal(x);
    GroupNormShape shape = normShape(in, spec.groups());
    Tensor y = Fresh.like(x, denseLike(in));
    Tensor mean = Fresh.like(x, statistics(x, spec));
    Tensor rstd = Fresh.like(x, statistics(x, spec));
    if (x.size() > 0) {
      GroupNorm.forward(
          shape,
          FloatStorage.data(in),
          in.layout().offset(),
          affine(weight, bias, scale, shift),
          spec.silu(),
          (float) spec.eps(),
          FloatStorage.data(y),
          0,
          x.dim(1),
          FloatStorage.data(mean),
          0,
          FloatStorage.data(rstd),
          0);
    }
    return new Tensor[] {y, mean, rstd};
  }

  static Tensor[] groupNormBackward(
      Tensor dy,
      Tensor x,
      Tensor weight,
      Tensor bias,
      Tensor scale,
      Tensor shift,
      Tensor mean,
      Tensor rstd,
      GroupNormSpec spec) {
    Tensor in = normal(x);
    Layout dense = denseLike(in);
    Tensor grad =
        dy.layout().isDense() && dy.layout().equals(dense) ? dy : SimdElementwise.copy(dy, dense);
    int n = x.dim(0);
    int c = x.dim(1);
    Tensor dx = Fresh.like(x, dense);
    Tensor dweight = vectorOf(x, spec.affine(), Shape.of(c));
    Tensor dbias = vectorOf(x, spec.affine(), Shape.of(c));
    Tensor dscale = vectorOf(x, spec.modulated(), Shape.of(n, c));
    Tensor dshift = vectorOf(x, spec.modulated(), Shape.of(n, c));
    GroupNorm.backward(
        normShape(in, spec.groups()),
        FloatStorage.data(in),
        in.layout().offset(),
        affine(weight, bias, scale, shift),
        spec.silu(),
        FloatStorage.data(mean),
        mean.layout().offset(),
        FloatStorage.data(rstd),
        rstd.layout().offset(),
        FloatStorage.data(grad),
        grad.layout().offset(),
        c,
        FloatStorage.data(dx),
        0,
        c,
        vector(dweight),
        0,
        vector(dbias),
        0,
        vector(dscale),
        0,
        vector(dshift),
        0);
    return java.util.stream.Stream.of(dx, dweight, dbias, dscale, dshift)
        .filter(java.util.Objects::nonNull)
        .toArray(Tensor[]::new);
  }

  private static Tensor vectorOf(Tensor like, boolean wanted, Shape shape) {
    return wanted ? Fresh.like(like, Layout.contiguous(shape)) : null;
  }

  private static Layout statistics(Tensor x, GroupNormSpec spec) {
    return Layout.contiguous(Shape.of(x.dim(0), spec.groups()));
  }

  // Channels last with evenly spaced pixels, or contiguous, is read in place.
  private static Tensor normal(Tensor x) {
    boolean readable = x.layout().isContiguous() || evenPixels(x);
    return readable ? x : SimdElementwise.copy(x, Layout.contiguous(x.shape()));
  }

  private static boolean evenPixels(Tensor x) {
    if (x.rank() != 4) {
      return false;
    }
    Layout l = x.layout();
    int pixel = l.stride(3);
    return l.stride(1) == 1
        && l.stride(2) == pixel * x.dim(3)
        && l.stride(0) == pixel * x.dim(3) * x.dim(2);
  }

  private static Layout denseLike(Tensor x) {
    return x.layout().isContiguous()
        ? Layout.contiguous(x.shape())
        : Layout.channelsLast(x.shape());
  }

  private static GroupNormShape normShape(Tensor x, int groups) {
    int n = x.dim(0);
    int c = x.dim(1);
    int pixels = x.size() / Math.max(1, n * c);
    return x.layout().isContiguous()
        ? GroupNormShape.channelsFirst(n, pixels, c, groups)
        : GroupNormShape.channelsLast(n, pixels, c, groups, x.layout().stride(3));
  }

  private static Affine affine(Tensor weight, Tensor bias, Tensor scale, Tensor shift) {
    Tensor w = rows(weight);
    Tensor b = rows(bias);
    Tensor s = rows(scale);
    Tensor t = rows(shift);
    return new Affine(
        vector(w), offset(w), vector(b), offset(b), vector(s), offset(s), row(s), vector(t),
        offset(t), row(t));
  }

  // The last axis must be contiguous; rows may be apart, as the halves of one projection are.
  private static Tensor rows(Tensor x) {
    return x == null || x.layout().stride(x.rank() - 1) == 1 || x.dim(-1) == 1
        ? x
        : SimdElementwise.copy(x, Layout.contiguous(x.shape()));
  }

  private static int row(Tensor x) {
    return x == null ? 0 : x.layout().stride(0);
  }

  private static float[] vector(Tensor x) {
    return x == null ? null : FloatStorage.data(x);
  }

  private static int offset(Tensor x) {
    return x == null ? 0 : x.layout().offset();
  }
}
