package io.perflow.tensor.cpu.gemm;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.cpu.memory.Fresh;

/** Matrix products of F64 tensors. */
final class DoubleMatmul {
  private DoubleMatmul() {}

  static Tensor product(Tensor a, Tensor b) {
    int rank = Math.max(a.rank(), b.rank());
    Shape batch =
        Shape.broadcast("matmul", a.shape().remove(-1).remove(-1), b.shape().remove(-1).remove(-1));
    Shape shape = batch.insert(rank - 2, a.dim(-2)).insert(rank - 1, b.dim(-1));
    Tensor c = Fresh.like(a, shape);
    if (c.size() == 0) {
      return c;
    }
    Layout rows = b.rank() > 2 ? null : joined(a.layout());
    if (batch.size() == 1) {
      DoubleGemm.multiply(DoubleMatrix.of(a), DoubleMatrix.of(b), DoubleMatrix.of(c));
    } else if (rows != null) { // one product of many rows, which packs b once
      DoubleGemm.multiply(
          DoubleMatrix.of(a.view(rows)),
          DoubleMatrix.of(b),
          DoubleMatrix.of(c.view(joined(c.layout()))));
    } else {
      DoubleGemm.batched(
          DoubleMatrix.of(a),
          SimdGemm.offsets(a, batch),
          DoubleMatrix.of(b),
          SimdGemm.offsets(b, batch),
          DoubleMatrix.of(c),
          SimdGemm.offsets(c, batch));
    }
    return c;
  }

  /** All axes but the last joined to one, or null where the strides do not allow it. */
  private static Layout joined(Layout layout) {
    Shape shape = layout.shape();
    return layout.reshape(Shape.of(shape.remove(-1).size(), shape.dim(-1)));
  }
}
