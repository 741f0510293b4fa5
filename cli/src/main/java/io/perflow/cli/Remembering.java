package io.perflow.cli;

import io.perflow.flow.Calibration;
import io.perflow.flow.Ensemble;
import io.perflow.flow.FieldSampler;
import io.perflow.flow.Observations;
import io.perflow.flow.PriorModel;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.constraint.Constraint;
import io.perflow.tensor.Rng;
import java.util.List;
import java.util.Optional;

/** A sampler that keeps the first ensemble it draws, so that the evaluated samples can be shown. */
final class Remembering implements FieldSampler {
  private final FieldSampler sampler;
  private Ensemble first;

  Remembering(FieldSampler sampler) {
    this.sampler = sampler;
  }

  /** Returns the first ensemble, in normalized units. */
  Ensemble first() {
    return first;
  }

  @Override
  public Ensemble reconstruct(Observations seen, int count, Rng rng) {
    Ensemble drawn = sampler.reconstruct(seen, count, rng);
    first = first == null ? drawn : first;
    return drawn;
  }

  @Override
  public Ensemble draw(Readings readings, int count, Rng rng) {
    return sampler.draw(readings, count, rng);
  }

  @Override
  public String name() {
    return sampler.name();
  }

  @Override
  public Problem problem() {
    return sampler.problem();
  }

  @Override
  public Normalization normalization() {
    return sampler.normalization();
  }

  @Override
  public Optional<PriorModel> prior() {
    return sampler.prior();
  }

  @Override
  public Optional<Calibration> calibration() {
    return sampler.calibration();
  }

  @Override
  public double finest() {
    return sampler.finest();
  }

  @Override
  public List<Constraint> held(Readings readings) {
    return sampler.held(readings);
  }

  @Override
  public List<Constraint> measured(Readings readings) {
    return sampler.measured(readings);
  }

  @Override
  public List<String> warnings(Readings readings, Ensemble drawn) {
    return sampler.warnings(readings, drawn);
  }
}
