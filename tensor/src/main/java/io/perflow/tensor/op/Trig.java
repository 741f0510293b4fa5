package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * A cosine or sine transform along an axis, times {@code scale}; {@link TrigKind} has the formulas.
 */
public record Trig(TrigKind kind, int axis, double scale) implements Op {
  @Override
  public String name() {
    return kind.name().toLowerCase(java.util.Locale.ROOT);
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape s = inputs[0].shape();
    Check.that(s.dim(axis) > 0, name(), "axis %d of shape %s is empty", axis, s);
    return s;
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.fft().trig(kind, inputs[0], axis, scale));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return Op.only(new Trig(kind.adjoint(), axis, scale).apply(v.grad()));
  }
}
