package io.perflow.tensor.op;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/** The same elements laid out row-major in new memory. */
public record Contiguous() implements Op {
  @Override
  public String name() {
    return "contiguous";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    return inputs[0].shape();
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.memory().copy(inputs[0], Layout.contiguous(inputs[0].shape())));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return Op.only(v.grad());
  }
}
