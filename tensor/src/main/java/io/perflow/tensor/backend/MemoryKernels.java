package io.perflow.tensor.backend;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/** Allocation of device memory, and copies to it, within it and back. */
public interface MemoryKernels {
  /** New memory with undefined contents, in the thread's scope if one is open. */
  Storage allocate(DataType type, int size);

  /** A row-major tensor with these numbers. */
  Tensor upload(float[] data, Shape shape);

  /** A row-major tensor with these numbers. */
  Tensor upload(double[] data, Shape shape);

  /** The elements in row-major order, rounded if the tensor is F64. */
  default float[] toFloats(Tensor x) {
    float[] data = new float[x.size()];
    toFloats(x, data, 0);
    return data;
  }

  /** The same, into an array from one of its indices on. */
  void toFloats(Tensor x, float[] target, int from);

  /** The elements in row-major order. */
  double[] toDoubles(Tensor x);

  /** A tensor filled with one number. */
  Tensor fill(Shape shape, DataType type, double value);

  /** The same elements in new memory, laid out as {@code target}, which has no gaps. */
  Tensor copy(Tensor x, Layout target);

  /** Overwrites the elements of {@code target} with those of {@code source}. */
  void assign(Tensor target, Tensor source);
}
