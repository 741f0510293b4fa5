package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/** The gradient of {@link Softmax} from its result y and dy: y (dy - sum(y dy)). */
public record SoftmaxBackward() implements Op {
  @Override
  public String name() {
    return "softmax_backward";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Check.sameShape(name(), "gradient", inputs[1], inputs[0].shape());
    return inputs[0].shape();
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.attention().softmaxBackward(inputs[0], inputs[1]));
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    Tensor y = v.input(0);
    Tensor dy = v.input(1);
    Tensor g = v.grad();
    Tensor wrtY = null;
    if (v.needs(0)) {
      Tensor centred = dy.sub(y.mul(dy).sum(true, -1));
      wrtY = g.mul(centred).sub(dy.mul(g.mul(y).sum(true, -1)));
    }
    return new Tensor[] {wrtY, v.needs(1) ? new SoftmaxBackward().apply(y, g) : null};
  }
}
