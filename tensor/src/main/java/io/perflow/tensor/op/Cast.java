package io.perflow.tensor.op;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/** The same numbers in another data type. */
public record Cast(DataType type) implements Op {
  @Override
  public String name() {
    return "cast";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    return inputs[0].shape();
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.elementwise().cast(inputs[0], type));
  }

  @Override
  public Saved saved() {
    return Saved.NOTHING;
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    DataType other = type == DataType.F32 ? DataType.F64 : DataType.F32;
    return Op.only(v.grad().to(other));
  }
}
