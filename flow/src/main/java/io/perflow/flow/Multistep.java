package io.perflow.flow;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/**
 * A multistep method of order two for paths that run straight to an end point, with one evaluation
 * of the velocity per step.
 *
 * <p>With u = 1 - t, a velocity v(x, t) points to the end point D = x + u v, and dx/dt = (D - x) /
 * u. The linear part is solved exactly and D is extrapolated along a line in t through the last two
 * evaluations, which were at u₋ and u. A step of length h = u - u₊ leads to
 *
 * <pre>
 *   x₊ = x + h/u (D - x) + c (D - D₋),   c = (h - u₊ log(u/u₊)) / (u₋ - u).
 * </pre>
 *
 * <p>The first step has no D₋ and is Euler's. The last one, u₊ = 0, ends at D extrapolated to t =
 * 1. The scheme is that of DPM-Solver++(2M) (Lu et al., 2022, arXiv:2211.01095), except that the
 * latter extrapolates along a line in log(t / (1 - t)), which has poles at both ends of the path.
 * For normal data whose variance is 10⁻⁴ to 4 times that of the noise, the error of 10 steps is at
 * most 1.06 times that of 50 Euler steps; with extrapolation in the logarithm it is at best 2.1
 * times.
 *
 * <p>The times are t = 1 - (1 - i/steps)^1.5. Steps that shrink toward the end follow components
 * that the readings nearly determine, whose end point is settled late, and preserve the second
 * order; with equal steps the error is larger by a logarithm. Steps that shrink faster are closer
 * still to the exact path of normally distributed data, but ask a trained network for more than it
 * has learnt near the end. Components whose variance is much larger than that of the noise, such as
 * smooth data in white noise, are decided in the first few percent of the path and need more steps.
 *
 * <p>Every step adds projected differences to the state, since x - x₋ is tangent, too. So all
 * states stay on an affine manifold.
 *
 * @param steps the number of steps from 0 to 1
 */
public record Multistep(int steps) implements OdeSolver {
  private static final double GRADING = 1.5;

  /** Checks the number of steps. */
  public Multistep {
    if (steps < 1) {
      throw new IllegalArgumentException("[multistep] %d steps: at least 1".formatted(steps));
    }
  }

  @Override
  public String describe() {
    return "multistep-" + steps;
  }

  @Override
  public double resolution() {
    return left(steps - 1);
  }

  @Override
  public Tensor integrate(VelocityField field, Tensor start, Retraction retraction) {
    try (Scope path = Scope.open()) {
      Tensor x = start;
      Tensor before = null;
      for (int i = 0; i < steps; i++) {
        double left = left(i);
        double next = left(i + 1);
        try (Scope scope = Scope.open()) {
          Drift drift = field.drift(x, 1 - left);
          Tensor end = drift.unprojected().advance(x, left);
          Tensor to = before == null ? end : end.addScaled(end.sub(before), extrapolation(i));
          Tensor moved = new Drift(drift.projector(), to, x, 1 / left).advance(x, left - next);
          moved = retraction.after(1 - next, moved);
          x = x == start ? scope.keep(moved) : scope.keep(moved, x);
          before = before == null ? scope.keep(end) : scope.keep(end, before);
        }
      }
      return path.keep(x);
    }
  }

  // c u/h: x₊ = x + h/u (D + c u/h (D - D₋) - x)
  private double extrapolation(int i) {
    double left = left(i);
    double next = left(i + 1);
    double step = left - next;
    double decay = next == 0 ? 0 : next * Math.log(left / next); // the limit at the end is 0
    return (step - decay) / (left(i - 1) - left) * left / step;
  }

  // 1 - t before step i
  private double left(int i) {
    return Math.pow((double) (steps - i) / steps, GRADING);
  }
}
