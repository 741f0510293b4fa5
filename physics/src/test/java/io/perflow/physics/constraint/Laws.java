package io.perflow.physics.constraint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.autograd.GradCheck;
import io.perflow.fixtures.Close;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/**
 * What every projector owes its users, as checks that throw {@link AssertionError} when it fails.
 *
 * <p>Kept apart from the properties that call them, so that a broken projector can be shown to fail
 * each one.
 */
final class Laws {
  private Laws() {}

  static Tensor normal(Rng rng, Shape shape, DataType type) {
    return rng.normal(Device.cpu(), shape, type);
  }

  /** P(Px) = Px. */
  static void idempotent(Projector p, Tensor x) {
    Tensor once = p.project(x);
    Close.assertClose("P(Px)", once, p.project(once), tolerance(x));
    Tensor v = p.tangent(x, once);
    Close.assertClose("Tangent of tangent", v, p.tangent(v, once), tolerance(x));
  }

  private static double tolerance(Tensor x) {
    return x.type() == DataType.F64 ? 1e-11 : 1e-5;
  }

  /** The residual of Px is round-off. */
  static void satisfied(Projector p, Tensor x) {
    requireSatisfied(p, p.project(x), 1);
  }

  /**
   * Every constraint holds to round-off: in F64 relative to what the residual of a random field is,
   * in F32 at the floor of the constraint.
   *
   * @param steps how many roundings the field has been through
   */
  static void requireSatisfied(Projector p, Tensor x, int steps) {
    for (Constraint c : p.constraints()) {
      double typical = rms(c, normal(Rng.of(1), x.shape(), DataType.F64));
      double floor = x.type() == DataType.F64 ? 1e-12 * typical : floor(c, typical, 1 + max(x));
      double worst = rms(c, x);
      assertTrue(
          worst <= floor * Math.sqrt(steps),
          () ->
              "%s: residual %.2e after %d steps, floor %.2e, field %s"
                  .formatted(c.name(), worst, steps, floor, x.shape()));
    }
  }

  // Roots of the mean squares that correct rounding reaches.
  private static double floor(Constraint c, double typical, double largest) {
    return switch (c) {
      case Prescribed _ -> 0;
      case Mass _ -> 6e-8 * largest;
      default -> 3e-7 * typical;
    };
  }

  private static double rms(Constraint c, Tensor x) {
    return Math.sqrt(c.meanSquare(x).max(false, 0).item());
  }

  /** The inner products of Pv with w and of v with Pw agree. */
  static void selfAdjoint(Projector p, Tensor x, Tensor v, Tensor w) {
    Tensor at = p.project(x);
    double left = dot(p.tangent(v, at), w);
    double right = dot(v, p.tangent(w, at));
    double scale = Math.sqrt(dot(v, v) * dot(w, w));
    assertEquals(left, right, tolerance(x) * scale, "self-adjointness");
  }

  private static double dot(Tensor a, Tensor b) {
    return a.mul(b).sum().item();
  }

  /** d/de project(x + e v) = tangent(v) at a point of the manifold. */
  static void tangentIsDerivative(Projector p, Tensor x, Tensor v) {
    Tensor at = p.project(x);
    // a flat manifold may be left by any distance
    double eps = p.curved() ? 1e-5 : 1;
    Tensor difference = p.project(at.addScaled(v, eps)).sub(p.project(at.addScaled(v, -eps)));
    double tolerance = p.curved() ? 1e-7 : tolerance(x);
    Close.assertClose(
        "derivative", p.tangent(v, at), difference.mul(0.5 / eps), tolerance * (1 + max(v)));
  }

  private static double max(Tensor x) {
    return x.abs().max(false).item();
  }

  /** The tape's gradients are those of central differences. */
  static void gradient(Projector p, Tensor x, Tensor v) {
    GradCheck.require(in -> p.project(in[0]), x);
    Tensor at = p.project(x);
    GradCheck.require(in -> p.tangent(in[0], at), v);
  }

  /**
   * The theorem: a flow that starts on the manifold and moves along projected velocities stays on
   * it, at every stage of every step of an explicit Runge-Kutta method.
   */
  static void invariant(Projector p, SmoothFlow flow, Tableau method, int steps, Tensor start) {
    Tensor x = p.project(start);
    double h = 1.0 / steps;
    for (int step = 0; step < steps; step++) {
      try (Scope scope = Scope.open()) {
        Tensor[] slopes = new Tensor[method.stages()];
        for (int i = 0; i < slopes.length; i++) {
          Tensor stage = method.stage(x, slopes, i, h);
          requireSatisfied(p, stage, step + 1);
          double t = (step + method.time(i)) * h;
          slopes[i] = p.tangent(flow.velocity(stage, t), stage);
        }
        Tensor next = method.step(x, slopes, h);
        x = scope.keep(p.curved() ? p.project(next) : next);
        requireSatisfied(p, x, step + 1);
      }
    }
    assertTrue(flow.moves(x, start), "a flow that goes nowhere shows nothing");
  }
}
