package io.perflow.flow;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.constraint.AffineConstraint;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.Measured;
import io.perflow.physics.constraint.Projector;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.Check;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A sampler that draws from a Gaussian prior given readings: kriging, without a network. Readings
 * are weighted by their noise. Samples agree with exact readings up to the prior's nugget or, on
 * demand, to the last digit.
 *
 * <p>Once set up, many threads may draw from it at once. A draw checks for a {@link Cancellation}
 * before every batch of {@value #BATCH} samples.
 */
public final class KrigingSampler implements FieldSampler {
  private static final int BATCH = 64;

  private final PriorModel model;
  private double noise;
  private List<Constraint> added = List.of();
  private boolean exact;

  private KrigingSampler(PriorModel model) {
    this.model = model;
  }

  /** Returns a sampler of a prior. */
  public static KrigingSampler of(PriorModel model) {
    return new KrigingSampler(model);
  }

  /**
   * Sets the standard deviation of the noise of {@link Observations}, in normalized units (default
   * 0).
   */
  public KrigingSampler noise(double deviation) {
    noise = deviation;
    return this;
  }

  /** Adds constraints, in physical units, that every sample must satisfy. */
  public KrigingSampler constrain(List<Constraint> constraints) {
    added = List.copyOf(constraints);
    return this;
  }

  /** Sets whether samples agree with the readings to the last digit. */
  public KrigingSampler exact(boolean wanted) {
    exact = wanted;
    return this;
  }

  @Override
  public String name() {
    return "kriging";
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

  @Override
  public Optional<Calibration> calibration() {
    return model.calibration(PriorModel.Use.KRIGING);
  }

  @Override
  public List<Constraint> held(Readings readings) {
    List<Constraint> held = new ArrayList<>(model.problem().constraints());
    held.addAll(added);
    if (exact) {
      readings.agreement().ifPresent(held::add);
    }
    return held;
  }

  @Override
  public Ensemble reconstruct(Observations seen, int count, Rng rng) {
    Known known = Known.of(model.prior(), model.problem(), seen, noise);
    Optional<AffineConstraint> agreement =
        exact ? Optional.of(Measured.of(seen.mask(), seen.values())) : Optional.empty();
    return samples(known, agreement, count, rng);
  }

  @Override
  public Ensemble draw(Readings readings, int count, Rng rng) {
    Optional<AffineConstraint> agreement =
        (exact ? readings.agreement() : Optional.<AffineConstraint>empty())
            .map(held -> (AffineConstraint) held.normalized(model.normalization()));
    return samples(model.known(readings), agreement, count, rng);
  }

  @Override
  public int together() {
    return BATCH;
  }

  private Ensemble samples(Known known, Optional<AffineConstraint> agreement, int count, Rng rng) {
    Check.that(count > 0, "kriging", "%d samples: at least 1", count);
    Shape whole = model.problem().batch(count); // refuses more than a tensor can hold
    List<Constraint> all = new ArrayList<>();
    model.problem().constraints().forEach(c -> all.add(c.normalized(model.normalization())));
    added.forEach(c -> all.add(c.normalized(model.normalization())));
    agreement.ifPresent(all::add);
    Projector projector = Projector.onto(all);
    Tensor[] batches = new Tensor[Math.ceilDiv(count, BATCH)];
    for (int b = 0; b < batches.length; b++) {
      Cancellation.check();
      int first = b * BATCH;
      Rng[] rngs = new Rng[Math.min(BATCH, count - first)];
      Arrays.setAll(rngs, i -> rng.split(first + i));
      Tensor drawn = known.samples(rngs);
      Tensor fitted = agreement.isPresent() ? known.kriging().fit(drawn, known.values()) : drawn;
      // Modes satisfy the constraints, but sums of thousands of modes have rounding errors.
      batches[b] = projector.project(fitted);
    }
    return new Ensemble(Tensor.concat(0, batches).reshape(whole));
  }
}
