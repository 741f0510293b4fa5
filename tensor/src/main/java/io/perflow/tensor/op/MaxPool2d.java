package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Pool2dSpec;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * The largest element of each window of images (n, c, h, w); ties go to the first in row-major
 * order.
 */
public record MaxPool2d(Pool2dSpec spec) implements Op {
  @Override
  public String name() {
    return "max_pool2d";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Check.that(
        inputs[0].type() == DataType.F64
            || inputs[0].shape().rank() != 4
            || (long) inputs[0].shape().dim(2) * inputs[0].shape().dim(3) <= 1 << 24,
        name(),
        "images of shape %s are too large for positions in F32; use to(F64)",
        inputs[0].shape());
    Check.rank(name(), "input", inputs[0], 4);
    return outputShape(name(), inputs[0].shape(), spec);
  }

  static Shape outputShape(String op, Shape s, Pool2dSpec spec) {
    Check.that(
        s.dim(2) >= spec.sizeH() && s.dim(3) >= spec.sizeW(),
        op,
        "window %d x %d is larger than input %s",
        spec.sizeH(),
        spec.sizeW(),
        s);
    return Shape.of(s.dim(0), s.dim(1), spec.outH(s.dim(2)), spec.outW(s.dim(3)));
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return backend.pool().maxPool2d(inputs[0], spec);
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING.andOutputs(1);
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return Op.only(new MaxPool2dBackward(v.shape(0)).apply(v.grad(), v.output(1)));
  }
}
