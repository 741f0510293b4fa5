package io.perflow.physics.equation;

import io.perflow.physics.Normalization;
import io.perflow.physics.prior.Sensing;
import io.perflow.tensor.Check;
import io.perflow.tensor.Cholesky;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;

/**
 * Finds causes whose fields agree with readings: the coefficients c of {@link Causes} that minimize
 *
 * <pre>
 * |c - a|² + Σ ((y - H F(m + B c)) / s)²
 * </pre>
 *
 * <p>For the anchor a = 0 the minimum is the most likely cause. With anchors drawn from the prior,
 * and readings y disturbed by their errors s, the minima are samples of the causes given the
 * readings (randomized maximum likelihood; Kitanidis, 1995; Oliver, He and Reynolds, 1996). They
 * are exact samples for a linear equation, and good ones for others where the readings leave little
 * freedom.
 *
 * <p>Values and errors are in normalized units. One instance serves one set of readings.
 */
public final class GaussNewton {
  private static final double[] STEPS = {1, 0.5, 0.25, 0.1, 0.03}; // lengths to try
  private static final double SHORTEST = 0.01;
  private static final double FIRST_ERROR = 0.1; // assumed at first, then less and less
  private static final double ERROR_RATIO = 0.3;
  private static final int ITERATIONS = 6; // for each assumed error
  private static final double SETTLED = 1e-3; // part of the objective below which a gain is none
  private static final int CHORDS = 12; // steps of samples with the derivative of the best fit
  private static final int OWN = 4; // further steps with their own, for samples that do not fit
  private static final double FITS = 1.5; // misfit in errors
  private static final int CHUNK = 64; // directions whose fields are held at a time

  private final Equation equation;
  private final Causes causes;
  private final Sensing sensing;
  private final Normalization units;
  private final Tensor values; // y, [1, k]
  private final Tensor errors; // s, [1, k]

  /**
   * For the readings of given sensors.
   *
   * @param causes the law of causes before any reading
   * @param sensing the sensors, each with its noise
   * @param values what they read, [1, readings]
   * @param accuracy the least error that is assumed of a reading
   */
  public GaussNewton(
      Equation equation,
      Causes causes,
      Sensing sensing,
      Normalization units,
      Tensor values,
      double accuracy) {
    Check.that(
        accuracy > 0 && accuracy < Double.POSITIVE_INFINITY,
        "assimilation",
        "accuracy %s: it must be positive",
        accuracy);
    Check.sameShape("assimilation", "values", values, Shape.of(1, sensing.size()));
    this.equation = equation;
    this.causes = causes;
    this.sensing = sensing;
    this.units = units;
    this.values = values.to(DataType.F64);
    double[] s = new double[sensing.size()];
    Arrays.setAll(s, i -> Math.max(sensing.sigma(i), accuracy));
    errors = Tensor.of(s, 1, s.length);
  }

  /**
   * Causes and what sensors read of their fields.
   *
   * @param coefficients c, [count, rank]
   * @param read H F(m + B c), [count, readings]
   */
  public record Fit(Tensor coefficients, Tensor read) {
    private Fit row(int i) {
      return new Fit(
          coefficients.slice(0, i, i + 1).contiguous(), read.slice(0, i, i + 1).contiguous());
    }

    private static Fit of(Fit[] rows) {
      return new Fit(
          Tensor.concat(0, Arrays.stream(rows).map(Fit::coefficients).toArray(Tensor[]::new)),
          Tensor.concat(0, Arrays.stream(rows).map(Fit::read).toArray(Tensor[]::new)));
    }
  }

  /** The fields of fitted causes, [count, channels, height, width], in physical units. */
  public Tensor fields(Fit fit) {
    return equation.fields(causes.at(fit.coefficients));
  }

  /** For every cause, the root mean square of what it misses of the readings, in their errors. */
  public double[] misfits(Fit fit) {
    return new Target(fit.coefficients, values, errors).misfits(fit);
  }

  /**
   * The most likely cause. Readings are taken as rough at first and then as more and more accurate,
   * so that the first steps, which start far away, do not fit details.
   *
   * @param start coefficients to start from, [1, rank]; those of the mean are taken instead where
   *     the equation cannot be solved for them
   * @throws ArithmeticException when it cannot be solved for the mean either
   */
  public Fit mostLikely(Tensor start) {
    try (Scope scope = Scope.open()) {
      Tensor origin = start.zerosLike();
      Fit first = at(start);
      Fit fit = solved(first) ? first : at(origin);
      if (!solved(fit)) {
        throw new ArithmeticException(
            "[assimilation] the equation has no solution for the mean of the causes; check its"
                + " parameters");
      }
      for (double rough = FIRST_ERROR; rough > least(); rough *= ERROR_RATIO) {
        fit = minimize(fit, new Target(origin, values, atLeast(rough)), ITERATIONS);
      }
      fit = minimize(fit, new Target(origin, values, errors), ITERATIONS);
      scope.keep(fit.coefficients);
      scope.keep(fit.read);
      return fit;
    }
  }

  /** Samples of the causes given the readings, one for each generator. */
  public Fit samples(Fit best, Rng... rngs) {
    try (Scope scope = Scope.open()) {
      Tensor[] anchors = new Tensor[rngs.length];
      Tensor[] disturbed = new Tensor[rngs.length];
      for (int i = 0; i < rngs.length; i++) {
        anchors[i] = normal(rngs[i].split("anchor"), best.coefficients);
        disturbed[i] = values.add(normal(rngs[i].split("errors"), values).mul(errors));
      }
      Target target = new Target(Tensor.concat(0, anchors), Tensor.concat(0, disturbed), errors);
      // without readings every cause of the prior is a sample
      Fit near = sensing.size() == 0 ? at(target.anchors) : chords(best, target);
      double[] misfits = target.misfits(near);
      Fit[] rows = new Fit[rngs.length];
      for (int i = 0; i < rows.length; i++) {
        rows[i] = near.row(i);
        if (sensing.size() > 0 && !(misfits[i] <= FITS)) {
          rows[i] = minimize(rows[i], target.row(i), OWN);
        }
      }
      Fit all = Fit.of(rows);
      scope.keep(all.coefficients);
      scope.keep(all.read);
      return all;
    }
  }

  // all that is read is finite
  private static boolean solved(Fit fit) {
    return Arrays.stream(fit.read.toDoubles()).allMatch(Double::isFinite);
  }

  private static Tensor normal(Rng rng, Tensor like) {
    return rng.normal(like.device(), like.shape(), DataType.F64);
  }

  private double least() {
    return Arrays.stream(errors.toDoubles()).min().orElse(FIRST_ERROR);
  }

  private Tensor atLeast(double rough) {
    double[] s = Arrays.stream(errors.toDoubles()).map(e -> Math.max(e, rough)).toArray();
    return Tensor.of(s, 1, s.length);
  }

  /** What is to be minimized, a row for each of several causes or one for all. */
  private record Target(Tensor anchors, Tensor values, Tensor errors) {
    Target row(int i) {
      return new Target(
          anchors.slice(0, i, i + 1).contiguous(), values.slice(0, i, i + 1).contiguous(), errors);
    }

    // not a number where the equation could not be solved
    double[] of(Fit fit) {
      Tensor apart = fit.coefficients.sub(anchors).square().sum(1);
      return apart.add(values.sub(fit.read).div(errors).square().sum(1)).toDoubles();
    }

    double[] misfits(Fit fit) {
      return values.sub(fit.read).div(errors).square().mean(1).sqrt().toDoubles();
    }
  }

  private Fit at(Tensor c) {
    try (Scope scope = Scope.open()) {
      return new Fit(c, scope.keep(sensing.read(units.normalize(equation.fields(causes.at(c))))));
    }
  }

  // ---- one cause, its derivative computed anew for every step

  private Fit minimize(Fit start, Target target, int iterations) {
    Fit fit = start;
    double value = target.of(fit)[0];
    for (int i = 0; i < iterations; i++) {
      Tensor step = Linear.at(this, fit, target.errors).step(fit, target);
      Fit tried = at(fit.coefficients.add(step.mul(Tensor.of(STEPS, STEPS.length, 1))));
      double[] found = target.of(tried);
      int best = 0;
      for (int j = 1; j < found.length; j++) {
        best = found[j] < found[best] || Double.isNaN(found[best]) ? j : best;
      }
      if (!(found[best] < value)) {
        break;
      }
      double gain = value - found[best];
      fit = tried.row(best);
      value = found[best];
      if (gain < SETTLED * value) {
        break;
      }
    }
    return fit;
  }

  // ---- many causes, with one derivative for all

  private Fit chords(Fit best, Target target) {
    int count = target.anchors.dim(0);
    Linear linear = Linear.at(this, best, errors);
    Fit[] rows = new Fit[count];
    Arrays.fill(rows, best);
    Fit fit = Fit.of(rows);
    double[] value = target.of(fit);
    double[] length = new double[count]; // of the next step, 0 for a sample that has settled
    Arrays.fill(length, 1);
    for (int i = 0; i < CHORDS && Arrays.stream(length).anyMatch(l -> l > 0); i++) {
      Tensor step = linear.step(fit, target).mul(Tensor.of(length, count, 1));
      Fit tried = at(fit.coefficients.add(step));
      double[] found = target.of(tried);
      for (int j = 0; j < count; j++) {
        if (length[j] > 0) {
          boolean better = found[j] < value[j];
          boolean settled = better && value[j] - found[j] < SETTLED * found[j];
          double next = better ? Math.min(1, 2 * length[j]) : length[j] / 4;
          length[j] = settled || next < SHORTEST ? 0 : next;
          rows[j] = better ? tried.row(j) : rows[j];
          value[j] = better ? found[j] : value[j];
        }
      }
      fit = Fit.of(rows);
    }
    return fit;
  }

  // H F′(z) d for directions d, [count, k]
  private Tensor slopes(Tensor cause, Tensor directions) {
    try (Scope scope = Scope.open()) {
      Tensor fields = equation.tangent(cause, directions);
      Tensor zero = units.normalize(fields.slice(0, 0, 1).zerosLike());
      return scope.keep(sensing.read(units.normalize(fields).sub(zero)));
    }
  }

  /** The equation near one cause, as the readings see it. */
  private record Linear(Tensor weighted, Cholesky factor) {
    // H F′ B / s as rows [r, k], and the factor of I + rows rowsᵀ
    static Linear at(GaussNewton g, Fit fit, Tensor errors) {
      try (Scope scope = Scope.open()) {
        Tensor cause = g.causes.at(fit.coefficients);
        Tensor directions = g.causes.modes().transpose().contiguous();
        Tensor[] parts = new Tensor[(directions.dim(0) + CHUNK - 1) / CHUNK];
        for (int i = 0; i < parts.length; i++) {
          int to = Math.min(directions.dim(0), (i + 1) * CHUNK);
          parts[i] = g.slopes(cause, directions.slice(0, i * CHUNK, to).contiguous());
        }
        Tensor rows = scope.keep(Tensor.concat(0, parts).div(errors));
        int r = rows.dim(0);
        double[] m = rows.matmul(rows.transpose()).toDoubles();
        for (int i = 0; i < r; i++) {
          m[i * r + i] += 1;
        }
        Cholesky factor = Cholesky.of(Tensor.of(m, r, r));
        scope.keep(factor.factor());
        return new Linear(rows, factor);
      }
    }

    // towards the minimum of the linear problem, [count, r]
    Tensor step(Fit fit, Target target) {
      Tensor missed = target.values.sub(fit.read).div(target.errors); // [count, k]
      Tensor down = missed.matmul(weighted.transpose()).add(target.anchors.sub(fit.coefficients));
      return factor.solve(down.transpose().contiguous()).transpose().contiguous();
    }
  }
}
