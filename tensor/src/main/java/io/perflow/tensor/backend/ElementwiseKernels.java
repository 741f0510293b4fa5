package io.perflow.tensor.backend;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.BinaryKind;
import io.perflow.tensor.op.UnaryKind;

/** Kernels that apply functions to single elements, with broadcasting. */
public interface ElementwiseKernels {
  /** Returns f(x), element by element. */
  Tensor unary(UnaryKind kind, Tensor x);

  /** Returns f(a, b), element by element. */
  Tensor binary(BinaryKind kind, Tensor a, Tensor b);

  /** Returns a where the condition is not zero, otherwise b. */
  Tensor where(Tensor condition, Tensor a, Tensor b);

  /** Returns a + alpha b for equal shapes. */
  Tensor addScaled(Tensor a, Tensor b, double alpha);

  /** Multiplies complex tensors with broadcasting; b is conjugated on request. */
  Tensor complexMul(Tensor a, Tensor b, boolean conjugateB);

  /** Returns the same elements in another type. */
  Tensor cast(Tensor x, DataType type);
}
