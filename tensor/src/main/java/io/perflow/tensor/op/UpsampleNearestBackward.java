package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/** The adjoint of {@link UpsampleNearest}: the sum over each factor x factor block. */
public record UpsampleNearestBackward(int factor) implements Op {
  @Override
  public String name() {
    return "upsample_nearest_backward";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape s = inputs[0].shape();
    Check.rank(name(), "gradient", inputs[0], 4);
    Check.that(
        s.dim(2) % factor == 0 && s.dim(3) % factor == 0,
        name(),
        "gradient %s is not made of blocks of %d",
        s,
        factor);
    return Shape.of(s.dim(0), s.dim(1), s.dim(2) / factor, s.dim(3) / factor);
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.pool().upsampleNearestBackward(inputs[0], factor));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return Op.only(new UpsampleNearest(factor).apply(v.grad()));
  }
}
