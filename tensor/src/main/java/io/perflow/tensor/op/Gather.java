package io.perflow.tensor.op;

import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/** The entries of an axis that the index lists, in its order; they may repeat. */
public record Gather(int axis, int... index) implements Op {
  @Override
  public String name() {
    return "gather";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape s = inputs[0].shape();
    int entries = s.dim(axis);
    for (int i : index) {
      if (i < 0 || i >= entries) { // the arguments of a Check would be boxed for every index
        throw new ShapeException(
            name(),
            "index %d is outside axis %d of shape %s with %d entries"
                .formatted(i, axis, s, entries));
      }
    }
    return s.with(axis, index.length);
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.movement().gather(inputs[0], axis, index));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return Op.only(new ScatterAdd(axis, v.shape(0).dim(axis), index).apply(v.grad()));
  }
}
