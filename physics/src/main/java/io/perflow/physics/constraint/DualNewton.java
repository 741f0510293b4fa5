package io.perflow.physics.constraint;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * The nearest field within a box that satisfies equations A y = p, by a semismooth Newton method on
 * their multipliers λ.
 *
 * <p>The field is y = clip(x - Aᵀλ), and λ maximizes a concave function, quadratic in pieces, whose
 * gradient is A y - p. A step solves A D Aᵀ δ = A y - p, with D = 1 for values between their bounds
 * and next to nothing for values at a bound, by conjugate gradients. The length of the step is the
 * best one along δ, exactly ({@link DualRoot}), so the function rises at every step. Once the
 * values at bounds are the right ones, the next step ends at the solution.
 *
 * <p>Fields are F64; every sample has multipliers and step lengths of its own.
 */
final class DualNewton {
  private static final int MOST_STEPS = 200;

  // D of a value at its bound: rows all of whose values are at bounds must not make A D Aᵀ
  // singular. It slows down the last steps by this factor and no more.
  private static final double AT_BOUND = 1e-8;

  private static final double TOLERANCE = 1e-10; // of a step, which the next one makes up for
  private static final double ROUND_OFF = 1e-15;
  private static final double HIDDEN =
      1e-12; // of the terms of a sum: too little to see its root by
  private static final double STALLED = 1e-10; // below, a step that does not help is round-off

  private final List<? extends Constraint> constraints;
  private final List<AffineConstraint> equations;
  private final Rows rows;
  private final Box box;

  /**
   * A solver for fields of one shape.
   *
   * @param constraints all that are to hold, for messages
   */
  DualNewton(
      List<? extends Constraint> constraints,
      List<AffineConstraint> equations,
      Box box,
      Shape field) {
    this.constraints = constraints;
    this.equations = equations;
    this.rows = new Rows(equations, field);
    this.box = box;
  }

  /**
   * The nearest field.
   *
   * @throws IllegalArgumentException when there is none
   */
  Tensor nearest(Tensor x) {
    int batch = x.dim(0);
    Tensor z = x; // x - Aᵀλ
    Tensor y = box.clip(z);
    boolean[] arrived = new boolean[batch];
    double[] moved = new double[batch];
    double[][] before = new double[batch][equations.size()];
    Arrays.fill(moved, Double.POSITIVE_INFINITY);
    for (int step = 0; step < MOST_STEPS; step++) {
      Tensor missed = rows.residual(y);
      double[][] now = rows.norms(missed);
      double[][] size = rows.norms(rows.linear(y.abs()));
      boolean all = true;
      for (int s = 0; s < batch; s++) {
        arrived[s] |= arrived(now[s], size[s], before[s], moved[s]);
        all &= arrived[s];
      }
      if (all) {
        Conflict.requireMet(constraints, equations, x, y);
        return y;
      }
      before = now;
      Tensor direction = direction(missed, y);
      Tensor change = rows.adjoint(direction);
      double[] lengths = lengths(arrived, z, y, change, direction, missed);
      z = z.sub(change.mul(perSample(lengths, x)));
      Tensor next = box.clip(z);
      moved = moved(y, next);
      y = next;
    }
    Conflict.requireMet(constraints, equations, x, y);
    throw new IllegalArgumentException(
        ("[%s] Newton's method has not arrived after %d steps: the constraints hardly leave a field"
                + " to choose; widen the bounds")
            .formatted(Conflict.names(constraints), MOST_STEPS));
  }

  // Whether the equations of every constraint hold as well as rounding allows, or none came closer
  // by a last small step. Each is asked by itself, since quantities may differ by many orders of
  // magnitude: those of the largest come first.
  private static boolean arrived(double[] now, double[] size, double[] before, double moved) {
    boolean hold = true;
    boolean closer = false;
    for (int k = 0; k < now.length; k++) {
      if (Double.isNaN(now[k])) {
        throw new IllegalArgumentException(
            "[projector] the field holds numbers that are not finite");
      }
      hold &= now[k] <= ROUND_OFF * size[k];
      closer |= now[k] <= 0.5 * before[k];
    }
    return hold || moved <= STALLED && !closer;
  }

  // the largest change of each sample, relative to its largest value
  private static double[] moved(Tensor y, Tensor next) {
    double[] change = largest(next.sub(y));
    double[] size = largest(next);
    double[] moved = new double[change.length];
    Arrays.setAll(moved, s -> change[s] == 0 ? 0 : change[s] / size[s]);
    return moved;
  }

  private Tensor direction(Tensor missed, Tensor y) {
    Tensor weights = box.free(y).maximum(AT_BOUND);
    return IterativeCorrection.solve(
        r -> rows.linear(rows.adjoint(r).mul(weights)), rows::precondition, missed, TOLERANCE);
  }

  // how far each sample goes: to where the equations, weighted by the direction, hold
  private double[] lengths(
      boolean[] arrived, Tensor z, Tensor y, Tensor change, Tensor direction, Tensor missed) {
    int batch = arrived.length;
    int size = y.size() / batch;
    double[] at = z.toDoubles();
    double[] by = change.toDoubles();
    double[] low = Box.spread(box.lower(), y.shape());
    double[] high = Box.spread(box.upper(), y.shape());
    Tensor terms = change.mul(y);
    double[] now = terms.sum(1, 2, 3).toDoubles();
    double[] scale = terms.abs().sum(1, 2, 3).toDoubles();
    double[] excess = direction.mul(missed).sum(1).toDoubles();
    double[] lengths = new double[batch];
    for (int s = 0; s < batch; s++) {
      if (arrived[s]) {
        continue;
      }
      // Once rounding hides what is left, the method's own step is the right one.
      double t =
          excess[s] <= HIDDEN * scale[s]
              ? 1
              : DualRoot.of(
                  sample(at, s, size),
                  sample(by, s, size),
                  sample(low, s, size),
                  sample(high, s, size),
                  now[s] - excess[s]);
      // Infinite when the weighted equations hold for no field of the box: steps of any length lead
      // to the field that misses them least, which the error tells.
      lengths[s] = Double.isInfinite(t) ? 1 : t;
    }
    return lengths;
  }

  private static double[] sample(double[] all, int s, int size) {
    return Arrays.copyOfRange(all, s * size, (s + 1) * size);
  }

  private static Tensor perSample(double[] numbers, Tensor like) {
    return like.device().backend().upload(numbers, Shape.of(numbers.length, 1, 1, 1));
  }

  private static double[] largest(Tensor x) {
    return x.abs().max(false, 1, 2, 3).toDoubles();
  }
}
