package io.perflow.physics.constraint;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * A search for the nearest field within a box that satisfies equations A y = p, by a semismooth
 * Newton method on their multipliers λ.
 *
 * <p>The field is y = clip(x - Aᵀλ), and λ maximizes a concave function, quadratic in pieces, whose
 * gradient is A y - p. A step solves A D Aᵀ δ = A y - p, where D is 1 for values between their
 * bounds and tiny for values at a bound, by conjugate gradients. The length of the step is the best
 * one along δ, exactly ({@link DualRoot}), so the function rises at every step. Once the values at
 * bounds are the right ones, the next step ends at the solution.
 *
 * <p>Fields are F64; every sample has its own multipliers and step lengths.
 */
final class DualNewton {
  private static final int MOST_STEPS = 200;

  // Limits of D for a value at its bound. With 0, a row all of whose values are at bounds would
  // make A D Aᵀ singular.
  private static final double LEAST = 1e-6;
  private static final double MOST = 1e-3;

  private static final double TOLERANCE = 1e-10; // of a step; the next step corrects the rest
  private static final double ROUND_OFF = 1e-14; // of equations; less is noise that steps amplify
  private static final double HIDDEN = 1e-12; // of the terms of a sum: its root is rounding
  private static final double SMALL = 1e-10; // steps that are no longer, relative to the field
  private static final int PATIENCE = 5; // consecutive small steps that reduce no equation's misfit

  private final List<? extends Constraint> constraints;
  private final List<AffineConstraint> equations;
  private final Rows rows;
  private final Box box;
  private final Constant signs; // random signs, [1, channels, height, width]

  /**
   * A solver for fields of one shape.
   *
   * @param constraints all constraints, for messages
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
    Tensor chance = Rng.of(1).uniform(Device.cpu(), field.with(0, 1), DataType.F64);
    this.signs = Constant.of(chance.less(0.5).mul(2).sub(1));
  }

  /**
   * Returns the nearest field.
   *
   * @throws IllegalArgumentException when there is none
   */
  Tensor nearest(Tensor x) {
    int batch = x.dim(0);
    Tensor z = x; // x - Aᵀλ
    Tensor y = box.clip(z);
    boolean[] arrived = new boolean[batch];
    int[] idle = new int[batch];
    double[] moved = new double[batch];
    double[][] best = new double[batch][equations.size()];
    Arrays.fill(moved, Double.POSITIVE_INFINITY);
    for (double[] ofSample : best) {
      Arrays.fill(ofSample, Double.POSITIVE_INFINITY);
    }
    for (int step = 0; step < MOST_STEPS; step++) {
      Tensor missed = rows.residual(y);
      double[][] now = rows.norms(missed);
      double[][] size = sizes(y);
      boolean all = true;
      for (int s = 0; s < batch; s++) {
        idle[s] = closer(now[s], best[s]) || moved[s] > SMALL ? 0 : idle[s] + 1;
        arrived[s] |= hold(now[s], size[s]) || idle[s] == PATIENCE;
        all &= arrived[s];
      }
      if (all) {
        Conflict.requireMet(constraints, equations, x, y);
        return y;
      }
      Tensor direction = direction(missed, y, weights(now, size));
      Tensor change = rows.adjoint(direction);
      double[] lengths = lengths(arrived, z, y, change, direction, missed);
      z = z.sub(change.mul(perSample(lengths, x)));
      Tensor next = box.clip(z);
      moved = moved(y, next);
      y = next;
    }
    Conflict.requireMet(constraints, equations, x, y);
    throw new IllegalArgumentException(
        ("[%s] Newton's method has not converged after %d steps: the constraints hardly leave a"
                + " field to choose; widen the bounds")
            .formatted(Conflict.names(constraints), MOST_STEPS));
  }

  // Returns whether the equations of every constraint hold up to rounding. Each is tested
  // separately, because quantities may differ by many orders of magnitude.
  private static boolean hold(double[] now, double[] size) {
    boolean hold = true;
    for (int k = 0; k < now.length; k++) {
      if (Double.isNaN(now[k])) {
        throw new IllegalArgumentException(
            "[projector] the field holds numbers that are not finite");
      }
      hold &= now[k] <= ROUND_OFF * size[k];
    }
    return hold;
  }

  // Returns the size of the terms of the equations, by sample and constraint: their sums for values
  // of one sign, as in means, or of random signs, as in differences, whichever is larger.
  private double[][] sizes(Tensor y) {
    double[][] sizes = rows.norms(rows.linear(y.abs()));
    double[][] mixed = rows.norms(rows.linear(y.mul(signs.like(y))));
    for (int s = 0; s < sizes.length; s++) {
      for (int k = 0; k < sizes[s].length; k++) {
        sizes[s][k] = Math.max(sizes[s][k], mixed[s][k]);
      }
    }
    return sizes;
  }

  // Returns whether the misfit of any equation is at most half of its best so far, which is
  // updated.
  private static boolean closer(double[] now, double[] best) {
    boolean closer = false;
    for (int k = 0; k < now.length; k++) {
      if (now[k] < 0.5 * best[k]) { // 0 is no closer than 0
        best[k] = now[k];
        closer = true;
      }
    }
    return closer;
  }

  // Returns the largest change of each sample, relative to its largest value.
  private static double[] moved(Tensor y, Tensor next) {
    double[] change = largest(next.sub(y));
    double[] size = largest(next);
    double[] moved = new double[change.length];
    Arrays.setAll(moved, s -> change[s] == 0 ? 0 : change[s] / size[s]);
    return moved;
  }

  // Returns D for a value at its bound: the share of the equations that is missed, within limits.
  // The matrix is therefore well conditioned at first, and the last steps are Newton's.
  private static double[] weights(double[][] now, double[][] size) {
    double[] weights = new double[now.length];
    for (int s = 0; s < weights.length; s++) {
      for (int k = 0; k < now[s].length; k++) {
        weights[s] = Math.max(weights[s], now[s][k] / size[s][k]);
      }
      weights[s] = Math.clamp(Double.isNaN(weights[s]) ? 0 : weights[s], LEAST, MOST);
    }
    return weights;
  }

  private Tensor direction(Tensor missed, Tensor y, double[] atBound) {
    Tensor weights = box.free(y).maximum(perSample(atBound, y));
    return IterativeCorrection.solve(
        r -> rows.linear(rows.adjoint(r).mul(weights)), rows::precondition, missed, TOLERANCE);
  }

  // Returns how far each sample goes: to where the equations, weighted by the direction, hold.
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
      // Once rounding hides the remaining misfit, the full step is the right one.
      double t =
          excess[s] <= HIDDEN * scale[s]
              ? 1
              : DualRoot.of(
                  sample(at, s, size),
                  sample(by, s, size),
                  sample(low, s, size),
                  sample(high, s, size),
                  now[s] - excess[s]);
      // The length is infinite when the weighted equations hold for no field of the box: steps of
      // any length lead to the field that misses them least, which the error reports.
      lengths[s] = Double.isInfinite(t) ? 1 : t;
    }
    return lengths;
  }

  private static double[] sample(double[] all, int s, int size) {
    return Arrays.copyOfRange(all, s * size, (s + 1) * size);
  }

  private static Tensor perSample(double[] numbers, Tensor like) {
    return like.device().backend().memory().upload(numbers, Shape.of(numbers.length, 1, 1, 1));
  }

  private static double[] largest(Tensor x) {
    return x.abs().max(false, 1, 2, 3).toDoubles();
  }
}
