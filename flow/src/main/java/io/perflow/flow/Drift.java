package io.perflow.flow;

import io.perflow.physics.constraint.Projector;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/**
 * A velocity before its projection, rate · P (to - from). Projections are linear, so a solver first
 * adds up the velocities of a step and then projects their sum once.
 *
 * @param projector the projector P, the same for all velocities of one field
 * @param from the state x; null for 0
 */
public record Drift(Projector projector, Tensor to, Tensor from, double rate) {

  /** Returns a velocity that is already projected. */
  public static Drift of(Tensor velocity) {
    return new Drift(Projector.none(), velocity, null, 1);
  }

  /** Returns the projected velocity at the field {@code at}. */
  public Tensor velocity(Tensor at) {
    try (Scope scope = Scope.open()) {
      Tensor tangent = projector.tangent(from == null ? to : to.sub(from), at);
      return scope.keep(rate == 1 ? tangent : tangent.mul(rate));
    }
  }

  /** Returns x plus the velocity for a time h. */
  public Tensor advance(Tensor x, double h) {
    return from == null
        ? projector.advance(x, to, h * rate)
        : projector.advance(x, to, from, h * rate);
  }

  /** Returns x + h Σ aⱼ kⱼ over the coefficients that are not zero. */
  static Tensor advance(Tensor x, double h, double[] a, Drift[] k) {
    Drift sum = null;
    try (Scope scope = Scope.open()) {
      for (int j = 0; j < a.length; j++) {
        if (a[j] != 0) {
          sum = sum == null ? k[j].times(a[j]) : sum.plus(k[j].times(a[j]));
        }
      }
      return sum == null ? x : scope.keep(sum.advance(x, h));
    }
  }

  /** Returns the velocity without its projection. */
  Drift unprojected() {
    return new Drift(Projector.none(), to, from, rate);
  }

  private Drift times(double factor) {
    return new Drift(projector, to, from, rate * factor);
  }

  // rate (to - from + ratio (other.to - other.from))
  private Drift plus(Drift other) {
    Tensor own = from == null ? to : to.sub(from);
    Tensor both = other.unprojected().advance(own, 1 / rate);
    return new Drift(projector, both, null, rate);
  }
}
