package io.perflow.physics.constraint;

import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;

/**
 * An explicit Runge-Kutta method.
 *
 * @param a weights of earlier slopes in each stage
 * @param b weights of the slopes in the step, of sum 1
 */
record Tableau(double[][] a, double[] b) {

  static Tableau euler() {
    return new Tableau(new double[][] {{}}, new double[] {1});
  }

  static Tableau heun() {
    return new Tableau(new double[][] {{}, {1}}, new double[] {0.5, 0.5});
  }

  static Tableau rk4() {
    return new Tableau(
        new double[][] {{}, {0.5}, {0, 0.5}, {0, 0, 1}},
        new double[] {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0});
  }

  /** Weights from nowhere, consistent but of no particular order. */
  static Tableau random(int stages, Rng rng) {
    double[][] a = new double[stages][];
    double[] b = new double[stages];
    double sum = 0;
    for (int i = 0; i < stages; i++) {
      a[i] = new double[i];
      for (int j = 0; j < i; j++) {
        a[i][j] = (2 * rng.nextDouble() - 0.5) / stages;
      }
      b[i] = 0.1 + rng.nextDouble();
      sum += b[i];
    }
    for (int i = 0; i < stages; i++) {
      b[i] /= sum;
    }
    return new Tableau(a, b);
  }

  int stages() {
    return b.length;
  }

  double time(int i) {
    double time = 0;
    for (double weight : a[i]) {
      time += weight;
    }
    return time;
  }

  Tensor stage(Tensor x, Tensor[] slopes, int i, double h) {
    return combine(x, slopes, a[i], h);
  }

  Tensor step(Tensor x, Tensor[] slopes, double h) {
    return combine(x, slopes, b, h);
  }

  private static Tensor combine(Tensor x, Tensor[] slopes, double[] weights, double h) {
    Tensor sum = x;
    for (int j = 0; j < weights.length; j++) {
      sum = sum.addScaled(slopes[j], h * weights[j]);
    }
    return sum;
  }
}
