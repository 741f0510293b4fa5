package io.perflow.flow;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/**
 * A method that carries fields from t = 0 to t = 1 along a velocity field.
 *
 * <p>To add your own method, implement this interface. All methods here are explicit Runge-Kutta or
 * multistep methods: every new state is the old one plus a linear combination of velocities, so
 * when all velocities are tangent to an affine manifold every stage stays on it.
 */
public interface OdeSolver {

  /** Returns the name and the number of steps, for tables. */
  String describe();

  /**
   * Returns the smallest step; a method that predicts end points need not resolve smaller times.
   */
  double resolution();

  /** Integrates to t = 1 and applies a retraction after every step. */
  Tensor integrate(VelocityField field, Tensor start, Retraction retraction);

  /**
   * A correction of the state after each step, for instance a projection; it may also just observe
   * states.
   */
  @FunctionalInterface
  interface Retraction {
    /**
     * Returns the corrected state: {@code x} itself if it needs no correction, otherwise a new
     * tensor.
     */
    Tensor after(double t, Tensor x);

    /** A retraction that corrects nothing, for flat manifolds. */
    Retraction NONE = (_, x) -> x;
  }

  /** Returns Euler's method; the paper uses 50 steps. */
  static OdeSolver euler(int steps) {
    return new RungeKutta("euler", steps, new double[][] {{}}, new double[] {1});
  }

  /** Returns the midpoint method, two evaluations per step. */
  static OdeSolver midpoint(int steps) {
    return new RungeKutta("midpoint", steps, new double[][] {{}, {0.5}}, new double[] {0, 1});
  }

  /** Returns Heun's method, with two evaluations per step. */
  static OdeSolver heun(int steps) {
    return new RungeKutta("heun", steps, new double[][] {{}, {1}}, new double[] {0.5, 0.5});
  }

  /** Returns the classical method of order four. */
  static OdeSolver rk4(int steps) {
    return new RungeKutta(
        "rk4",
        steps,
        new double[][] {{}, {0.5}, {0, 0.5}, {0, 0, 1}},
        new double[] {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0});
  }

  /**
   * Returns the multistep method of order two for straight paths, with one evaluation per step; 10
   * steps are as accurate as 50 Euler steps, unless the noise is much smaller than the data in some
   * component.
   */
  static OdeSolver multistep(int steps) {
    return new Multistep(steps);
  }

  /** Returns the adaptive method of Dormand and Prince, orders 5 and 4. */
  static OdeSolver dormandPrince(double tolerance) {
    return new DormandPrince(tolerance, tolerance);
  }

  /**
   * Returns a method by its name: euler, midpoint, heun, rk4 or multistep with a number of steps,
   * or dopri5.
   */
  static OdeSolver of(String name, int steps) {
    return switch (name) {
      case "euler" -> euler(steps);
      case "midpoint" -> midpoint(steps);
      case "heun" -> heun(steps);
      case "rk4" -> rk4(steps);
      case "multistep" -> multistep(steps);
      case "dopri5" -> dormandPrince(1e-4);
      default ->
          throw new IllegalArgumentException(
              "solver '%s' is unknown: choose one of euler, midpoint, heun, rk4, multistep, dopri5"
                  .formatted(name));
    };
  }

  /** Allocates memory for a state that {@link #move} overwrites step by step. */
  static Tensor state(Tensor start) {
    return start.mul(1).contiguous();
  }

  /** Overwrites the state, so that a trajectory needs the memory of one step. */
  static void move(Tensor state, Tensor next) {
    if (state == next) {
      return;
    }
    state.device().backend().memory().assign(state, next.contiguous());
  }

  /** Returns x + h Σ aⱼ kⱼ over the coefficients that are not zero. */
  static Tensor advance(Tensor x, double h, double[] a, Tensor[] k) {
    try (Scope scope = Scope.open()) {
      Tensor sum = x;
      for (int j = 0; j < a.length; j++) {
        if (a[j] != 0) {
          sum = sum.addScaled(k[j], h * a[j]);
        }
      }
      return scope.keep(sum);
    }
  }
}
