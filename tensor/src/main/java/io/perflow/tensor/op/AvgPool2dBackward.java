package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Pool2dSpec;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/** The adjoint of {@link AvgPool2d}, which spreads each gradient evenly over its window. */
public record AvgPool2dBackward(Pool2dSpec spec, Shape inputShape) implements Op {
  @Override
  public String name() {
    return "avg_pool2d_backward";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape expected = MaxPool2d.outputShape(name(), inputShape, spec);
    Check.sameShape(name(), "gradient", inputs[0], expected);
    return inputShape;
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.pool().avgPool2dBackward(inputs[0], spec, inputShape));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return Op.only(new AvgPool2d(spec).apply(v.grad()));
  }
}
