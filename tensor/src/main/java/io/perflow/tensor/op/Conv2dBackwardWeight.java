package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * The adjoint of {@link Conv2d} in its weights: from x (n, in, h, w) and y (n, out, oh, ow) to
 * (out, in / groups, kh, kw).
 */
public record Conv2dBackwardWeight(Conv2dSpec spec, Shape weightShape) implements Op {
  @Override
  public String name() {
    return "conv2d_backward_weight";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Check.rank(name(), "input", inputs[0], 4);
    Check.rank(name(), "gradient", inputs[1], 4);
    Conv2d.checkChannels(name(), inputs[0].shape(), weightShape, spec);
    Shape expected = Conv2d.outputShape(name(), inputs[0].shape(), weightShape, spec);
    Check.sameShape(name(), "gradient", inputs[1], expected);
    return weightShape;
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.conv().conv2dBackwardWeight(inputs[0], inputs[1], spec, weightShape));
  }

  @Override
  public Saved saved(int needed) {
    return Saved.otherFactor(needed);
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    Tensor dx =
        v.needs(0) ? new Conv2dBackwardInput(spec, v.shape(0)).apply(v.input(1), v.grad()) : null;
    Tensor dy = v.needs(1) ? new Conv2d(spec).apply(v.input(0), v.grad()) : null;
    return new Tensor[] {dx, dy};
  }
}
