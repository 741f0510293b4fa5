package io.perflow.tensor.backend;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/** Kernels that move elements, and add them where several arrive at one place. */
public interface MovementKernels {
  /** Joins tensors along an axis. */
  Tensor concat(Tensor[] parts, int axis);

  /** Puts x into zeros of {@code shape}: element i of axis a lands at starts[a] + i * steps[a]. */
  Tensor scatter(Tensor x, Shape shape, int[] starts, int[] steps);

  /** Returns the entries of an axis that the index lists, in its order. */
  Tensor gather(Tensor x, int axis, int[] index);

  /**
   * Returns the adjoint of {@link #gather}: adds entry i of x to entry index[i] of an axis of given
   * size.
   */
  Tensor scatterAdd(Tensor x, int axis, int[] index, int size);
}
