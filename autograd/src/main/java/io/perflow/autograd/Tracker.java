package io.perflow.autograd;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Recorder;

/** A recorder that knows which tensors a gradient may be asked through. */
interface Tracker extends Recorder {
  /** Whether this or an enclosing recorder follows the tensor. */
  boolean tracks(Tensor tensor);
}
