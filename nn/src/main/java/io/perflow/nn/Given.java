package io.perflow.nn;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Vjp;

/**
 * The gradient with respect to a result, and the inputs that it was computed from. It serves the
 * rule of an operation that ran inside another one, which asks for all gradients and for no output.
 */
record Given(Tensor grad, Tensor... inputs) implements Vjp {
  @Override
  public Tensor input(int i) {
    return inputs[i];
  }

  @Override
  public Tensor output(int i) {
    throw new UnsupportedOperationException("only the inputs are known");
  }

  @Override
  public Shape shape(int i) {
    return inputs[i].shape();
  }

  @Override
  public int count() {
    return inputs.length;
  }

  @Override
  public boolean needs(int i) {
    return true;
  }
}
