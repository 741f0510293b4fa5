package io.perflow.interop;

import io.perflow.tensor.Tensor;

/** The reversal of the order of axes: in MATLAB the first axis is the fastest in memory. */
final class Axes {
  private Axes() {}

  /** Returns the extents from the last to the first. */
  static int[] reversed(int[] shape) {
    int[] backwards = new int[shape.length];
    for (int axis = 0; axis < shape.length; axis++) {
      backwards[axis] = shape[shape.length - 1 - axis];
    }
    return backwards;
  }

  /** Returns the same numbers with the axes from the last to the first; a view. */
  static Tensor reverse(Tensor x) {
    int[] order = new int[x.rank()];
    for (int axis = 0; axis < order.length; axis++) {
      order[axis] = order.length - 1 - axis;
    }
    return x.permute(order);
  }
}
