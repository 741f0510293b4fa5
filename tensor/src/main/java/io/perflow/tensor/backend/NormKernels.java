package io.perflow.tensor.backend;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.GroupNormSpec;

/** Normalisation of images. */
public interface NormKernels {
  /**
   * Group norm with what follows it, see {@link GroupNormSpec}; x (n, c, any axes), weight and bias
   * (c), scale and shift (n, c), each null when the spec says so.
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
