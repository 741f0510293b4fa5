package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/** Sends gradients (n, c, oh, ow) to the positions (same shape) that won in {@link MaxPool2d}. */
public record MaxPool2dBackward(Shape inputShape) implements Op {
  @Override
  public String name() {
    return "max_pool2d_backward";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Check.sameShape(name(), "positions", inputs[1], inputs[0].shape());
    Check.rank(name(), "gradient", inputs[0], 4);
    Check.that(
        inputs[0].dim(0) == inputShape.dim(0) && inputs[0].dim(1) == inputShape.dim(1),
        name(),
        "gradient %s and input %s differ in batch or channels",
        inputs[0].shape(),
        inputShape);
    return inputShape;
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.maxPool2dBackward(inputs[0], inputs[1], inputShape));
  }

  @Override
  public Saved saved() {
    return Saved.inputs(1);
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    throw new UnsupportedOperationException(
        "[max_pool2d] has no second derivative here; use avg_pool2d where one is needed");
  }
}
