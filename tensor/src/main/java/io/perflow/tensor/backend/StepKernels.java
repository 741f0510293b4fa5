package io.perflow.tensor.backend;

import io.perflow.tensor.Tensor;
import java.util.Optional;

/**
 * Kernels of sampler steps that keep given values, means or the divergence, fused into few passes.
 */
public interface StepKernels {
  /**
   * Returns x + weight (d - share mean(d)) with d = to - from where free is not zero, otherwise 0,
   * and the mean over sorted axes; x + weight d without axes. The result has the shape of {@code
   * to}, to which the others broadcast.
   */
  Tensor advance(
      Tensor x, Tensor to, Tensor from, Tensor free, Tensor share, int[] axes, double weight);

  /**
   * Returns x + weight (v - F⁻¹ n (n · F v)) for x, which may be null for 0, and v (b, 2 f, h, w)
   * and complex directions n (2, 1, h, w / 2 + 1, 2) of their modes.
   *
   * @return empty when the device has no such kernel for these sizes; the operation is then
   *     composed of transforms and products
   */
  default Optional<Tensor> advanceTransverse(Tensor x, Tensor v, Tensor n, double weight) {
    return Optional.empty();
  }
}
