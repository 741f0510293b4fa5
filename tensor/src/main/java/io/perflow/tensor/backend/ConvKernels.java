package io.perflow.tensor.backend;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Optional;

/** Convolutions of images (n, c, h, w) and their adjoints. */
public interface ConvKernels {
  /** Convolution with weights (out, in / groups, kh, kw); bias (out) may be null. */
  Tensor conv2d(Tensor x, Tensor weight, Tensor bias, Conv2dSpec spec);

  /** {@link #conv2d} plus an image of the result's shape in one pass, where the device has that. */
  default Optional<Tensor> conv2dAdding(
      Tensor addend, Tensor x, Tensor weight, Tensor bias, Conv2dSpec spec) {
    return Optional.empty();
  }

  /**
   * Whether the device reads images (n, c, h, w) in several tensors as if they were joined along
   * their channels: in {@link #joinedPointwise} and {@link NormKernels#joinedGroupNorm}.
   */
  default boolean joins(Tensor... x) {
    return false;
  }

  /** {@link #conv2d} with a kernel of 1x1, of joined images; where {@link #joins} says so. */
  default Tensor joinedPointwise(Tensor[] x, Tensor weight, Tensor bias) {
    throw new UnsupportedOperationException("images are not read as if joined");
  }

  /** Adjoint of {@link #conv2d} in x: from (n, out, oh, ow) back to {@code inputShape}. */
  Tensor conv2dBackwardInput(
      Tensor dy, Tensor weight, Tensor bias, Conv2dSpec spec, Shape inputShape);

  /** Adjoint of {@link #conv2d} in the weight. */
  Tensor conv2dBackwardWeight(Tensor x, Tensor dy, Conv2dSpec spec, Shape weightShape);
}
