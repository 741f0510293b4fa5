package io.perflow.tensor.op;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * The largest or smallest element over sorted axes; the gradient is shared evenly among equal
 * extremes.
 */
public record Extremum(ReduceKind kind, int[] axes, boolean keep) implements Op {
  @Override
  public String name() {
    return kind == ReduceKind.MAX ? "max" : "min";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    return inputs[0].shape().reduce(axes, keep);
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.reduce().reduce(kind, inputs[0], axes, keep));
  }

  @Override
  public Saved saved() {
    return Saved.INPUTS.andOutputs(0);
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    Shape kept = v.shape(0).reduce(axes, true);
    Tensor winners = v.input(0).eq(v.output(0).reshape(kept));
    Tensor share = v.grad().reshape(kept).div(winners.sum(true, axes));
    return Op.only(winners.mul(share));
  }
}
