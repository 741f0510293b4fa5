package io.perflow.physics.solver;

/**
 * A symmetric operator on a grid that couples each point to its eight neighbours, with zero values
 * beyond the edges.
 *
 * <p>All arrays are (rows + 2, cols + 2) in row-major order: a ring of zeros spares every loop its
 * edge cases. By symmetry four of the eight neighbours suffice: {@code east} couples a point to the
 * one at + 1, {@code south} to + stride, {@code southEast} and {@code southWest} to + stride + 1
 * and + stride - 1.
 */
final class Stencil {
  final int rows;
  final int cols;
  final int stride;
  final double[] centre;
  final double[] east;
  final double[] south;
  final double[] southEast;
  final double[] southWest;
  private final double[] inverse; // 1 / centre, set by seal

  Stencil(int rows, int cols) {
    this.rows = rows;
    this.cols = cols;
    stride = cols + 2;
    centre = grid();
    east = grid();
    south = grid();
    southEast = grid();
    southWest = grid();
    inverse = grid();
  }

  /** Returns a field of zeros, ring included. */
  double[] grid() {
    return new double[(rows + 2) * stride];
  }

  /** Returns the position of point (i, j), both counted from 1. */
  int at(int i, int j) {
    return i * stride + j;
  }

  /** Completes the stencil after all couplings are set. */
  Stencil seal() {
    for (int i = 1; i <= rows; i++) {
      for (int p = at(i, 1); p <= at(i, cols); p++) {
        inverse[p] = 1 / centre[p];
      }
    }
    return this;
  }

  /** Returns the couplings of p to its neighbours, applied to x; without the centre. */
  private double around(double[] x, int p) {
    int s = stride;
    return east[p] * x[p + 1]
        + east[p - 1] * x[p - 1]
        + south[p] * x[p + s]
        + south[p - s] * x[p - s]
        + southEast[p] * x[p + s + 1]
        + southEast[p - s - 1] * x[p - s - 1]
        + southWest[p] * x[p + s - 1]
        + southWest[p - s + 1] * x[p - s + 1];
  }

  /** Sets y = A x. */
  void apply(double[] x, double[] y) {
    for (int i = 1; i <= rows; i++) {
      int end = at(i, cols);
      for (int p = at(i, 1); p <= end; p++) {
        y[p] = centre[p] * x[p] + around(x, p);
      }
    }
  }

  /** Sets r = b - A x. */
  void residual(double[] b, double[] x, double[] r) {
    for (int i = 1; i <= rows; i++) {
      int end = at(i, cols);
      for (int p = at(i, 1); p <= end; p++) {
        r[p] = b[p] - centre[p] * x[p] - around(x, p);
      }
    }
  }

  /** Makes one sweep of Gauss and Seidel for A x = b in the order of the points. */
  void sweepForward(double[] b, double[] x) {
    for (int i = 1; i <= rows; i++) {
      int end = at(i, cols);
      for (int p = at(i, 1); p <= end; p++) {
        x[p] = (b[p] - around(x, p)) * inverse[p];
      }
    }
  }

  /** Makes one sweep in the opposite order: the transpose of {@link #sweepForward}. */
  void sweepBackward(double[] b, double[] x) {
    for (int i = rows; i >= 1; i--) {
      int end = at(i, 1);
      for (int p = at(i, cols); p >= end; p--) {
        x[p] = (b[p] - around(x, p)) * inverse[p];
      }
    }
  }
}
