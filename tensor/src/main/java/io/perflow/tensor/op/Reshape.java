package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/** The elements in row-major order under another shape; a view where strides allow it. */
public record Reshape(Shape shape) implements Op {
  @Override
  public String name() {
    return "reshape";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape from = inputs[0].shape();
    Check.that(
        from.size() == shape.size(),
        name(),
        "%s has %d elements, %s has %d",
        from,
        from.size(),
        shape,
        shape.size());
    return shape;
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    Tensor x = inputs[0];
    Layout view = x.layout().reshape(shape);
    if (view != null) {
      return Op.only(x.view(view));
    }
    Tensor rows = backend.memory().copy(x, Layout.contiguous(x.shape()));
    return Op.only(rows.view(rows.layout().reshape(shape)));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return Op.only(v.grad().reshape(v.shape(0)));
  }
}
