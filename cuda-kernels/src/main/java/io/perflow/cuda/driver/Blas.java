package io.perflow.cuda.driver;

/**
 * Matrix products by a library, with the conventions of BLAS: matrices are stored column by column,
 * the first element of each column {@code pitch} elements after that of the one before.
 */
public interface Blas {
  /**
   * One matrix of each product, at the same distance from product to product.
   *
   * @param address of the first element of the first matrix on the device
   * @param pitch elements from column to column
   * @param stride elements from product to product; 0 when all share one
   * @param transposed whether the transpose of the stored matrix is used
   */
  record Matrix(long address, int pitch, long stride, boolean transposed) {}

  /**
   * c = factor a b for {@code count} products of (m, k) and (k, n), queued in a stream.
   *
   * @param doubles whether elements are doubles rather than floats
   */
  void multiply(
      boolean doubles,
      int m,
      int n,
      int k,
      double factor,
      Matrix a,
      Matrix b,
      Matrix c,
      int count,
      long stream);
}
