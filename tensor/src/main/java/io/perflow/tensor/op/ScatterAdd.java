package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * The adjoint of {@link Gather}, which adds entry i of an axis to entry index[i] of an axis of the
 * given size.
 */
public record ScatterAdd(int axis, int size, int... index) implements Op {
  @Override
  public String name() {
    return "scatter_add";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape s = inputs[0].shape();
    Check.that(
        index.length == s.dim(axis),
        name(),
        "axis %d of shape %s has %d entries, the index %d",
        axis,
        s,
        s.dim(axis),
        index.length);
    for (int i : index) {
      if (i < 0 || i >= size) { // the arguments of a Check would be boxed for every index
        throw new ShapeException(name(), "index %d is outside 0 to %d".formatted(i, size - 1));
      }
    }
    return s.with(axis, size);
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.movement().scatterAdd(inputs[0], axis, index, size));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return Op.only(new Gather(axis, index).apply(v.grad()));
  }
}
