package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * The softmax exp(x - max) / sum along the last axis. It is not a composition: the maximum keeps
 * large inputs finite, and one pass moves a third of the memory.
 */
public record Softmax() implements Op {
  @Override
  public String name() {
    return "softmax";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Check.that(inputs[0].rank() > 0, name(), "needs at least one axis");
    return inputs[0].shape();
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.attention().softmax(inputs[0]));
  }

  @Override
  public Saved saved() {
    return Saved.OUTPUT;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return Op.only(new SoftmaxBackward().apply(v.output(0), v.grad()));
  }
}
