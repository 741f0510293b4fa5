package io.perflow.tensor.cpu.norm;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.cpu.memory.FloatRows;
import io.perflow.tensor.cpu.memory.FloatStorage;
import io.perflow.tensor.cpu.memory.Fresh;
import io.perflow.tensor.cpu.memory.StridedCopy;
import io.perflow.tensor.op.GroupNormSpec;
import java.util.Objects;
import java.util.stream.Stream;

/** Group normalisation of F32 tensors. */
public final class SimdNorms extends ScalarNorms {
  @Override
  public Tensor[] groupNorm(
      Tensor x, Tensor weight, Tensor bias, Tensor scale, Tensor shift, GroupNormSpec spec) {
    if (!FloatStorage.holds(x)) {
      return super.groupNorm(x, weight, bias, scale, shift, spec);
    }
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
    return Stream.of(dx, dweight, dbias, dscale, dshift)
        .filter(Objects::nonNull)
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
    return readable ? x : StridedCopy.of(x, Layout.contiguous(x.shape()));
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
    return new Affine(
        FloatRows.of(weight), FloatRows.of(bias), FloatRows.of(scale), FloatRows.of(shift));
  }

  private static float[] vector(Tensor x) {
    return x == null ? null : FloatStorage.data(x);
  }
}
