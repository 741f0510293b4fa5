package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * The sum a + alpha b of tensors of equal shape. It is not a composition, because a sampler updates
 * its whole state in this way at every step, and one pass moves half the memory of two.
 */
public record AddScaled(double alpha) implements Op {
  @Override
  public String name() {
    return "add_scaled";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Check.sameShape(name(), "second input", inputs[1], inputs[0].shape());
    return inputs[0].shape();
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.elementwise().addScaled(inputs[0], inputs[1], alpha));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return new Tensor[] {v.grad(), v.needs(1) ? v.grad().mul(alpha) : null};
  }
}
