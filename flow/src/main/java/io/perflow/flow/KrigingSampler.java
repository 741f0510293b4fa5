package io.perflow.flow;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.Projector;
import io.perflow.tensor.Rng;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Draws from a Gaussian prior given readings: kriging, with no network. */
public final class KrigingSampler implements FieldSampler {
  private final PriorModel model;
  private final double noise;
  private final Projector projector;

  private KrigingSampler(PriorModel model, double noise) {
    this.model = model;
    this.noise = noise;
    projector = PriorModel.projector(model.problem(), model.units());
  }

  /** Samples of a prior. */
  public static KrigingSampler of(PriorModel model) {
    return new KrigingSampler(model, 0);
  }

  /** The same for {@link Observations} with noise of this deviation, in normalized units. */
  public KrigingSampler noise(double deviation) {
    return new KrigingSampler(model, deviation);
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
  public Normalization units() {
    return model.units();
  }

  @Override
  public Optional<PriorModel> prior() {
    return Optional.of(model);
  }

  @Override
  public Optional<Calibration> calibration() {
    return model.calibration();
  }

  @Override
  public List<Constraint> held(Readings readings) {
    return model.problem().constraints();
  }

  @Override
  public Ensemble reconstruct(Observations seen, int count, Rng rng) {
    return samples(Known.of(model.prior(), model.problem(), seen, noise), count, rng);
  }

  @Override
  public Ensemble draw(Readings readings, int count, Rng rng) {
    return samples(model.known(readings), count, rng);
  }

  private Ensemble samples(Known known, int count, Rng rng) {
    Rng[] rngs = new Rng[count];
    Arrays.setAll(rngs, rng::split);
    // modes satisfy the constraints, but sums of thousands of them are rounded
    return new Ensemble(projector.project(known.samples(rngs)));
  }
}
