package io.perflow.flow;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/**
 * An explicit Runge-Kutta method with equal steps.
 *
 * @param name the name for tables
 * @param steps the number of steps from 0 to 1
 * @param a the weights of the earlier velocities: row i belongs to stage i, and its sum is the
 *     stage's time
 * @param b the weights of the velocities in the step
 */
public record RungeKutta(String name, int steps, double[][] a, double[] b) implements OdeSolver {

  /** Checks the tableau. */
  public RungeKutta {
    if (steps < 1) {
      throw new IllegalArgumentException("[%s] %d steps: at least 1".formatted(name, steps));
    }
    boolean explicit = a.length == b.length;
    for (int i = 0; i < a.length; i++) {
      explicit &= a[i].length <= i;
    }
    if (!explicit) {
      throw new IllegalArgumentException(
          "[%s] the tableau must have as many rows as weights, row i at most i entries"
              .formatted(name));
    }
  }

  @Override
  public String describe() {
    return name + "-" + steps;
  }

  @Override
  public double resolution() {
    return 1.0 / steps;
  }

  @Override
  public Tensor integrate(VelocityField field, Tensor start, Retraction retraction) {
    double h = 1.0 / steps;
    Tensor x = start;
    for (int i = 0; i < steps; i++) {
      try (Scope scope = Scope.open()) {
        Tensor next = retraction.after((i + 1.0) / steps, step(field, x, i * h, h));
        x = x == start ? scope.keep(next) : scope.keep(next, x);
      }
    }
    return x;
  }

  private Tensor step(VelocityField field, Tensor x, double t, double h) {
    Drift[] k = new Drift[b.length];
    for (int i = 0; i < b.length; i++) {
      double c = 0;
      for (double weight : a[i]) {
        c += weight;
      }
      k[i] = field.drift(Drift.advance(x, h, a[i], k), t + c * h);
    }
    return Drift.advance(x, h, b, k);
  }
}
