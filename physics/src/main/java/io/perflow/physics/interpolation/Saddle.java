package io.perflow.physics.interpolation;

import java.util.Arrays;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.factory.LinearSolverFactory_DDRM;
import org.ejml.interfaces.linsol.LinearSolverDense;

/**
 * The solution of A w + P c = f, Pᵀ w = 0 for a symmetric matrix A that is positive definite on the
 * weights with Pᵀ w = 0.
 *
 * <p>Householder reflections Q turn the few columns of P into a triangle R over zeros. The weights
 * are then w = Q (0, z), where z solves a system with the lower right block of Qᵀ A Q; that block
 * is positive definite, so Cholesky's factors serve, at half the cost of LU. Linear polynomials P
 * make the kernel r² log r such a matrix (Micchelli 1986).
 */
final class Saddle {
  private final int n;
  private final int columns;
  private final double[] a; // (n, n), becomes Qᵀ A Q
  private final double[][] p; // the columns of P, become R over zeros
  private final double[] f; // becomes Qᵀ f
  private final double[][] reflections; // unit vectors v of I - 2 v vᵀ
  private final double[] weights;
  private final double[] coefficients;

  /**
   * Solves the system and overwrites {@code a} and {@code p}.
   *
   * @throws IllegalArgumentException when rounding errors make A indefinite, because readings are
   *     less than some 1e-7 of the extent apart
   */
  Saddle(double[] a, double[][] p, double[] f) {
    n = f.length;
    columns = p.length;
    this.a = a;
    this.p = p;
    this.f = f.clone();
    reflections = new double[columns][];
    for (int j = 0; j < columns; j++) {
      reflections[j] = reflection(j);
      for (int l = j; l < columns; l++) {
        reflect(reflections[j], p[l]);
      }
      reflect(reflections[j], this.f);
      reflectBothSides(reflections[j]);
    }
    weights = new double[n];
    coefficients = new double[columns];
    if (n > columns) {
      System.arraycopy(solveBlock(), 0, weights, columns, n - columns);
    }
    solveTriangle();
    for (int j = columns - 1; j >= 0; j--) {
      reflect(reflections[j], weights);
    }
  }

  /** Returns the weights w. */
  double[] weights() {
    return weights;
  }

  /** Returns one of the coefficients c. */
  double coefficient(int j) {
    return coefficients[j];
  }

  // Makes column j of P zero below its diagonal.
  private double[] reflection(int j) {
    double[] v = p[j].clone();
    Arrays.fill(v, 0, j, 0);
    v[j] += Math.copySign(Math.sqrt(dot(v, v, 0)), v[j]);
    double norm = Math.sqrt(dot(v, v, 0));
    for (int i = j; i < n; i++) {
      v[i] /= norm;
    }
    return v;
  }

  // b - 2 v vᵀ b
  private static void reflect(double[] v, double[] b) {
    double factor = 2 * dot(v, b, 0);
    for (int i = 0; i < v.length; i++) {
      b[i] -= factor * v[i];
    }
  }

  // A - v qᵀ - q vᵀ with q = 2 A v - 2 (vᵀ A v) v
  private void reflectBothSides(double[] v) {
    double[] q = new double[n];
    for (int i = 0; i < n; i++) {
      q[i] = 2 * dot(v, a, i * n);
    }
    double factor = dot(v, q, 0);
    for (int i = 0; i < n; i++) {
      q[i] -= factor * v[i];
    }
    for (int i = 0; i < n; i++) {
      for (int l = 0; l < n; l++) {
        a[i * n + l] -= v[i] * q[l] + q[i] * v[l];
      }
    }
  }

  private double[] solveBlock() {
    int size = n - columns;
    LinearSolverDense<DMatrixRMaj> cholesky = LinearSolverFactory_DDRM.chol(size);
    DMatrixRMaj block = new DMatrixRMaj(size, size);
    for (int i = 0; i < size; i++) {
      System.arraycopy(a, (i + columns) * n + columns, block.data, i * size, size);
    }
    if (!cholesky.setA(block)) {
      throw new IllegalArgumentException(
          "[interpolation] some of %d readings are too close together for a thin-plate spline over"
                  .formatted(n)
              + " this grid: average them first, or interpolate linearly");
    }
    DMatrixRMaj right = DMatrixRMaj.wrap(size, 1, Arrays.copyOfRange(f, columns, n));
    DMatrixRMaj solution = new DMatrixRMaj(size, 1);
    cholesky.solve(right, solution);
    return solution.data;
  }

  // R c = the first part of Qᵀ (f - A w)
  private void solveTriangle() {
    for (int j = columns - 1; j >= 0; j--) {
      double rest = f[j] - dot(weights, a, j * n);
      for (int l = j + 1; l < columns; l++) {
        rest -= p[l][j] * coefficients[l];
      }
      coefficients[j] = rest / p[j][j];
    }
  }

  private static double dot(double[] v, double[] b, int offset) {
    double sum = 0;
    for (int i = 0; i < v.length; i++) {
      sum += v[i] * b[offset + i];
    }
    return sum;
  }
}
