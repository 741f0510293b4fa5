package io.perflow.tensor.backend;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/** Convolutions of images (n, c, h, w) and their adjoints. */
public interface ConvKernels {
  /** Convolution with weights (out, in / groups, kh, kw); bias (out) may be null. */
  Tensor conv2d(Tensor x, Tensor weight, Tensor bias, Conv2dSpec spec);

  /** Adjoint of {@link #conv2d} in x: from (n, out, oh, ow) back to {@code inputShape}. */
  Tensor conv2dBackwardInput(
      Tensor dy, Tensor weight, Tensor bias, Conv2dSpec spec, Shape inputShape);

  /** Adjoint of {@link #conv2d} in the weight. */
  Tensor conv2dBackwardWeight(Tensor x, Tensor dy, Conv2dSpec spec, Shape weightShape);
}
