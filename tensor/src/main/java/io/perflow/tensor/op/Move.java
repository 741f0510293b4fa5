package io.perflow.tensor.op;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/** A copy of the numbers in the memory of another device; the gradient travels back. */
public record Move(Device from, Device to) implements Op {
  @Override
  public String name() {
    return "move";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    return inputs[0].shape();
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    Tensor x = inputs[0];
    return Op.only(
        x.type() == DataType.F32
            ? to.backend().memory().upload(x.toFloats(), x.shape())
            : to.backend().memory().upload(x.toDoubles(), x.shape()));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    return Op.only(v.grad().to(from));
  }
}
