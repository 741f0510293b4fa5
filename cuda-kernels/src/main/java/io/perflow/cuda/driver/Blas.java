package io.perflow.cuda.driver;

/**
 * A library of matrix products, with the conventions of BLAS: matrices are stored column by column,
 * the first element of each column {@code pitch} elements after that of the one before.
 */
public interface Blas {
  /**
   * One matrix of each product, at the same distance from product to product.
   *
   * @param address the address of the first element of the first matrix on the device
   * @param pitch the number of elements from column to column
   * @param stride the number of elements from product to product; 0 when all share one
   * @param transposed whether the transpose of the stored matrix is used
   */
  record Matrix(long address, int pitch, long stride, boolean transposed) {}

  /**
   * Queues c = factor a b in a stream, for {@code count} products of (m, k) and (k, n).
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
