package io.perflow.tensor.backend;

import io.perflow.tensor.Tensor;
import java.util.Optional;

/** Kernels of matrix products. */
public interface GemmKernels {
  /** Multiplies matrices over the last two axes, batched and broadcast over the others. */
  Tensor matmul(Tensor a, Tensor b);

  /**
   * Returns x W' + bias in one pass, for x (…, in), weight (out, in) and bias (out) or null.
   *
   * @return empty when the device has no such kernel; the operation is then a product and a sum
   */
  default Optional<Tensor> linear(Tensor x, Tensor weight, Tensor bias) {
    return Optional.empty();
  }
}
