package io.perflow.physics.constraint;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * A solver for few equations that are the same for all samples: K is formed column by column and
 * factored once.
 *
 * <p>An equation that the base implies, such as a mean of 0 between walls, consists of round-off
 * after the base's projection. It is left out: dividing by its entry of K would turn round-off into
 * a change of the field.
 */
final class DenseCorrection implements Correction {
  private static final int CHUNK = 64; // unit vectors projected at a time

  // The share of an equation's square that is round-off: 1e-26 after a projection on a large grid.
  private static final double IMPLIED = 1e-20;

  private final OrthogonalProjector base;
  private final Rows rows;
  private final int[] active;
  private final DenseSolver solver; // null when no equation is left
  private BlockProducts products; // null until needed for a device for which the host must not wait

  /**
   * Forms and factors K.
   *
   * @param candidates the equations that have an effect
   */
  DenseCorrection(OrthogonalProjector base, Rows rows, int[] candidates) {
    this.base = base;
    this.rows = rows;
    double[] squares = new double[candidates.length];
    double[] matrix = matrix(candidates, squares);
    int[] kept =
        IntStream.range(0, squares.length)
            .filter(i -> matrix[i * squares.length + i] > IMPLIED * squares[i])
            .toArray();
    this.active = Arrays.stream(kept).map(i -> candidates[i]).toArray();
    this.solver = kept.length == 0 ? null : DenseSolver.of(part(matrix, kept), kept.length);
  }

  private static double[] part(double[] matrix, int[] kept) {
    int n = (int) Math.sqrt(matrix.length);
    double[] part = new double[kept.length * kept.length];
    for (int i = 0; i < part.length; i++) {
      part[i] = matrix[kept[i / kept.length] * n + kept[i % kept.length]];
    }
    return part;
  }

  @Override
  public boolean withoutReading(Tensor r) {
    return solver != null && r.device().backend().asynchronous();
  }

  private synchronized BlockProducts products() {
    if (products == null) {
      products = new BlockProducts(1, new int[][] {active}, new DenseSolver[] {solver});
    }
    return products;
  }

  // K, and the sum of squares of each row of B.
  private double[] matrix(int[] candidates, double[] squares) {
    int n = candidates.length;
    double[] matrix = new double[n * n];
    for (int from = 0; from < n; from += CHUNK) {
      int columns = Math.min(CHUNK, n - from);
      double[] units = new double[columns * rows.count()];
      for (int j = 0; j < columns; j++) {
        units[j * rows.count() + candidates[from + j]] = 1;
      }
      try (Scope _ = Scope.open()) {
        Tensor row = rows.adjoint(Tensor.of(units, columns, rows.count()));
        Tensor product = rows.linear(base.linear(row)).gather(1, candidates);
        System.arraycopy(product.toDoubles(), 0, matrix, from * n, columns * n);
        System.arraycopy(row.square().sum(1, 2, 3).toDoubles(), 0, squares, from, columns);
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
      double[] solution = solver == null ? one : solver.solve(one);
      for (int i = 0; i < one.length; i++) {
        multipliers[s * rows.count() + active[i]] = solution[i];
      }
    }
    Shape shape = Shape.of(batch, rows.count());
    return base.linear(rows.adjoint(r.device().backend().memory().upload(multipliers, shape)));
  }
}
