package io.perflow.nn;

import io.perflow.tensor.Tensor;
import java.util.function.BinaryOperator;

/** A layer with two inputs; the second is usually the time, or features of the time. */
public abstract class BinaryLayer extends Layer implements BinaryOperator<Tensor> {
  /** Creates a layer; for subclasses. */
  protected BinaryLayer() {}

  /** Computes the output; each layer documents its inputs. */
  protected abstract Tensor forward(Tensor x, Tensor t);

  @Override
  protected final Tensor forward(Tensor... inputs) {
    takes(2, 2, inputs);
    return forward(inputs[0], inputs[1]);
  }

  /** Runs the layer and returns its output. */
  @Override
  public final Tensor apply(Tensor x, Tensor t) {
    return run(x, t);
  }
}
