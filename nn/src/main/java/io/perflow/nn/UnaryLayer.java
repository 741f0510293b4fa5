package io.perflow.nn;

import io.perflow.tensor.Tensor;
import java.util.function.UnaryOperator;

/** A layer with one input. */
public abstract class UnaryLayer extends Layer implements UnaryOperator<Tensor> {
  /** For layers. */
  protected UnaryLayer() {}

  /** Computes the output; each layer documents its input. */
  protected abstract Tensor forward(Tensor x);

  @Override
  protected final Tensor forward(Tensor... inputs) {
    takes(1, 1, inputs);
    return forward(inputs[0]);
  }

  /** Runs the layer. */
  @Override
  public final Tensor apply(Tensor x) {
    return run(x);
  }
}
