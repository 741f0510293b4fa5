package io.perflow.tensor.backend;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/** Kernels that allocate device memory and copy to it, within it and back. */
public interface MemoryKernels {
  /** Returns new memory with undefined contents, in the thread's scope if one is open. */
  Storage allocate(DataType type, int size);

  /** Returns a row-major tensor with these numbers. */
  Tensor upload(float[] data, Shape shape);

  /** Returns a row-major tensor with these numbers. */
  Tensor upload(double[] data, Shape shape);

  /** Returns the elements in row-major order, rounded if the tensor is F64. */
  default float[] toFloats(Tensor x) {
    float[] data = new float[x.size()];
    toFloats(x, data, 0);
    return data;
  }

  /** Writes these elements into an array, beginning at an index. */
  void toFloats(Tensor x, float[] target, int from);

  /** Returns the elements in row-major order. */
  double[] toDoubles(Tensor x);

  /** Returns a tensor filled with one number. */
  Tensor fill(Shape shape, DataType type, double value);

  /** Returns the same elements in new memory, laid out as {@code target}, which has no gaps. */
  Tensor copy(Tensor x, Layout target);

  /** Overwrites the elements of {@code target} with those of {@code source}. */
  void assign(Tensor target, Tensor source);
}
