package io.perflow.physics.solver;

/** Statistics and distances of fields, for the tests. */
final class Samples {
  private Samples() {}

  static double mean(double[] x) {
    double sum = 0;
    for (double value : x) {
      sum += value;
    }
    return sum / x.length;
  }

  static double meanSquare(double[] x) {
    double sum = 0;
    for (double value : x) {
      sum += value * value;
    }
    return sum / x.length;
  }

  static double std(double[] x) {
    double mean = mean(x);
    return Math.sqrt(Math.max(0, meanSquare(x) - mean * mean));
  }

  /** |x - y| / |y| in the Euclidean norm. */
  static double relativeError(double[] x, double[] y) {
    double distance = 0;
    double norm = 0;
    for (int i = 0; i < x.length; i++) {
      distance += (x[i] - y[i]) * (x[i] - y[i]);
      norm += y[i] * y[i];
    }
    return Math.sqrt(distance / norm);
  }
}
