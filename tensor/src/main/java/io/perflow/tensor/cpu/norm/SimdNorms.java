package io.perflow.tensor.cpu.norm;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.NormedImages;
import io.perflow.tensor.cpu.memory.FloatRows;
import io.perflow.tensor.cpu.memory.FloatStorage;
import io.perflow.tensor.cpu.memory.Fresh;
import io.perflow.tensor.cpu.memory.StridedCopy;
import io.perflow.tensor.op.GroupNormSpec;
import java.util.ArrayList;
import java.util.List;

/** Group normalisation of F32 tensors. */
public final class SimdNorms extends ScalarNorms {
  @Override
  public Tensor[] groupNorm(
      Tensor x, Tensor weight, Tensor bias, Tensor scale, Tensor shift, GroupNormSpec spec) {
    if (!FloatStorage.holds(x)) {
      return super.groupNorm(x, weight, bias, scale, shift, spec);
    }
    Tensor in = normal(x);
    Tensor y = Fresh.like(x, denseLike(in));
    Tensor mean = Fresh.like(x, statistics(x, spec));
    Tensor rstd = Fresh.like(x, statistics(x, spec));
    if (x.size() > 0) {
      GroupNorm.forward(
          normShape(spec.groups(), in),
          channels(in)[0],
          affine(weight, bias, scale, shift),
          spec.silu(),
          (float) spec.eps(),
          Channels.dense(FloatStorage.data(y), x.dim(1)),
          FloatStorage.data(mean),
          FloatStorage.data(rstd));
    }
    return new Tensor[] {y, mean, rstd};
  }

  /** Fresh tensors (n, groups) for mean and 1 / sqrt(variance + eps) of {@link #rows}. */
  public static Tensor freshStatistics(NormedImages x) {
    return Fresh.like(x.images()[0], statistics(x.images()[0], x.spec()));
  }

  /**
   * The rows of the images after the norm.
   *
   * @param known whether mean and rstd hold the statistics, which are else computed
   */
  public static NormedRows rows(NormedImages x, Tensor mean, Tensor rstd, boolean known) {
    Tensor[] images = channelsLast(x.images());
    GroupNormShape shape = normShape(x.spec().groups(), images);
    Channels[] channels = channels(images);
    FloatRows means = new FloatRows(FloatStorage.data(mean), mean.layout().offset(), 0);
    FloatRows rstds = new FloatRows(FloatStorage.data(rstd), rstd.layout().offset(), 0);
    if (!known) {
      GroupNorm.statistics(shape, channels, (float) x.spec().eps(), means.data(), rstds.data());
    }
    Affine affine = affine(x.weight(), x.bias(), x.scale(), x.shift());
    return new NormedRows(
        shape, images[0].dim(2), images[0].dim(3), channels, affine, means, rstds);
  }

  @Override
  public Tensor[] groupNormBackward(
      Tensor dy,
      Tensor x,
      Tensor weight,
      Tensor bias,
      Tensor scale,
      Tensor shift,
      Tensor mean,
      Tensor rstd,
      GroupNormSpec spec) {
    if (!FloatStorage.holds(x) || x.size() == 0) {
      return super.groupNormBackward(dy, x, weight, bias, scale, shift, mean, rstd, spec);
    }
    Tensor in = normal(x);
    Layout dense = denseLike(in);
    Tensor grad =
        dy.layout().isDense() && dy.layout().equals(dense) ? dy : StridedCopy.of(dy, dense);
    int c = x.dim(1);
    Channels from = new Channels(FloatStorage.data(grad), grad.layout().offset(), c, 0, c);
    return backward(
        from,
        new NormedImages(new Tensor[] {in}, weight, bias, scale, shift, spec),
        mean,
        rstd,
        Fresh.like(x, dense));
  }

  /**
   * Gradients of images, weight, bias, scale and shift.
   *
   * @param dx channels last and dense: the gradients of what the norm made of the images, which
   *     become those of the images
   */
  public static Tensor[] backward(NormedImages x, Tensor mean, Tensor rstd, Tensor... dx) {
    Tensor[] images = channelsLast(x.images());
    NormedImages in =
        new NormedImages(images, x.weight(), x.bias(), x.scale(), x.shift(), x.spec());
    return backward(null, in, mean, rstd, dx);
  }

  // dy: null where it lies in dx
  private static Tensor[] backward(
      Channels dy, NormedImages x, Tensor mean, Tensor rstd, Tensor... dx) {
    GroupNormShape shape = normShape(x.spec().groups(), x.images());
    List<Tensor> gradients = new ArrayList<>(List.of(dx));
    Channels[] to = channels(dx);
    boolean affine = x.spec().affine();
    boolean modulated = x.spec().modulated();
    Shape perChannel = Shape.of(shape.channels());
    Shape perImage = Shape.of(shape.n(), shape.channels());
    GroupNorm.backward(
        shape,
        channels(x.images()),
        affine(x.weight(), x.bias(), x.scale(), x.shift()),
        x.spec().silu(),
        FloatStorage.data(mean),
        mean.layout().offset(),
        FloatStorage.data(rstd),
        rstd.layout().offset(),
        dy == null ? to : new Channels[] {dy},
        to,
        added(gradients, affine, perChannel),
        added(gradients, affine, perChannel),
        added(gradients, modulated, perImage),
        added(gradients, modulated, perImage));
    return gradients.toArray(Tensor[]::new);
  }

  /** The numbers of one more gradient, or null where it is not wanted. */
  private static float[] added(List<Tensor> gradients, boolean wanted, Shape shape) {
    if (!wanted) {
      return null;
    }
    Tensor gradient = Fresh.like(gradients.getFirst(), Layout.contiguous(shape));
    gradients.add(gradient);
    return FloatStorage.data(gradient);
  }

  private static Layout statistics(Tensor x, GroupNormSpec spec) {
    return Layout.contiguous(Shape.of(x.dim(0), spec.groups()));
  }

  // Channels last with evenly spaced pixels, or contiguous, is read in place.
  private static Tensor normal(Tensor x) {
    boolean readable = x.layout().isContiguous() || evenPixels(x);
    return readable ? x : StridedCopy.of(x, Layout.contiguous(x.shape()));
  }

  /** The images themselves where their channels come last and their pixels are evenly spaced. */
  private static Tensor[] channelsLast(Tensor... x) {
    Tensor[] in = x;
    for (int i = 0; i < x.length; i++) {
      if (!evenPixels(x[i])) {
        in = in == x ? x.clone() : in;
        in[i] = StridedCopy.of(x[i], Layout.channelsLast(x[i].shape()));
      }
    }
    return in;
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

  private static GroupNormShape normShape(int groups, Tensor... x) {
    int n = x[0].dim(0);
    int c = 0;
    for (Tensor part : x) {
      c += part.dim(1);
    }
    int pixels = x[0].size() / Math.max(1, n * x[0].dim(1));
    boolean first = !evenPixels(x[0]) || x.length == 1 && x[0].layout().isContiguous();
    return new GroupNormShape(n, pixels, c, groups, first);
  }

  private static Channels[] channels(Tensor... x) {
    Channels[] channels = new Channels[x.length];
    int first = 0;
    for (int i = 0; i < x.length; i++) {
      Layout l = x[i].layout();
      int c = x[i].dim(1);
      int stride = x[i].rank() == 4 ? l.stride(3) : c; // others have their channels first
      channels[i] = new Channels(FloatStorage.data(x[i]), l.offset(), stride, first, c);
      first += c;
    }
    return channels;
  }

  private static Affine affine(Tensor weight, Tensor bias, Tensor scale, Tensor shift) {
    return new Affine(
        FloatRows.of(weight), FloatRows.of(bias), FloatRows.of(scale), FloatRows.of(shift));
  }
}
