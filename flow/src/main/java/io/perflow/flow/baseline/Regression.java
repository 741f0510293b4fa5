package io.perflow.flow.baseline;

import io.perflow.flow.Ensemble;
import io.perflow.flow.FlowConfig;
import io.perflow.flow.Objective;
import io.perflow.flow.Observations;
import io.perflow.flow.Reconstructor;
import io.perflow.nn.Layer;
import io.perflow.nn.Loss;
import io.perflow.nn.Weights;
import io.perflow.nn.operator.ConditionalFno;
import io.perflow.physics.MaskSampler;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * The conditional Fourier operator: readings and mask to the field in one pass, the mean of what is
 * possible rather than a sample of it. The loss is ‖x̂ - x‖₂ / ‖x‖₂, averaged over the batch.
 */
public final class Regression implements Objective, Reconstructor {
  private static final String SYSTEM = "conditional-fno";

  private final FlowConfig problem;
  private final SurrogateConfig config;
  private final ConditionalFno network;
  private MaskSampler masks; // null until training is set up

  private Regression(FlowConfig problem, SurrogateConfig config, Rng rng) {
    this.problem = problem;
    this.config = config;
    int in = problem.domain().channels() + problem.domain().planes();
    network =
        ConditionalFno.of(
            config.fno(in, problem.domain().channels(), problem.domain()), rng.split("network"));
  }

  /**
   * An untrained operator.
   *
   * @param problem fields and units; nothing else of it is used
   * @param config of kind {@link SurrogateConfig.Kind#FNO}
   */
  public static Regression of(FlowConfig problem, SurrogateConfig config, Rng rng) {
    if (config.kind() != SurrogateConfig.Kind.FNO) {
      throw new IllegalArgumentException(
          "[conditional fno] is made of an FNO, not of " + config.kind().label());
    }
    return new Regression(problem, config, rng);
  }

  /** Reads what {@link #save} or a {@link io.perflow.flow.Trainer} wrote. */
  public static Regression load(Path file) throws IOException {
    Description read = Description.read(SYSTEM, file);
    Regression system = new Regression(read.problem(), SurrogateConfig.of(read), Rng.of(0));
    Weights.load(file, system.network());
    return system;
  }

  /** Writes description and weights. */
  public void save(Path file) throws IOException {
    Weights.save(file, network(), description());
  }

  /** Fields and units. */
  public FlowConfig problem() {
    return problem;
  }

  @Override
  public Layer network() {
    return network;
  }

  /** Sets the law of the masks in training. */
  public Regression masks(MaskSampler sampler) {
    masks = sampler;
    return this;
  }

  @Override
  public Map<String, String> description() {
    return Description.write(SYSTEM, problem, config.toJson());
  }

  @Override
  public Tensor loss(Tensor fields, Rng rng) {
    if (masks == null) {
      throw new IllegalStateException(
          "[conditional fno] training needs the law of the masks: call masks(…)");
    }
    Tensor planes = masks.draw(rng.split("mask"), fields.dim(0)).to(fields.device());
    Observations seen = Observations.of(fields, planes);
    return Loss.relativeL2(network.apply(seen.values(), seen.planes()), fields);
  }

  @Override
  public String name() {
    return "cFNO";
  }

  @Override
  public Ensemble reconstruct(Observations seen, int count, Rng rng) {
    return Drawing.draw(
        name(),
        problem.domain(),
        seen,
        count,
        count,
        rng,
        part -> Drawing.repeat(network.apply(seen.values(), seen.planes()), part.size()));
  }
}
