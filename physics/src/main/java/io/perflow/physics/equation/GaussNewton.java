package io.perflow.physics.equation;

import io.perflow.physics.ProgressListener;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.Cholesky;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * A search for causes whose fields agree with readings y: coefficients c of {@link Causes} that
 * minimize
 *
 * <pre>
 * |c - a|² + Σ ((y - h(c)) / s)²
 * </pre>
 *
 * <p>where h(c) are the readings of the field of c. For the anchor a = 0 the minimum is the most
 * likely cause. With anchors drawn from the prior, and readings disturbed by their errors s, the
 * minima are samples of the causes given the readings (randomized maximum likelihood; Kitanidis,
 * 1995; Oliver, He and Reynolds, 1996). They are exact samples where h is linear, and good ones
 * where the readings leave little freedom.
 *
 * <p>It takes Gauss-Newton steps. At first it assumes that the errors of readings are as large as
 * their misfits, and later makes them smaller and smaller, so that the first steps, which start far
 * away, do not fit details. Every step checks for a {@link Cancellation}.
 *
 * <p>Once its listener is set, many threads may use it at once if they may use the equation at
 * once.
 */
public final class GaussNewton {
  private static final double[] STEPS = {1, 0.5, 0.25, 0.1}; // step lengths to try
  private static final double SHORTEST = 0.01;
  private static final double ROUGH = 0.35; // the assumed errors, as a part of the misfits
  private static final int ITERATIONS = 30;
  private static final double SETTLED = 0.05; // part of the objective below which a gain is none
  private static final int CHORDS = 12; // steps of samples with the derivative of the best fit
  private static final int OWN = 3; // separate derivatives, for samples that do not fit
  private static final double WITHIN = 2; // errors: a reading that is met
  private static final double FITS = 1.5; // misfit in errors
  private static final double POOR = 3; // a misfit that chance does not explain

  private final Inversion inversion;
  private final Tensor values; // y, [1, k]
  private final Tensor errors; // s, [1, k]
  private ProgressListener listener = ProgressListener.NONE;

  /** Prepares the fit to one set of readings. */
  public GaussNewton(Inversion inversion) {
    this.inversion = inversion;
    values = inversion.values();
    errors = inversion.errors();
  }

  /**
   * Sets a listener that is told about every step. The most likely cause counts as half of the
   * work.
   */
  public GaussNewton listener(ProgressListener listener) {
    this.listener = listener;
    return this;
  }

  /**
   * Some causes and the readings of their fields.
   *
   * @param coefficients the coefficients c, [count, rank]
   * @param read the readings h(c), [count, readings]
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

  /** Returns the fields of fitted causes, [count, channels, height, width], in physical units. */
  public Tensor fields(Fit fit) {
    return inversion.fields(fit.coefficients);
  }

  /** Returns the root mean square misfit of every cause, in units of the readings' errors. */
  public double[] misfits(Fit fit) {
    return new Target(fit.coefficients, values).misfits(fit, errors);
  }

  /**
   * Returns the most likely cause.
   *
   * @param start coefficients to start from, [1, rank]; those of the mean are taken instead where
   *     the equation cannot be solved for them
   * @throws ArithmeticException when it cannot be solved for the mean either
   */
  public Fit mostLikely(Tensor start) {
    try (Scope scope = Scope.open()) {
      Tensor origin = start.zerosLike();
      if (values.size() == 0) {
        return kept(scope, at(origin));
      }
      Fit first = at(start);
      Fit fit = solved(first) ? first : at(origin);
      if (!solved(fit)) {
        throw new ArithmeticException(
            "[assimilation] the equation has no solution for the mean of the causes; check its"
                + " parameters");
      }
      Target target = new Target(origin, values);
      Span half = new Span(0, 0.5);
      Fit found = minimize(fit, target, errors, ITERATIONS, half);
      if (misfits(found)[0] > FITS) {
        // Starting elsewhere may avoid the local minimum.
        Fit other = minimize(at(origin), target, errors, ITERATIONS, half);
        found = target.of(other, errors)[0] < target.of(found, errors)[0] ? other : found;
      }
      return kept(scope, found);
    }
  }

  /** Prepares samples around the most likely cause, whose derivative they share. */
  public Sampling around(Fit best) {
    try (Scope scope = Scope.open()) {
      double missed = values.size() == 0 ? 0 : misfits(best)[0];
      Tensor assumed = missed > POOR ? errors.mul(missed) : errors;
      Linear linear = values.size() == 0 ? null : Linear.at(inversion, best, assumed);
      scope.keep(assumed);
      return new Sampling(kept(scope, best), assumed, linear == null ? null : linear.kept(scope));
    }
  }

  /** A sampler of the causes given the readings. Many threads may draw at once. */
  public final class Sampling {
    private final Fit best;
    private final Tensor assumed; // errors of the readings
    private final Linear linear; // null without readings

    private Sampling(Fit best, Tensor assumed, Linear linear) {
      this.best = best;
      this.assumed = assumed;
      this.linear = linear;
    }

    /**
     * Draws one sample for each generator. If even the most likely cause misses the readings, their
     * errors are increased to its misfit, so that samples do not agree on a wrong cause.
     */
    public Fit draw(Rng... rngs) {
      try (Scope scope = Scope.open()) {
        Tensor[] anchors = new Tensor[rngs.length];
        Tensor[] disturbed = new Tensor[rngs.length];
        for (int i = 0; i < rngs.length; i++) {
          anchors[i] = normal(rngs[i].split("anchor"), best.coefficients);
          disturbed[i] = values.add(normal(rngs[i].split("errors"), values).mul(assumed));
        }
        Target target = new Target(Tensor.concat(0, anchors), Tensor.concat(0, disturbed));
        if (linear == null) {
          return kept(scope, at(target.anchors)); // every cause of the prior is a sample
        }
        Fit[] same = new Fit[rngs.length];
        Arrays.fill(same, best);
        Fit near = chords(linear, Fit.of(same), target, assumed, CHORDS, new Span(0.5, 0.9));
        Fit[] rows = new Fit[rngs.length];
        for (int i = 0; i < rows.length; i++) {
          rows[i] = near.row(i);
          Span own = new Span(0.9, 1).part(i, rows.length);
          for (int j = 0; j < OWN && !(target.rows(i).misfits(rows[i], assumed)[0] <= FITS); j++) {
            Linear here = Linear.at(inversion, rows[i], assumed);
            rows[i] = chords(here, rows[i], target.rows(i), assumed, CHORDS, own);
          }
        }
        return kept(scope, Fit.of(rows));
      }
    }
  }

  /**
   * Finds, for each of several causes, one near it that fits the readings: samples of another
   * method are start and anchor, and a few steps carry them to solutions. A reading that a sample
   * meets within its error does not change the sample: the sample has used the readings already,
   * and pulling it to each of them again would make samples agree more than the readings justify.
   * All samples first use the derivative at their mean, which suffices for a linear equation.
   *
   * @param starts coefficients, [count, rank]
   */
  public Fit polished(Tensor starts, int iterations) {
    try (Scope scope = Scope.open()) {
      Fit first = at(starts);
      if (values.size() == 0) {
        return kept(scope, first);
      }
      Fit[] rows = new Fit[starts.dim(0)];
      Target target = new Target(starts, wanted(first));
      Fit middle = at(starts.mean(true, 0));
      Fit near =
          solved(middle)
              ? chords(
                  Linear.at(inversion, middle, errors),
                  first,
                  target,
                  errors,
                  iterations,
                  new Span(0, 0.2))
              : first;
      double[] misfits = target.misfits(near, errors);
      for (int i = 0; i < rows.length; i++) {
        Span own = new Span(0.2, 1).part(i, rows.length);
        rows[i] =
            misfits[i] <= FITS
                ? near.row(i)
                : minimize(first.row(i), target.rows(i), errors, iterations, own);
      }
      return kept(scope, Fit.of(rows));
    }
  }

  // The target readings of each cause: its own where they are within the errors.
  private Tensor wanted(Fit fit) {
    double[] stated = values.toDoubles();
    double[] error = errors.toDoubles();
    double[] wanted = fit.read.toDoubles();
    for (int i = 0; i < wanted.length; i++) {
      int k = i % stated.length;
      if (!(Math.abs(wanted[i] - stated[k]) <= WITHIN * error[k])) {
        wanted[i] = stated[k];
      }
    }
    return Tensor.of(wanted, fit.read.dim(0), stated.length);
  }

  private static Fit kept(Scope scope, Fit fit) {
    scope.keep(fit.coefficients);
    scope.keep(fit.read);
    return fit;
  }

  // Returns whether all that is read is finite.
  private static boolean solved(Fit fit) {
    return Arrays.stream(fit.read.toDoubles()).allMatch(Double::isFinite);
  }

  private static Tensor normal(Rng rng, Tensor like) {
    return rng.normal(like.device(), like.shape(), DataType.F64);
  }

  /** The quantities in the objective, with a row for each of several causes or one for all. */
  private record Target(Tensor anchors, Tensor values) {
    Target rows(int... numbers) {
      return new Target(anchors.gather(0, numbers), values.gather(0, numbers));
    }

    // Returns NaN where the equation could not be solved.
    double[] of(Fit fit, Tensor errors) {
      Tensor apart = fit.coefficients.sub(anchors).square().sum(1);
      return apart.add(values.sub(fit.read).div(errors).square().sum(1)).toDoubles();
    }

    double[] misfits(Fit fit, Tensor errors) {
      return values.sub(fit.read).div(errors).square().mean(1).sqrt().toDoubles();
    }
  }

  /** A stretch of the work, as parts of the whole. */
  private record Span(double from, double to) {
    double at(int step, int steps) {
      return from + (to - from) * step / steps;
    }

    Span part(int i, int count) {
      return new Span(at(i, count), at(i + 1, count));
    }
  }

  private void tell(Span span, int step, int steps, double missed) {
    String note = String.format(Locale.ROOT, "readings missed by %.2g times their error", missed);
    listener.at(span.at(step, steps), note);
  }

  private Fit at(Tensor c) {
    return new Fit(c, inversion.read(c));
  }

  // ---- one cause, whose derivative is computed anew for every step

  private Fit minimize(Fit start, Target target, Tensor least, int iterations, Span span) {
    Fit fit = start;
    double rough = ROUGH;
    for (int i = 0; i < iterations && rough < 1; i++) {
      Cancellation.check();
      double misfit = target.misfits(fit, least)[0];
      tell(span, i, iterations, misfit);
      double missed = rough * misfit;
      Tensor assumed = least.mul(Math.max(1, missed));
      Tensor step = Linear.at(inversion, fit, assumed).step(fit, target);
      Fit tried = at(fit.coefficients.add(step.mul(Tensor.of(STEPS, STEPS.length, 1))));
      double[] found = target.of(tried, assumed);
      int best = 0;
      for (int j = 1; j < found.length; j++) {
        best = found[j] < found[best] || Double.isNaN(found[best]) ? j : best;
      }
      double value = target.of(fit, assumed)[0];
      boolean better = found[best] < value;
      if (better) {
        fit = tried.row(best);
      }
      if (missed < 1 && value - found[best] < SETTLED * value) {
        break;
      }
      // A step without a gain was too long.
      rough = better ? ROUGH : 2 * rough;
    }
    return fit;
  }

  // ---- many causes, with one derivative for all

  private Fit chords(
      Linear linear, Fit starts, Target target, Tensor assumed, int iterations, Span span) {
    int count = target.anchors.dim(0);
    Fit[] rows = new Fit[count];
    Arrays.setAll(rows, starts::row);
    double[] value = target.of(starts, assumed);
    double[] length = new double[count]; // of the next step
    Arrays.fill(length, 1);
    int[] left = IntStream.range(0, count).toArray(); // those that have not converged
    for (int i = 0; i < iterations && left.length > 0; i++) {
      Cancellation.check();
      Fit fit = Fit.of(Arrays.stream(left).mapToObj(j -> rows[j]).toArray(Fit[]::new));
      Target own = target.rows(left);
      tell(span, i, iterations, Arrays.stream(own.misfits(fit, assumed)).max().orElse(0));
      double[] lengths = Arrays.stream(left).mapToDouble(j -> length[j]).toArray();
      Tensor step = linear.step(fit, own).mul(Tensor.of(lengths, left.length, 1));
      Fit tried = at(fit.coefficients.add(step));
      double[] found = own.of(tried, assumed);
      for (int k = 0; k < left.length; k++) {
        int j = left[k];
        boolean better = found[k] < value[j];
        boolean settled = better && value[j] - found[k] < SETTLED * found[k];
        double next = better ? Math.min(1, 2 * length[j]) : length[j] / 4;
        length[j] = settled || next < SHORTEST ? 0 : next;
        rows[j] = better ? tried.row(k) : rows[j];
        value[j] = better ? found[k] : value[j];
      }
      left = Arrays.stream(left).filter(j -> length[j] > 0).toArray();
    }
    return Fit.of(rows);
  }

  /**
   * The readings near one cause, linearized and in units of their errors.
   *
   * @param readings the numbers of the readings that have a derivative
   * @param slopes the derivatives of these, [k, r]
   * @param factor the factor of I + slopes slopesᵀ or of I + slopesᵀ slopes, whichever is smaller
   */
  private record Linear(int[] readings, Tensor errors, Tensor slopes, Cholesky factor) {
    static Linear at(Inversion inversion, Fit fit, Tensor errors) {
      try (Scope scope = Scope.open()) {
        Inversion.Slopes found = inversion.slopes(fit.coefficients);
        Tensor units = errors.gather(1, found.readings()).transpose();
        Tensor slopes = found.rows().div(units);
        Tensor left = slopes.dim(0) < slopes.dim(1) ? slopes : slopes.transpose();
        int n = left.dim(0);
        double[] m = left.matmul(left.transpose()).toDoubles();
        for (int i = 0; i < n; i++) {
          m[i * n + i] += 1;
        }
        Cholesky factor = Cholesky.of(Tensor.of(m, n, n));
        return new Linear(found.readings(), errors, slopes, factor).kept(scope);
      }
    }

    Linear kept(Scope scope) {
      scope.keep(slopes);
      scope.keep(factor.factor());
      return this;
    }

    // Returns the step to the minimum of the linear problem, [count, r].
    Tensor step(Fit fit, Target target) {
      Tensor missed = target.values.sub(fit.read).div(errors).gather(1, readings); // [count, k]
      Tensor back = target.anchors.sub(fit.coefficients);
      if (factor.size() == slopes.dim(1)) {
        return solve(missed.matmul(slopes).add(back));
      }
      // Does the same with one unknown for each reading.
      Tensor left = missed.sub(back.matmul(slopes.transpose()));
      return solve(left).matmul(slopes).add(back);
    }

    private Tensor solve(Tensor rows) {
      return factor.solve(rows.transpose().contiguous()).transpose().contiguous();
    }
  }
}
