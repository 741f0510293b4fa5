package io.perflow.physics.constraint;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/** For few equations, the same for all samples: K is formed column by column and factored once. */
final class DenseCorrection implements Correction {
  private static final int CHUNK = 64; // unit vectors at a time

  private final OrthogonalProjector base;
  private final Rows rows;
  private final int[] active;
  private final DenseSolver solver;
  private BlockProducts products; // null until a device asks that the host must not wait for

  DenseCorrection(OrthogonalProjector base, Rows rows, int[] active) {
    this.base = base;
    this.rows = rows;
    this.active = active;
    this.solver = DenseSolver.of(matrix(), active.length);
  }

  @Override
  public boolean withoutReading(Tensor r) {
    return r.device().backend().asynchronous();
  }

  private synchronized BlockProducts products() {
    if (products == null) {
      products = new BlockProducts(1, new int[][] {active}, new DenseSolver[] {solver});
    }
    return products;
  }

  private double[] matrix() {
    int n = active.length;
    double[] matrix = new double[n * n];
    for (int from = 0; from < n; from += CHUNK) {
      int columns = Math.min(CHUNK, n - from);
      double[] units = new double[columns * rows.count()];
      for (int j = 0; j < columns; j++) {
        units[j * rows.count() + active[from + j]] = 1;
      }
      try (Scope _ = Scope.open()) {
        Tensor unit = Tensor.of(units, columns, rows.count());
        Tensor product = rows.linear(base.linear(rows.adjoint(unit))).gather(1, active);
        System.arraycopy(product.toDoubles(), 0, matrix, from * n, columns * n);
      }
    }
    return matrix;
  }

  @Override
  public Tensor of(Tensor r, double tolerance) {
    if (withoutReading(r)) {
      return base.linear(rows.adjoint(products().of(r)));
    }
    int batch = r.dim(0);
    double[] misfit = r.gather(1, active).toDoubles();
    double[] multipliers = new double[batch * rows.count()];
    for (int s = 0; s < batch; s++) {
      double[] one = new double[active.length];
      System.arraycopy(misfit, s * one.length, one, 0, one.length);
      double[] solution = solver.solve(one);
      for (int i = 0; i < one.length; i++) {
        multipliers[s * rows.count() + active[i]] = solution[i];
      }
    }
    Shape shape = Shape.of(batch, rows.count());
    return base.linear(rows.adjoint(r.device().backend().upload(multipliers, shape)));
  }
}
