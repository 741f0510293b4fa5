package io.perflow.tensor.op;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/** The running sums along an axis. */
public record CumulativeSum(int axis) implements Op {
  @Override
  public String name() {
    return "cumsum";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    return inputs[0].shape();
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.reduce().cumulativeSum(inputs[0], axis));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return Op.only(v.grad().flip(axis).cumsum(axis).flip(axis));
  }
}
