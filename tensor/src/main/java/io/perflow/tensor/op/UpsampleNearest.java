package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * The nearest-neighbour upsampling of images (n, c, h, w), which repeats every pixel factor x
 * factor times.
 */
public record UpsampleNearest(int factor) implements Op {
  @Override
  public String name() {
    return "upsample_nearest";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Check.rank(name(), "input", inputs[0], 4);
    Check.that(factor >= 1, name(), "factor %d must be at least 1", factor);
    Shape s = inputs[0].shape();
    return Shape.of(
        s.dim(0),
        s.dim(1),
        Check.extent(name(), (long) s.dim(2) * factor),
        Check.extent(name(), (long) s.dim(3) * factor));
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.pool().upsampleNearest(inputs[0], factor));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return Op.only(new UpsampleNearestBackward(factor).apply(v.grad()));
  }
}
