package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/** The position of the first largest element along an axis, as a number; it has no gradient. */
public record Argmax(int axis, boolean keep) implements Op {
  @Override
  public String name() {
    return "argmax";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape from = inputs[0].shape();
    Check.that(from.dim(axis) > 0, name(), "axis %d of shape %s is empty", axis, from);
    Check.that(
        inputs[0].type() == DataType.F64 || from.dim(axis) <= 1 << 24,
        name(),
        "axis %d of shape %s is too long for positions in F32; use to(F64)",
        axis,
        from);
    return from.reduce(new int[] {axis}, keep);
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.reduce().argmax(inputs[0], axis, keep));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return Op.only(null);
  }
}
