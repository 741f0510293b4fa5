package io.perflow.physics.constraint;

import org.ejml.EjmlParameters;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.decomposition.chol.CholeskyDecompositionBlock_DDRM;
import org.ejml.dense.row.decomposition.qr.QRColPivDecompositionHouseholderColumn_DDRM;
import org.ejml.dense.row.linsol.chol.LinearSolverChol_DDRM;
import org.ejml.dense.row.linsol.qr.LinearSolverQrpHouseCol_DDRM;
import org.ejml.interfaces.linsol.LinearSolverDense;

/**
 * A solver of K λ = r for a symmetric, positive semidefinite matrix that is small enough to be
 * factored.
 *
 * <p>If K is well conditioned, its Cholesky factors are multiplied out to the inverse, because
 * products with a matrix are many times faster than triangular solves and are needed at every step
 * of a sampler; a second pass recovers the lost digits. Otherwise some rows follow from others, and
 * QR with pivoting finds the least-squares solution, which is exact if the system is consistent.
 */
final class DenseSolver {
  // Pivots of dependent rows are round-off, about 1e-15; those of the worst sensor placements that
  // still determine a flow are above 1e-8.
  private static final double WELL_CONDITIONED = 1e-9;
  private static final double DEPENDENT = 1e-12;

  private final int size;
  private final double[] inverse; // null when K is singular
  private final LinearSolverDense<DMatrixRMaj> pivoted; // null when K is regular

  private DenseSolver(int size, double[] inverse, LinearSolverDense<DMatrixRMaj> pivoted) {
    this.size = size;
    this.inverse = inverse;
    this.pivoted = pivoted;
  }

  /** Factors a matrix given row by row; the array is not changed. */
  static DenseSolver of(double[] matrix, int size) {
    var factors = new CholeskyDecompositionBlock_DDRM(EjmlParameters.BLOCK_WIDTH_CHOL);
    var cholesky = new LinearSolverChol_DDRM(factors);
    if (cholesky.setA(new DMatrixRMaj(size, size, true, matrix)) && wellConditioned(factors)) {
      DMatrixRMaj inverse = new DMatrixRMaj(size, size);
      cholesky.invert(inverse);
      return new DenseSolver(size, inverse.data, null);
    }
    var decomposition = new QRColPivDecompositionHouseholderColumn_DDRM();
    decomposition.setSingularThreshold(DEPENDENT);
    var pivoted = new LinearSolverQrpHouseCol_DDRM(decomposition, false);
    pivoted.setA(new DMatrixRMaj(size, size, true, matrix));
    return new DenseSolver(size, null, pivoted);
  }

  private static boolean wellConditioned(CholeskyDecompositionBlock_DDRM factors) {
    DMatrixRMaj factor = factors.getT();
    double smallest = Double.POSITIVE_INFINITY;
    double largest = 0;
    for (int i = 0; i < factor.numRows; i++) {
      smallest = Math.min(smallest, factor.get(i, i));
      largest = Math.max(largest, factor.get(i, i));
    }
    return smallest * smallest > WELL_CONDITIONED * largest * largest;
  }

  /** Returns the matrix with which {@link #solve} multiplies, row by row. */
  double[] matrix() {
    if (inverse != null) {
      return inverse.clone();
    }
    double[] matrix = new double[size * size];
    for (int j = 0; j < size; j++) {
      double[] unit = new double[size];
      unit[j] = 1;
      double[] column = pivotedSolve(unit);
      for (int i = 0; i < size; i++) {
        matrix[i * size + j] = column[i];
      }
    }
    return matrix;
  }

  /** Returns the solution, or the nearest thing to one. */
  double[] solve(double[] r) {
    return inverse == null ? pivotedSolve(r) : inverseTimes(r);
  }

  // The matrix is symmetric, so columns are rows. Adding rows avoids reductions, which vectorize
  // badly.
  private double[] inverseTimes(double[] r) {
    double[] product = new double[size];
    for (int j = 0; j < size; j++) {
      double factor = r[j];
      int row = j * size;
      for (int i = 0; i < size; i++) {
        product[i] += factor * inverse[row + i];
      }
    }
    return product;
  }

  private double[] pivotedSolve(double[] r) {
    DMatrixRMaj solution = new DMatrixRMaj(size, 1);
    synchronized (pivoted) { // it has a workspace
      pivoted.solve(DMatrixRMaj.wrap(size, 1, r.clone()), solution);
    }
    return solution.data;
  }
}
