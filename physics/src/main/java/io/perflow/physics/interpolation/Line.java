package io.perflow.physics.interpolation;

import java.util.Optional;

/**
 * A line in the plane on which places lie.
 *
 * @param x the coordinate of its start along the first axis
 * @param y the coordinate of its start along the second axis
 * @param dx the first component of its unit direction; 0 when all places coincide
 * @param dy the second component
 */
record Line(double x, double y, double dx, double dy) {
  /** Returns the line from which no place is farther than {@code tolerance}, if there is one. */
  static Optional<Line> through(double[] x, double[] y, double tolerance) {
    int end = 0;
    double length = 0;
    for (int i = 1; i < x.length; i++) {
      double distance = Math.hypot(x[i] - x[0], y[i] - y[0]);
      if (distance > length) {
        length = distance;
        end = i;
      }
    }
    if (length == 0) {
      return Optional.of(new Line(x[0], y[0], 0, 0));
    }
    Line line = new Line(x[0], y[0], (x[end] - x[0]) / length, (y[end] - y[0]) / length);
    for (int i = 0; i < x.length; i++) {
      double across = (x[i] - x[0]) * line.dy - (y[i] - y[0]) * line.dx;
      if (Math.abs(across) > tolerance) {
        return Optional.empty();
      }
    }
    return Optional.of(line);
  }

  /** Returns the position on the line of the foot of the perpendicular from a place. */
  double along(double px, double py) {
    return (px - x) * dx + (py - y) * dy;
  }
}
