package io.perflow.cuda;

import io.perflow.cuda.driver.Blas;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Tensor;

/**
 * The form of row-major products for BLAS, whose matrices are column-major: c stored by rows is the
 * transpose of c stored by columns, so c = a b is computed as c' = b' a'.
 */
final class LibraryProducts {
  private final Gpu gpu;
  private final Blas blas;

  LibraryProducts(Gpu gpu, Blas blas) {
    this.gpu = gpu;
    this.blas = blas;
  }

  /**
   * Queues c = factor a b, if the library can express it.
   *
   * @param batchC the places where the matrices of c begin, likewise for a and b
   * @return whether the product was queued
   */
  boolean multiply(
      Tensor c, Tensor a, Tensor b, double factor, Layout batchC, Layout batchA, Layout batchB) {
    int m = c.dim(-2);
    int n = c.dim(-1);
    int k = a.dim(-1);
    int count = c.size() / (m * n);
    Blas.Matrix right = matrix(b, k, n, batchB);
    Blas.Matrix left = matrix(a, m, k, batchA);
    if (k == 0 || left == null || right == null) {
      return false;
    }
    long address = CudaStorage.of(c).address();
    Blas.Matrix result = new Blas.Matrix(address, n, (long) m * n, false);
    boolean doubles = c.type() == DataType.F64;
    gpu.queue(
        stream -> blas.multiply(doubles, n, m, k, factor, right, left, result, count, stream),
        c,
        a,
        b);
    return true;
  }

  // Consecutive rows are columns of the transpose, which is the form that BLAS expects; consecutive
  // columns must be transposed.
  private static Blas.Matrix matrix(Tensor x, int rows, int cols, Layout batch) {
    Layout layout = x.layout();
    int down = rows == 1 ? 0 : layout.stride(x.rank() - 2);
    int along = cols == 1 ? 0 : layout.stride(x.rank() - 1);
    boolean byRows = cols == 1 ? down != 1 : along == 1;
    int line = byRows ? cols : rows;
    int pitch = Math.max(line, byRows ? down : along);
    boolean lies = byRows ? down == 0 || down >= cols : along == 0 || along >= rows;
    boolean unit = byRows ? cols == 1 || along == 1 : rows == 1 || down == 1;
    long stride = stride(batch);
    if (!lies || !unit || stride < 0) {
      return null;
    }
    long offset = (long) layout.offset() * x.type().bytes();
    return new Blas.Matrix(CudaStorage.of(x).address() + offset, pitch, stride, !byRows);
  }

  // The number of elements from matrix to matrix, or -1 when they differ.
  private static long stride(Layout batch) {
    long stride = 0;
    long next = -1; // the required stride of the next axis outwards; any before the first
    for (int axis = batch.shape().rank() - 1; axis >= 0; axis--) {
      int extent = batch.shape().dim(axis);
      if (extent > 1) {
        if (next < 0) {
          stride = batch.stride(axis);
          next = stride;
        } else if (batch.stride(axis) != next) {
          return -1;
        }
        next *= extent;
      }
    }
    return stride;
  }
}
