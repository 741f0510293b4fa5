package io.perflow.tensor.backend;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.GroupNormSpec;

/** Kernels of normalisations of images. */
public interface NormKernels {
  /**
   * Normalises groups of channels and applies what follows in {@link GroupNormSpec}.
   *
   * @return the result, mean (n, groups) and 1 / sqrt(variance + eps) (n, groups)
   */
  Tensor[] groupNorm(
      Tensor x, Tensor weight, Tensor bias, Tensor scale, Tensor shift, GroupNormSpec spec);

  /**
   * Returns the gradients of {@link #groupNorm}.
   *
   * @return those of x, then weight and bias if affine, then scale and shift if modulated
   */
  Tensor[] groupNormBackward(
      Tensor dy,
      Tensor x,
      Tensor weight,
      Tensor bias,
      Tensor scale,
      Tensor shift,
      Tensor mean,
      Tensor rstd,
      GroupNormSpec spec);
}
