package io.perflow.nn;

import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.GroupNormSpec;

/**
 * Group normalisation (Wu and He, 2018) fused with the operations that follow it in a residual
 * block:
 *
 * <pre>
 * z = (x - mean) / sqrt(variance + eps) * weight + bias     over each group of channels
 * y = act(z)                        for one input, x (n, c, …)
 * y = act(z (1 + scale) + shift)    for three, x and scale and shift (n, c), or for two,
 *                                   x and (n, 2 c) that holds scale and then shift
 * </pre>
 *
 * <p>act is SiLU or nothing. The parameters are {@code weight} (c), ones at first, and {@code bias}
 * (c), zeros at first.
 */
public final class GroupNorm extends Layer {
  /** The default eps of PyTorch. */
  private static final double EPS = 1e-5;

  private final int channels;
  private final io.perflow.tensor.op.GroupNorm plain;
  private final io.perflow.tensor.op.GroupNorm modulated;
  private final ModulatedNorm joined;
  private final Parameter weight;
  private final Parameter bias;

  private GroupNorm(int groups, int channels, double eps, boolean silu) {
    if (groups < 1 || channels % groups != 0) {
      throw new ShapeException(
          "group_norm", "%d channels are not a multiple of %d groups".formatted(channels, groups));
    }
    this.channels = channels;
    plain = new io.perflow.tensor.op.GroupNorm(new GroupNormSpec(groups, eps, true, false, silu));
    GroupNormSpec spec = new GroupNormSpec(groups, eps, true, true, silu);
    modulated = new io.perflow.tensor.op.GroupNorm(spec);
    joined = new ModulatedNorm(spec);
    weight = parameter("weight", Tensor.ones(channels));
    bias = parameter("bias", Tensor.zeros(channels));
  }

  /** Returns a normalisation without activation. */
  public static GroupNorm of(int groups, int channels) {
    return of(groups, channels, EPS);
  }

  /** Returns a normalisation without activation, with another eps than 1e-5. */
  public static GroupNorm of(int groups, int channels, double eps) {
    return new GroupNorm(groups, channels, eps, false);
  }

  /** Returns a normalisation followed by SiLU. */
  public static GroupNorm silu(int groups, int channels) {
    return silu(groups, channels, EPS);
  }

  /** Returns a normalisation followed by SiLU, with another eps than 1e-5. */
  public static GroupNorm silu(int groups, int channels, double eps) {
    return new GroupNorm(groups, channels, eps, true);
  }

  /** Returns the norm of x (n, c, …). */
  public Tensor apply(Tensor x) {
    return run(x);
  }

  /** Returns the norm of x (n, c, …), modulated by scale and shift joined (n, 2 c). */
  public Tensor apply(Tensor x, Tensor scaleAndShift) {
    return run(x, scaleAndShift);
  }

  /** Returns the norm of x (n, c, …), modulated by scale and shift, each (n, c). */
  public Tensor apply(Tensor x, Tensor scale, Tensor shift) {
    return run(x, scale, shift);
  }

  /** Returns the options of {@link #apply} without modulation or with a joined one. */
  GroupNormSpec spec(boolean isModulated) {
    return isModulated ? modulated.spec() : plain.spec();
  }

  Tensor weight() {
    return weight.value();
  }

  Tensor bias() {
    return bias.value();
  }

  /** Takes the inputs of one of the three {@code apply} methods. */
  @Override
  protected Tensor forward(Tensor... inputs) {
    takes(1, 3, inputs);
    Tensor x = inputs[0];
    if (x.rank() < 2 || x.dim(1) != channels) {
      throw new ShapeException(
          "group_norm", "input %s must be (n, %d, …)%s".formatted(x.shape(), channels, where()));
    }
    if (inputs.length == 1) {
      return plain.apply(x, weight.value(), bias.value());
    }
    boolean two = inputs.length == 2;
    Shape expected = Shape.of(x.dim(0), two ? 2 * channels : channels);
    for (int i = 1; i < inputs.length; i++) {
      if (!inputs[i].shape().equals(expected)) {
        throw new ShapeException(
            "group_norm",
            two
                ? "scale with shift must be %s%s".formatted(expected, where())
                : "scale and shift must both be %s%s".formatted(expected, where()));
      }
    }
    return two
        ? joined.apply(x, weight.value(), bias.value(), inputs[1])
        : modulated.apply(x, weight.value(), bias.value(), inputs[1], inputs[2]);
  }
}
