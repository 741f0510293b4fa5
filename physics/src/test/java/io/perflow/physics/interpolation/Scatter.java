package io.perflow.physics.interpolation;

import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import java.util.function.DoubleBinaryOperator;

/** Readings of a test: positions in cells, and values. */
record Scatter(double[] rows, double[] columns, double[] values) {
  /**
   * Readings at random places that are multiples of {@code step} cells, so that ties are frequent
   * and shifts by whole cells exact; some places may be drawn more than once.
   */
  static Scatter random(Rng rng, int size, Lattice lattice, double step) {
    double[] rows = new double[size];
    double[] columns = new double[size];
    for (int i = 0; i < size; i++) {
      rows[i] = step * rng.nextInt((int) ((lattice.height() - 1) / step) + 1);
      columns[i] = step * rng.nextInt((int) ((lattice.width() - 1) / step) + 1);
    }
    return new Scatter(rows, columns, values(rng, size));
  }

  /** Readings at different points of the grid. */
  static Scatter onGrid(Rng rng, int size, Lattice lattice) {
    int points = lattice.height() * lattice.width();
    int[] chosen = rng.choice(points, Math.min(size, points));
    double[] rows = new double[chosen.length];
    double[] columns = new double[chosen.length];
    for (int i = 0; i < chosen.length; i++) {
      rows[i] = chosen[i] / lattice.width();
      columns[i] = chosen[i] % lattice.width();
    }
    return new Scatter(rows, columns, values(rng, chosen.length));
  }

  private static double[] values(Rng rng, int size) {
    return rng.split("values").normal(Shape.of(size)).toDoubles();
  }

  /** Readings of a function of row and column at the same places. */
  Scatter of(DoubleBinaryOperator function) {
    double[] values = new double[rows.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = function.applyAsDouble(rows[i], columns[i]);
    }
    return new Scatter(rows, columns, values);
  }

  /** The readings at other places. */
  Scatter shifted(double down, double right) {
    double[] r = rows.clone();
    double[] c = columns.clone();
    for (int i = 0; i < r.length; i++) {
      r[i] += down;
      c[i] += right;
    }
    return new Scatter(r, c, values);
  }

  /** The readings in another order, some of them more than once. */
  Scatter picked(int... order) {
    double[] r = new double[order.length];
    double[] c = new double[order.length];
    double[] v = new double[order.length];
    for (int i = 0; i < order.length; i++) {
      r[i] = rows[order[i]];
      c[i] = columns[order[i]];
      v[i] = values[order[i]];
    }
    return new Scatter(r, c, v);
  }

  double[] fill(Interpolation method, Lattice lattice) {
    return method.fill(rows, columns, values, lattice);
  }

  /** The function at all points of a grid. */
  static double[] field(Lattice lattice, DoubleBinaryOperator function) {
    double[] field = new double[lattice.height() * lattice.width()];
    for (int i = 0; i < field.length; i++) {
      field[i] = function.applyAsDouble(i / lattice.width(), i % lattice.width());
    }
    return field;
  }
}
