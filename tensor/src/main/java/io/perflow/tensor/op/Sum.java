package io.perflow.tensor.op;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/** The sum over sorted axes, which are kept with extent 1 or removed. */
public record Sum(int[] axes, boolean keep) implements Op {
  @Override
  public String name() {
    return "sum";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    return inputs[0].shape().reduce(axes, keep);
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.reduce().reduce(ReduceKind.SUM, inputs[0], axes, keep));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    Shape kept = v.shape(0).reduce(axes, true);
    return Op.only(v.grad().reshape(kept).expand(v.shape(0)));
  }
}
