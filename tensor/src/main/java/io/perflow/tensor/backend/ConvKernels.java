package io.perflow.tensor.backend;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Optional;

/** Kernels of convolutions of images (n, c, h, w) and of their adjoints. */
public interface ConvKernels {
  /** Convolves images with weights (out, in / groups, kh, kw); bias (out) may be null. */
  Tensor conv2d(Tensor x, Tensor weight, Tensor bias, Conv2dSpec spec);

  /** Adds an image of the result's shape to {@link #conv2d} in one pass, where the device can. */
  default Optional<Tensor> conv2dAdding(
      Tensor addend, Tensor x, Tensor weight, Tensor bias, Conv2dSpec spec) {
    return Optional.empty();
  }

  /** Returns whether the device has {@link #joinedConv2d} for these images and weights. */
  default boolean joins(Tensor[] x, Tensor weight, Conv2dSpec spec) {
    return false;
  }

  /**
   * Applies {@link #conv2d} to images joined along their channels, which are read where they are.
   */
  default Tensor joinedConv2d(Tensor[] x, Tensor weight, Tensor bias, Conv2dSpec spec) {
    throw new UnsupportedOperationException("[conv2d] reads one image");
  }

  /** Returns whether the device has {@link #normedConv2d} for these images and weights. */
  default boolean norms(Tensor[] x, Tensor weight, Conv2dSpec spec) {
    return false;
  }

  /**
   * Applies {@link #conv2d} to images that are joined, normalised and put through SiLU while they
   * are read.
   *
   * @param addend an image to add to the result, or null
   * @return the result, and the norm's mean (n, groups) and 1 / sqrt(variance + eps) (n, groups)
   */
  default Tensor[] normedConv2d(
      NormedImages x, Tensor weight, Tensor bias, Tensor addend, Conv2dSpec spec) {
    throw new UnsupportedOperationException("[conv2d] reads what has been normalised");
  }

  /**
   * Returns the gradients of {@link #normedConv2d}.
   *
   * @return those of every image, then of weight and bias of the norm, then of scale and shift if
   *     modulated
   */
  default Tensor[] normedConv2dBackward(
      Tensor dy, NormedImages x, Tensor mean, Tensor rstd, Tensor weight, Conv2dSpec spec) {
    throw new UnsupportedOperationException("[conv2d] reads what has been normalised");
  }

  /** Returns the adjoint of {@link #normedConv2d} in the weight of the convolution. */
  default Tensor normedConv2dBackwardWeight(
      Tensor dy, NormedImages x, Tensor mean, Tensor rstd, Conv2dSpec spec, Shape weightShape) {
    throw new UnsupportedOperationException("[conv2d] reads what has been normalised");
  }

  /**
   * Returns the adjoint of {@link #conv2d} in x: from (n, out, oh, ow) back to {@code inputShape}.
   */
  Tensor conv2dBackwardInput(
      Tensor dy, Tensor weight, Tensor bias, Conv2dSpec spec, Shape inputShape);

  /** Returns the adjoint of {@link #conv2d} in the weight. */
  Tensor conv2dBackwardWeight(Tensor x, Tensor dy, Conv2dSpec spec, Shape weightShape);
}
