package io.perflow.physics.interpolation;

import java.util.Arrays;
import java.util.Optional;

/**
 * A thin-plate spline: f(x, y) = Σ wᵢ φ(rᵢ) + a + b x + c y with φ(r) = r² log r.
 *
 * <p>Coordinates are scaled to [-1, 1], which changes nothing but the rounding errors.
 */
final class Spline {
  private final double centreX;
  private final double centreY;
  private final double scale;
  private final double[] x; // of the readings, scaled
  private final double[] y;
  private double[] weights;
  private double constant;
  private double slopeX;
  private double slopeY;

  private Spline(double[] x, double[] y) {
    centreX = centre(x);
    centreY = centre(y);
    double extent = Math.max(extent(x, centreX), extent(y, centreY));
    scale = extent > 0 ? 1 / extent : 1;
    this.x = Arrays.stream(x).map(a -> (a - centreX) * scale).toArray();
    this.y = Arrays.stream(y).map(a -> (a - centreY) * scale).toArray();
  }

  private static double centre(double[] a) {
    return (Arrays.stream(a).min().orElseThrow() + Arrays.stream(a).max().orElseThrow()) / 2;
  }

  private static double extent(double[] a, double centre) {
    return Arrays.stream(a).map(v -> Math.abs(v - centre)).max().orElseThrow();
  }

  /**
   * Returns the spline through readings at distinct places.
   *
   * @param tolerance the distance from a line within which places count as being on it
   */
  static Spline through(double[] x, double[] y, double[] values, double tolerance) {
    Spline spline = new Spline(x, y);
    Optional<Line> line = Line.through(spline.x, spline.y, tolerance * spline.scale);
    if (line.isPresent()) {
      spline.solveOnLine(line.get(), values);
    } else {
      spline.solve(values);
    }
    return spline;
  }

  private void solve(double[] values) {
    double[] one = new double[x.length];
    Arrays.fill(one, 1);
    Saddle saddle = new Saddle(kernel(), new double[][] {one, x.clone(), y.clone()}, values);
    weights = saddle.weights();
    constant = saddle.coefficient(0);
    slopeX = saddle.coefficient(1);
    slopeY = saddle.coefficient(2);
  }

  // Only the position along the line matters: it replaces x and y.
  private void solveOnLine(Line line, double[] values) {
    if (x.length == 1) {
      weights = new double[1];
      constant = values[0];
      return;
    }
    double[] one = new double[x.length];
    Arrays.fill(one, 1);
    double[] along = new double[x.length];
    for (int i = 0; i < x.length; i++) {
      along[i] = line.along(x[i], y[i]);
    }
    Saddle saddle = new Saddle(kernel(), new double[][] {one, along}, values);
    weights = saddle.weights();
    slopeX = saddle.coefficient(1) * line.dx();
    slopeY = saddle.coefficient(1) * line.dy();
    constant = saddle.coefficient(0) - slopeX * line.x() - slopeY * line.y();
  }

  private double[] kernel() {
    int n = x.length;
    double[] matrix = new double[n * n];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < i; j++) {
        double entry = phi(x[i] - x[j], y[i] - y[j]);
        matrix[i * n + j] = entry;
        matrix[j * n + i] = entry;
      }
    }
    return matrix;
  }

  // r² log r of the distance
  private static double phi(double dx, double dy) {
    double square = dx * dx + dy * dy;
    return square > 0 ? 0.5 * square * Math.log(square) : 0;
  }

  /** Returns the value at a physical position. */
  double at(double px, double py) {
    double u = (px - centreX) * scale;
    double v = (py - centreY) * scale;
    double sum = constant + slopeX * u + slopeY * v;
    for (int i = 0; i < x.length; i++) {
      sum += weights[i] * phi(u - x[i], v - y[i]);
    }
    return sum;
  }
}
