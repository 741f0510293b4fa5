package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/** The concatenation of tensors along an axis; their other extents agree. */
public record Concat(int axis) implements Op {
  @Override
  public String name() {
    return "concat";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape first = inputs[0].shape();
    long total = 0;
    for (Tensor part : inputs) {
      Shape s = part.shape();
      boolean fits = s.rank() == first.rank();
      for (int a = 0; fits && a < s.rank(); a++) {
        fits = a == axis || s.dim(a) == first.dim(a);
      }
      Check.that(fits, name(), "shapes %s and %s differ off axis %d", first, s, axis);
      total += s.dim(axis);
    }
    Check.that(total <= Integer.MAX_VALUE, name(), "axis %d would have %d entries", axis, total);
    return first.with(axis, (int) total);
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.movement().concat(inputs, axis));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    Tensor[] grads = new Tensor[v.count()];
    int at = 0;
    for (int i = 0; i < grads.length; i++) {
      int count = v.shape(i).dim(axis);
      grads[i] = v.needs(i) ? v.grad().slice(axis, at, at + count) : null;
      at += count;
    }
    return grads;
  }
}
