package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * The gradient of {@link MaxPool2d}, which sends gradients (n, c, oh, ow) to the positions (same
 * shape) that were largest.
 */
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
    return Op.only(backend.pool().maxPool2dBackward(inputs[0], inputs[1], inputShape));
  }

  @Override
  public Saved saved() {
    return Saved.inputs(1);
  }

  // The adjoint reads its gradient (n, c, h, w) at the positions. They are copied to the host for
  // it, because an index is a list of numbers; only second derivatives pay for that.
  @Override
  public Tensor[] vjp(Vjp v) {
    double[] positions = v.input(1).toDoubles();
    int windows = v.shape(0).dim(2) * v.shape(0).dim(3);
    int pixels = inputShape.dim(2) * inputShape.dim(3);
    int[] index = new int[positions.length];
    for (int i = 0; i < index.length; i++) {
      index[i] = i / windows * pixels + (int) positions[i];
    }
    Tensor picked = v.grad().reshape(v.grad().size()).gather(0, index);
    return new Tensor[] {picked.reshape(v.shape(0)), null};
  }
}
