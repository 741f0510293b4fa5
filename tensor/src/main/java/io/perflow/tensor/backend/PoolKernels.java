package io.perflow.tensor.backend;

import io.perflow.tensor.Pool2dSpec;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/** Kernels of pooling and up-sampling of images (n, c, h, w), and of their adjoints. */
public interface PoolKernels {
  /**
   * Returns the largest of each window.
   *
   * @return the result and, per entry, the position h * w + w of the first largest
   */
  Tensor[] maxPool2d(Tensor x, Pool2dSpec spec);

  /** Sends each gradient to the position that was largest in its window. */
  Tensor maxPool2dBackward(Tensor dy, Tensor positions, Shape inputShape);

  /** Returns the mean of each window. */
  Tensor avgPool2d(Tensor x, Pool2dSpec spec);

  /** Returns the adjoint of {@link #avgPool2d}. */
  Tensor avgPool2dBackward(Tensor dy, Pool2dSpec spec, Shape inputShape);

  /** Repeats every pixel factor x factor times. */
  Tensor upsampleNearest(Tensor x, int factor);

  /** Returns the adjoint of {@link #upsampleNearest}: the sum over each factor x factor block. */
  Tensor upsampleNearestBackward(Tensor dy, int factor);
}
