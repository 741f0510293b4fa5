package io.perflow.tensor.cpu.gemm;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.cpu.memory.FloatStorage;

/**
 * View of a matrix: element (r, c) lies at {@code offset + r * rowStride + c * colStride}. Strides
 * of zero repeat a row or a column.
 */
public record Matrix(float[] data, int offset, int rows, int cols, int rowStride, int colStride) {

  /** The view of a dense row-major array. */
  public static Matrix dense(float[] data, int offset, int rows, int cols) {
    return new Matrix(data, offset, rows, cols, cols, 1);
  }

  /** The last two axes of an F32 tensor: the first matrix, if it holds several. */
  static Matrix of(Tensor x) {
    Layout l = x.layout();
    int r = x.rank();
    return new Matrix(
        FloatStorage.data(x), l.offset(), x.dim(-2), x.dim(-1), l.stride(r - 2), l.stride(r - 1));
  }

  /** Position of an element. */
  int at(int row, int col) {
    return offset + row * rowStride + col * colStride;
  }

  Matrix transposed() {
    return new Matrix(data, offset, cols, rows, colStride, rowStride);
  }

  /** The same view, {@code distance} elements further on in the array. */
  Matrix shifted(int distance) {
    return new Matrix(data, offset + distance, rows, cols, rowStride, colStride);
  }
}
