package io.perflow.nn.unet;

import io.perflow.nn.BinaryLayer;
import io.perflow.nn.Conv2d;
import io.perflow.nn.Dropout;
import io.perflow.nn.GroupNorm;
import io.perflow.nn.Initializer;
import io.perflow.nn.Linear;
import io.perflow.tensor.Images;
import io.perflow.tensor.Pool2dSpec;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Attention;

/**
 * The block of {@link SongUNet}: from x (n, in, h, w) and the features of the noise e (n, features)
 * to (n, out, h', w').
 *
 * <pre>
 * h = conv0(sample(silu(norm0(x)))) + affine(e)
 * y = (skip(sample(x)) + conv1(dropout(silu(norm1(h))))) / sqrt(2)
 * z = (y + proj(attention(qkv(norm2(y))))) / sqrt(2)     where there is attention
 * </pre>
 *
 * <p>sample is nothing, the mean of each 2x2 pixels, or each pixel 2x2 times; skip is a 1x1
 * convolution where there is a sample or the widths differ. Norms have min(32, c / 4) groups.
 * Attention has one head, in whose qkv channel 3 j + i is component j of q, k or v (i = 0, 1, 2).
 */
final class SongBlock extends BinaryLayer {
  /** What happens to the resolution. */
  enum Sample {
    NONE,
    DOWN,
    UP;

    Tensor apply(Tensor x) {
      return switch (this) {
        case NONE -> x;
        case DOWN -> Images.avgPool2d(x, Pool2dSpec.of(2));
        case UP -> Images.upsampleNearest(x, 2);
      };
    }
  }

  private static final double HALF_POWER = Math.sqrt(0.5);

  private final Sample sample;
  private final GroupNorm norm0;
  private final Conv2d conv0;
  private final Linear affine;
  private final GroupNorm norm1;
  private final Dropout dropout;
  private final Conv2d conv1;
  private final Conv2d skip; // null when x is added as it is
  private final GroupNorm norm2; // null, as qkv and proj, when there is no attention
  private final Conv2d qkv;
  private final Conv2d proj;

  SongBlock(int in, int out, int features, Sample sample, boolean attends, double rate, Rng rng) {
    this.sample = sample;
    norm0 = child("norm0", norm(in, true));
    conv0 = child("conv0", conv(in, out, 3, 1, rng.split("conv0")));
    affine = child("affine", linear(features, out, true, rng.split("affine")));
    norm1 = child("norm1", norm(out, true));
    dropout = child("dropout", Dropout.of(rate));
    conv1 = child("conv1", conv(out, out, 3, 1e-5, rng.split("conv1")));
    boolean mapped = sample != Sample.NONE || in != out;
    skip = mapped ? child("skip", conv(in, out, 1, 1, rng.split("skip"))) : null;
    norm2 = attends ? child("norm2", norm(out, false)) : null;
    qkv = attends ? child("qkv", conv(out, 3 * out, 1, Math.sqrt(0.2), rng.split("qkv"))) : null;
    proj = attends ? child("proj", conv(out, out, 1, 1e-5, rng.split("proj"))) : null;
  }

  static GroupNorm norm(int channels, boolean silu) {
    int groups = Math.min(32, channels / 4);
    return silu ? GroupNorm.silu(groups, channels, 1e-6) : GroupNorm.of(groups, channels, 1e-6);
  }

  /** A convolution with Xavier's weights times {@code scale} and a bias of zeros. */
  static Conv2d conv(int in, int out, int kernel, double scale, Rng rng) {
    int area = kernel * kernel;
    return Conv2d.of(in, out, kernel)
        .padding(kernel / 2)
        .init(Initializer.xavier(in * area, out * area, scale), Initializer.zeros())
        .build(rng);
  }

  /** A linear layer with Xavier's weights and a bias of zeros, or none. */
  static Linear linear(int in, int out, boolean bias, Rng rng) {
    return Linear.of(in, out)
        .init(Initializer.xavier(in, out, 1), bias ? Initializer.zeros() : null)
        .build(rng);
  }

  void draw(Rng rng) {
    dropout.draw(rng);
  }

  /** Inputs: x (n, in, h, w) and e (n, features). */
  @Override
  protected Tensor forward(Tensor x, Tensor e) {
    try (Scope scope = Scope.open()) {
      Tensor h = conv0.apply(sample.apply(norm0.apply(x)));
      h = h.add(affine.apply(e).reshape(h.dim(0), h.dim(1), 1, 1));
      h = conv1.apply(dropout.apply(norm1.apply(h)));
      Tensor straight = skip == null ? x : skip.apply(sample.apply(x));
      Tensor y = h.add(straight).mul(HALF_POWER);
      if (qkv != null) {
        y = proj.apply(attention(qkv.apply(norm2.apply(y)))).add(y).mul(HALF_POWER);
      }
      return scope.keep(y);
    }
  }

  private static Tensor attention(Tensor qkv) {
    int n = qkv.dim(0);
    int c = qkv.dim(1) / 3;
    // (3, n, head, pixels, c)
    Tensor parts = qkv.reshape(n, 1, c, 3, qkv.dim(2) * qkv.dim(3)).permute(3, 0, 1, 4, 2);
    Tensor y = Attention.of(parts.select(0, 0), parts.select(0, 1), parts.select(0, 2));
    return y.transpose().reshape(n, c, qkv.dim(2), qkv.dim(3));
  }

  /** Scores and their products with the values: each pixels x pixels x c. */
  @Override
  protected long multiplyAdds(Tensor[] inputs, Tensor output) {
    long pixels = (long) output.dim(2) * output.dim(3);
    return qkv == null ? 0 : 2L * output.dim(0) * pixels * pixels * output.dim(1);
  }
}
