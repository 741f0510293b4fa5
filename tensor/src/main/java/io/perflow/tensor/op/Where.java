package io.perflow.tensor.op;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * The choice of a where the condition is not zero, otherwise of b; all three broadcast. The
 * condition has no gradient.
 */
public record Where() implements Op {
  @Override
  public String name() {
    return "where";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape both = Shape.broadcast(name(), inputs[1].shape(), inputs[2].shape());
    return Shape.broadcast(name(), inputs[0].shape(), both);
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.elementwise().where(inputs[0], inputs[1], inputs[2]));
  }

  @Override
  public Saved saved() {
    return Saved.inputs(0);
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    Tensor zero = v.grad().zerosLike();
    Tensor da = v.needs(1) ? v.input(0).where(v.grad(), zero).sumTo(v.shape(1)) : null;
    Tensor db = v.needs(2) ? v.input(0).where(zero, v.grad()).sumTo(v.shape(2)) : null;
    return new Tensor[] {null, da, db};
  }
}
