package io.perflow.tensor.backend;

import io.perflow.tensor.Tensor;
import java.util.Optional;

/** Matrix products. */
public interface GemmKernels {
  /** Matrix products over the last two axes, batched and broadcast over the others. */
  Tensor matmul(Tensor a, Tensor b);

  /**
   * Returns x W' + bias for x (…, in), weight (out, in) and bias (out) or null, in one pass.
   *
   * @return empty when the device has no such kernel; the operation is then a product and a sum
   */
  default Optional<Tensor> linear(Tensor x, Tensor weight, Tensor bias) {
    return Optional.empty();
  }
}
