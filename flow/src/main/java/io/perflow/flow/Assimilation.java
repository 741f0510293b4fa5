package io.perflow.flow;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.ProgressListener;
import io.perflow.physics.Readings;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.equation.Causes;
import io.perflow.physics.equation.Equation;
import io.perflow.physics.equation.GaussNewton;
import io.perflow.physics.equation.Solution;
import io.perflow.physics.prior.Sensing;
import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A sampler of fields that satisfy the equation of their problem and agree with the readings. A
 * sample is a solution of the equation from a cause (an initial state, a source) that is likely
 * under the prior; {@link GaussNewton} finds it. It needs no network, only the equation and a
 * Gaussian prior of the causes.
 *
 * <p>Samples fit readings within their noise, and exact readings within the {@linkplain #accuracy
 * accuracy}.
 *
 * <p>Once set up, many threads may draw from it at once if they may solve the equation at once, as
 * they may with the equations of this library. A draw checks for a {@link
 * io.perflow.tensor.Cancellation} before every Gauss-Newton step.
 */
public final class Assimilation implements FieldSampler {
  private static final double POOR = 3; // the misfit of a sample, in errors of the readings

  private final PriorModel model;
  private final Equation equation;
  private final Causes causes;
  private FieldSampler starts; // null to start from kriging and to draw anchors from the prior
  private int iterations;
  private double noise;
  private double accuracy = 1e-3;
  private ProgressListener listener = ProgressListener.NONE;
  private volatile Search last; // kept so that more samples of the same readings need no new search

  private Assimilation(PriorModel model, Equation equation, Causes causes) {
    this.model = model;
    this.equation = equation;
    this.causes = causes;
  }

  /**
   * Assimilates with the equation of the prior's problem.
   *
   * @throws IllegalArgumentException when the problem has no equation
   */
  public static Assimilation of(PriorModel model) {
    Equation equation = equation(model.problem());
    return new Assimilation(model, equation, equation.law(model.prior(), model.normalization()));
  }

  /**
   * Returns a new sampler with the defaults that shares the prior of the causes, which takes time
   * to compute.
   */
  public Assimilation another() {
    return new Assimilation(model, equation, causes);
  }

  /** Returns the equation of a problem, which must state one. */
  static Equation equation(Problem problem) {
    return problem
        .equation()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    ("%s states no equation, which assimilation needs; use kriging or a flow, or"
                            + " add one in Java: Problem.with(equation)")
                        .formatted(problem.name())));
  }

  /**
   * Sets the standard deviation of the noise of {@link Observations}, in normalized units (default
   * 0).
   */
  public Assimilation noise(double deviation) {
    noise = deviation;
    return this;
  }

  /**
   * Sets the smallest error that is assumed of a reading, in standard deviations of the fields
   * (default 0.001). A smaller value follows exact readings more closely and trusts the equation
   * more.
   */
  public Assimilation accuracy(double deviation) {
    accuracy = deviation;
    last = null;
    return this;
  }

  /**
   * Polishes the samples of another system, such as a flow: each of them is the start and the
   * anchor of its own minimization. Polished samples solve the equation and fit the readings, and
   * keep the other system's values where the readings say nothing.
   *
   * @param iterations Gauss-Newton steps for each sample, at most
   */
  public Assimilation polishing(FieldSampler samples, int iterations) {
    Check.that(iterations > 0, "assimilation", "%d steps: at least 1", iterations);
    starts = samples;
    starts.listener((part, note) -> listener.at(part / 2, note));
    last = null;
    this.iterations = iterations;
    return this;
  }

  /**
   * Sets a listener that is told about the progress of a draw; for polished samples the other
   * system's draw counts as the first half of the work.
   */
  @Override
  public Assimilation listener(ProgressListener listener) {
    this.listener = listener;
    return this;
  }

  @Override
  public String name() {
    return starts == null ? "assimilation" : starts.name() + ", polished";
  }

  @Override
  public Problem problem() {
    return model.problem();
  }

  @Override
  public Normalization normalization() {
    return model.normalization();
  }

  @Override
  public Optional<PriorModel> prior() {
    return Optional.of(model);
  }

  /**
   * Returns nothing for polished samples, because their spread is no longer that of the other
   * system.
   */
  @Override
  public Optional<Calibration> calibration() {
    return starts == null ? model.calibration(PriorModel.Use.ASSIMILATION) : Optional.empty();
  }

  /** Returns the accuracy; smaller differences between samples are chance. */
  @Override
  public double finest() {
    return accuracy;
  }

  @Override
  public List<Constraint> held(Readings readings) {
    return model.problem().constraints();
  }

  /** Returns the constraints and the equation. */
  @Override
  public List<Constraint> measured(Readings readings) {
    List<Constraint> all = new ArrayList<>(held(readings));
    all.add(new Solution(equation));
    return all;
  }

  @Override
  public Ensemble reconstruct(Observations seen, int count, Rng rng) {
    Search search = new Search(null, Known.of(model.prior(), model.problem(), seen, noise));
    try (Scope scope = Scope.open()) {
      Tensor samples =
          starts == null
              ? search.samples(count, rng)
              : search.polished(starts.reconstruct(seen, count, rng));
      return new Ensemble(scope.keep(samples.to(DataType.F32)));
    }
  }

  /** Draws in double precision, so that the equation holds to the last digits. */
  @Override
  public Ensemble draw(Readings readings, int count, Rng rng) {
    Search search = last;
    if (search == null || search.readings != readings) {
      search = Scope.outside(() -> new Search(readings, model.known(readings)));
      last = search;
    }
    try (Scope scope = Scope.open()) {
      Tensor samples =
          starts == null
              ? search.samples(count, rng)
              : search.polished(starts.draw(readings, count, rng));
      return new Ensemble(scope.keep(samples));
    }
  }

  /** A search for causes that fit some readings; fields are in normalized units. */
  private final class Search {
    private final Readings readings; // null for observations on the grid
    private final Known known;
    private final GaussNewton newton;
    private GaussNewton.Sampling sampling; // around the most likely cause, once it is needed

    Search(Readings readings, Known known) {
      this.readings = readings;
      this.known = known;
      newton =
          new GaussNewton(causes.given(known.kriging().sensing(), known.values(), accuracy))
              .listener((part, note) -> listener.at(starts == null ? part : (1 + part) / 2, note));
    }

    Tensor samples(int count, Rng rng) {
      Rng[] rngs = new Rng[count];
      Arrays.setAll(rngs, rng::split);
      return fields(sampling().draw(rngs));
    }

    private synchronized GaussNewton.Sampling sampling() {
      if (sampling == null) {
        sampling =
            Scope.outside(
                () -> {
                  listener.at(0, "starting from kriging");
                  Tensor start = causes.start(known.kriging(), known.values());
                  return newton.around(newton.mostLikely(start));
                });
      }
      return sampling;
    }

    Tensor polished(Ensemble others) {
      return fields(newton.polished(causes.coefficients(others.samples()), iterations));
    }

    private Tensor fields(GaussNewton.Fit found) {
      return model.normalization().normalize(newton.fields(found));
    }
  }

  /** Warns when samples do not fit the readings, because the equation may then be wrong. */
  @Override
  public List<String> warnings(Readings readings, Ensemble drawn) {
    Sensing sensing = Sensing.of(readings, model.normalization());
    Tensor missed =
        Sensing.values(readings, model.normalization())
            .sub(sensing.read(drawn.samples().to(DataType.F64)));
    double[] misfits =
        missed.div(causes.errors(sensing, accuracy)).square().mean(1).sqrt().toDoubles();
    long poor = Arrays.stream(misfits).filter(m -> !(m <= POOR)).count();
    if (poor == 0) {
      return List.of();
    }
    return List.of(
        String.format(
            Locale.ROOT,
            "%d of %d samples miss the readings, the worst by %.3g times their accuracy: no"
                + " solution of the equation was found that fits; check the readings and the"
                + " equation's parameters, or state the noise of the readings",
            poor,
            misfits.length,
            Arrays.stream(misfits).max().orElse(Double.NaN)));
  }
}
