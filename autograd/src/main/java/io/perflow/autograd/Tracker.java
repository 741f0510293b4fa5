package io.perflow.autograd;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Recorder;

/** A recorder that knows through which tensors gradients may flow. */
interface Tracker extends Recorder {
  /** Returns whether this or an enclosing recorder follows the tensor. */
  boolean tracks(Tensor tensor);
}
