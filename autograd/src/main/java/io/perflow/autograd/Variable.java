package io.perflow.autograd;

import io.perflow.tensor.Tensor;

/**
 * The place of one watched or derived tensor in a recording, where its gradient is summed. It does
 * not hold the tensor, whose memory may be recycled long before the reverse pass.
 */
final class Variable {
  private Tensor gradient;

  /** Returns the sum of the gradients so far, or null. */
  Tensor gradient() {
    return gradient;
  }

  /**
   * Adds a gradient: the first is taken as it is, in any layout, and kept by a separate reference,
   * so that the scope in which it was made may close.
   */
  void accumulate(Tensor more) {
    Tensor sum = gradient == null ? more : gradient.add(more);
    sum.storage().retain();
    drop();
    gradient = sum;
  }

  /** Releases the gradient. */
  void drop() {
    if (gradient != null) {
      gradient.storage().release();
      gradient = null;
    }
  }

  /** Returns the gradient, or null; its reference passes to the caller. */
  Tensor take() {
    Tensor taken = gradient;
    gradient = null;
    return taken;
  }
}
