package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/** A view that repeats axes of extent 1, and new leading ones, to fill a wider shape. */
public record Expand(Shape shape) implements Op {
  @Override
  public String name() {
    return "expand";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape from = inputs[0].shape();
    Check.that(
        Shape.broadcast(name(), from, shape).equals(shape),
        name(),
        "shape %s does not expand to %s",
        from,
        shape);
    return shape;
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(inputs[0].view(inputs[0].layout().expand(shape)));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return Op.only(v.grad().sumTo(v.shape(0)));
  }
}
