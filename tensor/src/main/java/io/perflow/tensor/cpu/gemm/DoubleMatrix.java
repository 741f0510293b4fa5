package io.perflow.tensor.cpu.gemm;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.cpu.memory.DoubleStorage;

/** View of a matrix of doubles; the twin of {@link Matrix}. */
record DoubleMatrix(double[] data, int offset, int rows, int cols, int rowStride, int colStride) {

  /** The last two axes of an F64 tensor: the first matrix, if it holds several. */
  static DoubleMatrix of(Tensor x) {
    Layout l = x.layout();
    int r = x.rank();
    return new DoubleMatrix(
        DoubleStorage.data(x), l.offset(), x.dim(-2), x.dim(-1), l.stride(r - 2), l.stride(r - 1));
  }

  /** Position of an element. */
  int at(int row, int col) {
    return offset + row * rowStride + col * colStride;
  }

  DoubleMatrix transposed() {
    return new DoubleMatrix(data, offset, cols, rows, colStride, rowStride);
  }

  /** The rows in the opposite order. */
  DoubleMatrix flipped() {
    int last = offset + Math.max(0, rows - 1) * rowStride;
    return new DoubleMatrix(data, last, rows, cols, -rowStride, colStride);
  }

  /** The same view, {@code distance} elements further on in the array. */
  DoubleMatrix shifted(int distance) {
    return new DoubleMatrix(data, offset + distance, rows, cols, rowStride, colStride);
  }

  /** The part of {@code rowCount} x {@code colCount} elements that begins at (row, col). */
  DoubleMatrix block(int row, int rowCount, int col, int colCount) {
    return new DoubleMatrix(data, at(row, col), rowCount, colCount, rowStride, colStride);
  }
}
