package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Pool2dSpec;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/** The mean of each window of images (n, c, h, w). */
public record AvgPool2d(Pool2dSpec spec) implements Op {
  @Override
  public String name() {
    return "avg_pool2d";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Check.rank(name(), "input", inputs[0], 4);
    return MaxPool2d.outputShape(name(), inputs[0].shape(), spec);
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.pool().avgPool2d(inputs[0], spec));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return Op.only(new AvgPool2dBackward(spec, v.shape(0)).apply(v.grad()));
  }
}
