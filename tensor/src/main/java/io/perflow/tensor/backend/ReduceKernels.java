package io.perflow.tensor.backend;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.ReduceKind;

/** Kernels of reductions along axes, and of running sums. */
public interface ReduceKernels {
  /** Reduces over sorted axes. */
  Tensor reduce(ReduceKind kind, Tensor x, int[] axes, boolean keep);

  /** Returns the position of the first largest element along an axis (a NaN counts as largest). */
  Tensor argmax(Tensor x, int axis, boolean keep);

  /** Returns the running sums along an axis. */
  Tensor cumulativeSum(Tensor x, int axis);
}
