package io.perflow.physics.constraint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.autograd.GradCheck;
import io.perflow.autograd.Tape;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/**
 * The laws that every projector must satisfy, as checks that throw an {@link AssertionError} when
 * it fails.
 *
 * <p>They are separate from the properties that call them, so that a broken projector can be shown
 * to fail each one.
 */
final class Laws {
  private Laws() {}

  static Tensor normal(Rng rng, Shape shape, DataType type) {
    return rng.normal(Device.cpu(), shape, type);
  }

  /** P(Px) = Px. */
  static void idempotent(Projector p, Tensor x) {
    Tensor once = p.project(x);
    requireClose("P(Px) = Px", once, p.project(once), tolerance(x) * (1 + max(x)));
    Tensor v = p.tangent(x, once);
    requireClose("PPv = Pv", v, p.tangent(v, once), tolerance(x) * max(x));
  }

  private static void requireClose(String law, Tensor a, Tensor b, double tolerance) {
    double worst = max(a.sub(b));
    assertTrue(worst <= tolerance, () -> "%s: off by %.2e".formatted(law, worst));
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
      if (c instanceof Prescribed && !(p instanceof JointProjector)) {
        floor = 0; // written over, not computed
      }
      double worst = rms(c, x);
      double bound = floor * Math.sqrt(steps);
      assertTrue(
          worst <= bound,
          () ->
              "%s: residual %.2e after %d steps, floor %.2e, field %s"
                  .formatted(c.name(), worst, steps, bound, x.shape()));
    }
  }

  // Roots of the mean squares that correct rounding reaches.
  private static double floor(Constraint c, double typical, double largest) {
    return switch (c) {
      case Prescribed _ -> 6e-8 * largest;
      case Mass _ -> 1.2e-7 * largest; // the mean is rounded, and so is the step
      default -> 2e-7 * largest * Math.max(1, typical);
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

  /** Projections of two fields onto a flat manifold are no farther apart than the fields. */
  static void nonExpansive(Projector p, Tensor x, Tensor y) {
    Tensor between = x.sub(y);
    Tensor after = p.project(x).sub(p.project(y));
    double before = Math.sqrt(dot(between, between));
    double then = Math.sqrt(dot(after, after));
    assertTrue(
        then <= before * (1 + tolerance(x)),
        () -> "non-expansive: %.17g and then %.17g apart".formatted(before, then));
  }

  /** The tape's gradient of ⟨project(x), g⟩ is the projection of g. */
  static void gradientIsProjection(Projector p, Tensor x, Tensor g) {
    try (Tape tape = Tape.watching(x)) {
      Tensor gradient = tape.gradients(p.project(x).mul(g).sum()).of(x);
      requireClose("gradient", p.tangent(g, x), gradient, tolerance(x) * max(g));
    }
  }

  /** d/de project(x + e v) = tangent(v) at a point of the manifold. */
  static void tangentIsDerivative(Projector p, Tensor x, Tensor v) {
    if (p.curved()) { // differences of short steps, which need double precision
      Tensor at = p.project(x.to(DataType.F64));
      requireDerivative(p, at, v.to(DataType.F64), 1e-4, 1e-6);
    } else {
      requireDerivative(p, p.project(x), v, 1, tolerance(x));
    }
  }

  /** advance(x, v, w) is x + w Pv, and a step from a point of a flat manifold ends on it. */
  static void stepsAlongTangents(Projector p, Tensor x, Tensor v) {
    Tensor at = p.project(x);
    double weight = 0.3;
    Tensor apart = at.addScaled(p.tangent(v, at), weight);
    double tolerance = tolerance(x) * (max(at) + max(v));
    Tensor joined = p.advance(at, v, weight);
    requireClose("step", apart, joined, tolerance);
    Tensor towards = at.addScaled(p.tangent(v.sub(at), at), weight);
    Tensor joinedTowards = p.advance(at, v, at, weight);
    requireClose("step towards", towards, joinedTowards, tolerance);
    if (!p.curved()) {
      requireSatisfied(p, joined, 4);
      requireSatisfied(p, joinedTowards, 4);
    }
  }

  private static void requireDerivative(
      Projector p, Tensor at, Tensor v, double eps, double tolerance) {
    Tensor there = p.project(at.addScaled(v, eps));
    Tensor difference = there.sub(p.project(at.addScaled(v, -eps))).mul(0.5 / eps);
    requireClose("derivative", p.tangent(v, at), difference, tolerance * (max(at) + max(v)));
  }

  private static double max(Tensor x) {
    return x.abs().max(false).item();
  }

  /** The tape's gradients are those of central differences. */
  static void gradient(Projector p, Tensor x, Tensor v) {
    GradCheck.require(in -> p.project(in[0]), x);
    Tensor at = p.project(x);
    GradCheck.require(in -> p.tangent(in[0], at), v);
    if (!p.curved()) {
      GradCheck.require(in -> p.advance(in[0], in[1], in[0], 0.3), x, v);
    }
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
          if (!p.curved()) { // a straight line leaves a curved manifold
            requireSatisfied(p, stage, step + 1);
          }
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
