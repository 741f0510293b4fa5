package io.perflow.tensor.cpu.norm;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
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
    return FloatStorage.holds(x)
        ? forward(normal(x), weight, bias, scale, shift, spec)
        : super.groupNorm(x, weight, bias, scale, shift, spec);
  }

  @Override
  public Tensor[] joinedGroupNorm(Tensor[] x, Tensor weight, Tensor bias, GroupNormSpec spec) {
    return forward(normal(x), weight, bias, null, null, spec);
  }

  // x: what normal returns
  private static Tensor[] forward(
      Tensor[] x, Tensor weight, Tensor bias, Tensor scale, Tensor shift, GroupNormSpec spec) {
    GroupNormShape shape = normShape(x, spec.groups());
    Tensor y = Fresh.like(x[0], denseLike(x[0], shape.channels()));
    Tensor mean = Fresh.like(x[0], statistics(shape));
    Tensor rstd = Fresh.like(x[0], statistics(shape));
    if (y.size() > 0) {
      GroupNorm.forward(
          shape,
          channels(x),
          affine(weight, bias, scale, shift),
          spec.silu(),
          (float) spec.eps(),
          Channels.dense(FloatStorage.data(y), shape.channels()),
          FloatStorage.data(mean),
          0,
          FloatStorage.data(rstd),
          0);
    }
    return new Tensor[] {y, mean, rstd};
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
    return FloatStorage.holds(x) && x.size() > 0
        ? backward(dy, normal(x), weight, bias, scale, shift, mean, rstd, spec)
        : super.groupNormBackward(dy, x, weight, bias, scale, shift, mean, rstd, spec);
  }

  @Override
  public Tensor[] joinedGroupNormBackward(
      Tensor dy,
      Tensor[] x,
      Tensor weight,
      Tensor bias,
      Tensor mean,
      Tensor rstd,
      GroupNormSpec spec) {
    return backward(dy, normal(x), weight, bias, null, null, mean, rstd, spec);
  }

  // x: what normal returns
  private static Tensor[] backward(
      Tensor dy,
      Tensor[] x,
      Tensor weight,
      Tensor bias,
      Tensor scale,
      Tensor shift,
      Tensor mean,
      Tensor rstd,
      GroupNormSpec spec) {
    GroupNormShape shape = normShape(x, spec.groups());
    Layout dense = denseLike(x[0], shape.channels());
    Tensor grad =
        dy.layout().isDense() && dy.layout().equals(dense) ? dy : StridedCopy.of(dy, dense);
    List<Tensor> gradients = new ArrayList<>();
    Channels[] dx = new Channels[x.length];
    for (int i = 0; i < x.length; i++) {
      Tensor part = Fresh.like(x[i], denseLike(x[i], x[i].dim(1)));
      dx[i] = Channels.dense(FloatStorage.data(part), x[i].dim(1));
      gradients.add(part);
    }
    Shape perChannel = Shape.of(shape.channels());
    Shape perImage = Shape.of(shape.n(), shape.channels());
    GroupNorm.backward(
        shape,
        channels(x),
        affine(weight, bias, scale, shift),
        spec.silu(),
        FloatStorage.data(mean),
        mean.layout().offset(),
        FloatStorage.data(rstd),
        rstd.layout().offset(),
        new Channels(
            FloatStorage.data(grad), grad.layout().offset(), shape.channels(), shape.channels()),
        dx,
        added(gradients, spec.affine(), perChannel),
        added(gradients, spec.affine(), perChannel),
        added(gradients, spec.modulated(), perImage),
        added(gradients, spec.modulated(), perImage));
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

  private static Layout statistics(GroupNormShape shape) {
    return Layout.contiguous(Shape.of(shape.n(), shape.groups()));
  }

  // Channels last with evenly spaced pixels is read in place; one image may also be contiguous.
  private static Tensor[] normal(Tensor... x) {
    Tensor[] in = x.clone();
    for (int i = 0; i < in.length; i++) {
      if (in.length > 1 && !evenPixels(in[i])) {
        in[i] = StridedCopy.of(in[i], Layout.channelsLast(in[i].shape()));
      } else if (!evenPixels(in[i]) && !in[i].layout().isContiguous()) {
        in[i] = StridedCopy.of(in[i], Layout.contiguous(in[i].shape()));
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

  private static Layout denseLike(Tensor x, int channels) {
    Shape shape = x.shape().with(1, channels);
    return x.layout().isContiguous() && channels == x.dim(1)
        ? Layout.contiguous(shape)
        : Layout.channelsLast(shape);
  }

  private static GroupNormShape normShape(Tensor[] x, int groups) {
    int n = x[0].dim(0);
    int c = 0;
    for (Tensor part : x) {
      c += part.dim(1);
    }
    int pixels = x[0].size() / Math.max(1, n * x[0].dim(1));
    boolean first = x.length == 1 && x[0].layout().isContiguous();
    return new GroupNormShape(n, pixels, c, groups, first);
  }

  private static Channels[] channels(Tensor[] x) {
    Channels[] channels = new Channels[x.length];
    for (int i = 0; i < x.length; i++) {
      Layout l = x[i].layout();
      int stride = x[i].rank() == 4 ? l.stride(3) : 0; // others have their channels first
      channels[i] = new Channels(FloatStorage.data(x[i]), l.offset(), stride, x[i].dim(1));
    }
    return channels;
  }

  private static Affine affine(Tensor weight, Tensor bias, Tensor scale, Tensor shift) {
    return new Affine(
        FloatRows.of(weight), FloatRows.of(bias), FloatRows.of(scale), FloatRows.of(shift));
  }
}
