package io.perflow.tensor.op;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * The product of complex tensors (last axis re, im) with broadcasting; b is conjugated on request.
 */
public record ComplexMul(boolean conjugateB) implements Op {
  @Override
  public String name() {
    return "complex_mul";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Fft.checkComplex(name(), inputs[0]);
    Fft.checkComplex(name(), inputs[1]);
    return Shape.broadcast(name(), inputs[0].shape(), inputs[1].shape());
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.elementwise().complexMul(inputs[0], inputs[1], conjugateB));
  }

  @Override
  public Saved saved(int needed) {
    return Saved.otherFactor(needed);
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    Tensor g = v.grad();
    Tensor da = null;
    if (v.needs(0)) {
      da = new ComplexMul(!conjugateB).apply(g, v.input(1)).sumTo(v.shape(0));
    }
    Tensor db = null;
    if (v.needs(1)) {
      Tensor a = v.input(0);
      Op times = new ComplexMul(true);
      db = (conjugateB ? times.apply(a, g) : times.apply(g, a)).sumTo(v.shape(1));
    }
    return new Tensor[] {da, db};
  }
}
