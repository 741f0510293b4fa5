package io.perflow.nn;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.UnaryKind;

/** A function of each element, as a layer of a {@link Sequential}. */
public final class Activation extends Layer {
  private final UnaryKind kind;

  private Activation(UnaryKind kind) {
    this.kind = kind;
  }

  /** The layer of a function. */
  public static Activation of(UnaryKind kind) {
    return new Activation(kind);
  }

  /** Input: a tensor of any shape. */
  @Override
  protected Tensor forward(Tensor... inputs) {
    return inputs[0].unary(kind);
  }
}
