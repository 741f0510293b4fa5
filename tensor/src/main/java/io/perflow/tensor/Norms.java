package io.perflow.tensor;

import io.perflow.tensor.op.GroupNorm;
import io.perflow.tensor.op.GroupNormSpec;

/** Normalisations of tensors. Weight and bias may both be null; they belong to axis c. */
public final class Norms {
  private Norms() {}

  /** Normalises each group of channels of x (n, c, …) to zero mean and unit variance. */
  public static Tensor groupNorm(Tensor x, int groups, Tensor weight, Tensor bias, double eps) {
    return group(x, groups, weight, bias, eps, false);
  }

  /** Applies {@link #groupNorm} and then SiLU, in one pass. */
  public static Tensor groupNormSilu(Tensor x, int groups, Tensor weight, Tensor bias, double eps) {
    return group(x, groups, weight, bias, eps, true);
  }

  private static Tensor group(
      Tensor x, int groups, Tensor weight, Tensor bias, double eps, boolean silu) {
    Check.that(
        (weight == null) == (bias == null), "group_norm", "needs weight and bias, or neither");
    GroupNorm op = new GroupNorm(new GroupNormSpec(groups, eps, weight != null, false, silu));
    return weight == null ? op.apply(x) : op.apply(x, weight, bias);
  }

  /** Normalises the last axis to zero mean and unit variance, times weight plus bias. */
  public static Tensor layerNorm(Tensor x, Tensor weight, Tensor bias, double eps) {
    Check.that(
        (weight == null) == (bias == null), "layer_norm", "needs weight and bias, or neither");
    Tensor centred = x.sub(x.mean(true, -1));
    Tensor normal = centred.mul(centred.square().mean(true, -1).add(eps).rsqrt());
    return weight == null ? normal : normal.mul(weight).add(bias);
  }

  /** Returns x / sqrt(mean(x^2) + eps) along the last axis, times weight (may be null). */
  public static Tensor rmsNorm(Tensor x, Tensor weight, double eps) {
    Tensor normal = x.mul(x.square().mean(true, -1).add(eps).rsqrt());
    return weight == null ? normal : normal.mul(weight);
  }

  /**
   * Returns (x - mean) / sqrt(variance + eps) per channel of x (n, c, …), with statistics (c) from
   * the batch or from running averages, times weight plus bias (c).
   */
  public static Tensor batchNorm(
      Tensor x, Tensor mean, Tensor variance, Tensor weight, Tensor bias, double eps) {
    int[] perChannel = new int[x.rank()];
    java.util.Arrays.fill(perChannel, 1);
    perChannel[1] = x.dim(1);
    Tensor gain = variance.add(eps).rsqrt();
    if (weight != null) {
      gain = gain.mul(weight);
    }
    Tensor normal = x.sub(mean.reshape(perChannel)).mul(gain.reshape(perChannel));
    return bias == null ? normal : normal.add(bias.reshape(perChannel));
  }
}
