package io.perflow.autograd;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Op;
import io.perflow.tensor.op.Saved;
import io.perflow.tensor.op.Vjp;

/**
 * A recorded operation: the places of its inputs and its result, and the tensors that its gradient
 * uses.
 */
final class Node implements Vjp {
  private final Op op;
  private final Shape[] shapes;
  private final Variable[] inputs; // null where no gradient is needed
  private final Variable output;
  private final Tensor[] savedInputs;
  private final Tensor[] savedOutputs;
  private boolean released;

  Node(Op op, Tensor[] in, Tensor[] out, Variable[] inputs, Variable output) {
    this.op = op;
    this.inputs = inputs;
    this.output = output;
    shapes = new Shape[in.length];
    savedInputs = new Tensor[in.length];
    savedOutputs = new Tensor[out.length];
    int needed = 0;
    for (int i = 0; i < in.length; i++) {
      shapes[i] = in[i].shape();
      needed |= needs(i) && i < Integer.SIZE ? 1 << i : 0;
    }
    Saved saved = op.saved(needed);
    for (int i = 0; i < in.length; i++) {
      if (saved.input(i)) {
        savedInputs[i] = retained(in[i]);
      }
    }
    for (int i = 0; i < out.length; i++) {
      if (saved.output(i)) {
        savedOutputs[i] = retained(out[i]);
      }
    }
  }

  /** Returns the places of the inputs, with null where no gradient is needed. */
  Variable[] inputs() {
    return inputs;
  }

  private static Tensor retained(Tensor tensor) {
    tensor.storage().retain();
    return tensor;
  }

  /**
   * Propagates the gradient of the result to the inputs and releases it. Intermediate results of
   * the rule are recycled here; the variables keep the gradients of the inputs.
   */
  void propagate() {
    if (output.gradient() == null) {
      return; // the scalar does not depend on this result
    }
    try (Scope _ = Scope.open()) {
      Tensor[] gradients = op.vjp(this);
      check(gradients);
      for (int i = 0; i < inputs.length; i++) {
        if (inputs[i] != null && gradients[i] != null) {
          inputs[i].accumulate(gradients[i]);
        }
      }
    } finally {
      output.drop();
    }
  }

  // Users write rules too, so a wrong one is named here and not where its gradient is used.
  private void check(Tensor[] gradients) {
    if (gradients.length != inputs.length) {
      throw new IllegalStateException(
          "[%s] vjp returned %d gradients for %d inputs"
              .formatted(op.name(), gradients.length, inputs.length));
    }
    for (int i = 0; i < inputs.length; i++) {
      if (needs(i) && gradients[i] != null && !gradients[i].shape().equals(shapes[i])) {
        throw new IllegalStateException(
            "[%s] vjp returned a gradient of shape %s for input %d of shape %s"
                .formatted(op.name(), gradients[i].shape(), i, shapes[i]));
      }
    }
  }

  /** Releases the saved tensors and a gradient that was not fetched. */
  void release() {
    if (!released) {
      released = true;
      release(savedInputs);
      release(savedOutputs);
      output.drop();
    }
  }

  /** Releases a gradient that an interrupted pass has left here. */
  void dropGradient() {
    output.drop();
  }

  private static void release(Tensor[] saved) {
    for (int i = 0; i < saved.length; i++) {
      if (saved[i] != null) {
        saved[i].storage().release();
        saved[i] = null;
      }
    }
  }

  // ---- what the gradient rule sees

  @Override
  public Tensor grad() {
    return output.gradient();
  }

  @Override
  public Tensor input(int i) {
    return named(savedInputs, i, "input");
  }

  @Override
  public Tensor output(int i) {
    return named(savedOutputs, i, "output");
  }

  private Tensor named(Tensor[] saved, int i, String what) {
    if (saved[i] == null) {
      throw new IllegalStateException(
          "[%s] vjp reads %s %d, which saved() does not name".formatted(op.name(), what, i));
    }
    return saved[i];
  }

  @Override
  public Shape shape(int i) {
    return shapes[i];
  }

  @Override
  public int count() {
    return inputs.length;
  }

  @Override
  public boolean needs(int i) {
    return inputs[i] != null;
  }
}
