package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/** The product of matrices: (…, m, k) times (…, k, n) gives (…, m, n); leading axes broadcast. */
public record MatMul() implements Op {
  @Override
  public String name() {
    return "matmul";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape a = inputs[0].shape();
    Shape b = inputs[1].shape();
    Check.that(
        a.rank() >= 2 && b.rank() >= 2,
        name(),
        "needs at least two axes each, got %s and %s",
        a,
        b);
    Check.that(
        a.dim(-1) == b.dim(-2),
        name(),
        "inner sizes differ: left %s has %d, right %s has %d",
        a,
        a.dim(-1),
        b,
        b.dim(-2));
    if (a.rank() == 2 && b.rank() == 2) {
      return Shape.of(a.dim(0), b.dim(1));
    }
    Shape batch = Shape.broadcast(name(), a.remove(-1).remove(-1), b.remove(-1).remove(-1));
    return batch.insert(batch.rank(), a.dim(-2)).insert(batch.rank() + 1, b.dim(-1));
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.gemm().matmul(inputs[0], inputs[1]));
  }

  @Override
  public Saved saved(int needed) {
    return Saved.otherFactor(needed);
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    Tensor da = v.needs(0) ? v.grad().matmul(v.input(1).transpose()).sumTo(v.shape(0)) : null;
    Tensor db = v.needs(1) ? v.input(0).transpose().matmul(v.grad()).sumTo(v.shape(1)) : null;
    return new Tensor[] {da, db};
  }
}
