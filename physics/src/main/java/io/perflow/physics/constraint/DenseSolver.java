package io.perflow.physics.constraint;

import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.decomposition.qr.QRColPivDecompositionHouseholderColumn_DDRM;
import org.ejml.dense.row.factory.LinearSolverFactory_DDRM;
import org.ejml.dense.row.linsol.qr.LinearSolverQrpHouseCol_DDRM;
import org.ejml.interfaces.decomposition.CholeskyDecomposition_F64;
import org.ejml.interfaces.linsol.LinearSolverDense;

/**
 * K λ = r for a symmetric, positive semidefinite matrix that is small enough to be factored.
 *
 * <p>Cholesky when K is well conditioned. Otherwise some rows follow from others, and QR with
 * pivoting finds the least-squares solution: the exact one when the system is consistent.
 */
final class DenseSolver {
  // Pivots of dependent rows are round-off, some 1e-15; those of the worst sensor placements that
  // still determine a flow are above 1e-8.
  private static final double WELL_CONDITIONED = 1e-9;
  private static final double DEPENDENT = 1e-12;

  private final int size;
  private final LinearSolverDense<DMatrixRMaj> solver;

  private DenseSolver(int size, LinearSolverDense<DMatrixRMaj> solver) {
    this.size = size;
    this.solver = solver;
  }

  /** Factors a matrix given row by row; the array is not changed. */
  static DenseSolver of(double[] matrix, int size) {
    LinearSolverDense<DMatrixRMaj> cholesky = LinearSolverFactory_DDRM.chol(size);
    if (cholesky.setA(new DMatrixRMaj(size, size, true, matrix)) && wellConditioned(cholesky)) {
      return new DenseSolver(size, cholesky);
    }
    var decomposition = new QRColPivDecompositionHouseholderColumn_DDRM();
    decomposition.setSingularThreshold(DEPENDENT);
    var pivoted = new LinearSolverQrpHouseCol_DDRM(decomposition, false);
    pivoted.setA(new DMatrixRMaj(size, size, true, matrix));
    return new DenseSolver(size, pivoted);
  }

  private static boolean wellConditioned(LinearSolverDense<DMatrixRMaj> cholesky) {
    CholeskyDecomposition_F64<DMatrixRMaj> decomposition = cholesky.getDecomposition();
    DMatrixRMaj factor = decomposition.getT(null);
    double smallest = Double.POSITIVE_INFINITY;
    double largest = 0;
    for (int i = 0; i < factor.numRows; i++) {
      smallest = Math.min(smallest, factor.get(i, i));
      largest = Math.max(largest, factor.get(i, i));
    }
    return smallest * smallest > WELL_CONDITIONED * largest * largest;
  }

  /** The solution, or the nearest thing to one. */
  double[] solve(double[] r) {
    DMatrixRMaj solution = new DMatrixRMaj(size, 1);
    synchronized (solver) { // it has a workspace
      solver.solve(DMatrixRMaj.wrap(size, 1, r.clone()), solution);
    }
    return solution.data;
  }
}
