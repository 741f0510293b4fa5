package io.perflow.physics.residual;

import io.perflow.tensor.Check;
import io.perflow.tensor.Tensor;

/**
 * Three-point differences along an axis. They are computed where both neighbours exist, so the axis
 * loses its two ends; to get values there, pad first with zeros or periodically.
 */
final class Stencil {
  static final int ROWS = 2;
  static final int COLUMNS = 3;

  private Stencil() {}

  /** Returns (x(i+1) - x(i-1)) / 2h. */
  static Tensor central(Tensor x, int axis, double h) {
    int n = x.dim(axis);
    return x.slice(axis, 2, n).sub(x.slice(axis, 0, n - 2)).mul(1 / (2 * h));
  }

  /** Returns {@link #central} with zeros beyond the ends and step 1, as DiffusionPDE convolves. */
  static Tensor zeroPadded(Tensor x, int axis) {
    return central(x.pad(axis, 1, 1), axis, 1);
  }

  /** Returns (x(i+1) - 2 x(i) + x(i-1)) / h². */
  static Tensor second(Tensor x, int axis, double h) {
    int n = x.dim(axis);
    Tensor outer = x.slice(axis, 2, n).add(x.slice(axis, 0, n - 2));
    return outer.addScaled(inner(x, axis), -2).mul(1 / (h * h));
  }

  /** Returns the axis without its two ends. */
  static Tensor inner(Tensor x, int axis) {
    return x.slice(axis, 1, x.dim(axis) - 1);
  }

  /** Returns both axes of the grid without their ends. */
  static Tensor interior(Tensor x) {
    return inner(inner(x, ROWS), COLUMNS);
  }

  /** Returns zeros for the ring that {@link #interior} removes. */
  static Tensor ring(Tensor x) {
    return x.pad(ROWS, 1, 1).pad(COLUMNS, 1, 1);
  }

  /** Refuses fields of other channels or with fewer than three points along an axis. */
  static void check(String name, Tensor field, int channels) {
    checkGrid(name, field);
    Check.size(name, "channels", field, field.dim(1), channels);
  }

  static void checkGrid(String name, Tensor field) {
    Check.rank(name, "field", field, 4);
    Check.that(
        field.dim(ROWS) >= 3 && field.dim(COLUMNS) >= 3,
        name,
        "differences need 3 points along each axis, the grid of %s has %d x %d",
        field.shape(),
        field.dim(ROWS),
        field.dim(COLUMNS));
  }
}
