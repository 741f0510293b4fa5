package io.perflow.nn;

import io.perflow.tensor.Tensor;
import java.util.function.UnaryOperator;

/** A layer with one input. */
public abstract class UnaryLayer extends Layer implements UnaryOperator<Tensor> {
  /** Creates a layer; for subclasses. */
  protected UnaryLayer() {}

  /** Computes the output; each layer documents its input. */
  protected abstract Tensor forward(Tensor x);

  @Override
  protected final Tensor forward(Tensor... inputs) {
    takes(1, 1, inputs);
    return forward(inputs[0]);
  }

  /** Runs the layer and returns its output. */
  @Override
  public final Tensor apply(Tensor x) {
    return run(x);
  }
}
