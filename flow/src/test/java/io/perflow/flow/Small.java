package io.perflow.flow;

import io.perflow.nn.Initializer;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.constraint.Projector;
import io.perflow.physics.prior.GaussianPrior;
import io.perflow.physics.solver.Benchmark;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.Collections;
import java.util.List;

/** Flows small enough for tests, with a network whose residual branches are not zero. */
final class Small {
  static final int SIZE = 16;

  private Small() {}

  /** A benchmark on a grid of 16 x 16 with three sensors. */
  static Problem problem(String benchmark) {
    Problem usual = Benchmark.named(benchmark).generator("", SIZE).problem();
    return usual.with(usual.sensors().count(3, 3));
  }

  /** A network of two levels that sees patches of 2 x 2. */
  static UNetConfig network() {
    return new UNetConfig(
        1, 1, 2, List.of(16, 16), 1, List.of(false, true), 2, 4, 32, false, false);
  }

  static FlowConfig config(String benchmark, FlowConfig.Prediction prediction) {
    if (prediction != FlowConfig.Prediction.PRIOR) {
      return config(problem(benchmark), 0).prediction(prediction);
    }
    FlowConfig usual = config(problem(benchmark), 0);
    return Recipe.PRIOR.flow(usual.problem(), usual.normalization()).network(network());
  }

  /** The usual configuration but for the network, in units of a mean and a deviation of 0.5. */
  static FlowConfig config(Problem problem, double mean) {
    int channels = problem.channelCount();
    Normalization units =
        new Normalization(Collections.nCopies(channels, mean), Collections.nCopies(channels, 0.5));
    return Recipe.FAST.flow(problem, units).network(network());
  }

  static RectifiedFlow flow(String benchmark, FlowConfig.Prediction prediction) {
    return flow(config(benchmark, prediction));
  }

  static RectifiedFlow flow(FlowConfig config) {
    RectifiedFlow flow =
        config.fromPrior()
            ? RectifiedFlow.of(config, prior(config), Rng.of(1))
            : RectifiedFlow.of(config, Rng.of(1));
    Initializer.nonZero(flow.network(), Rng.of(2));
    return flow;
  }

  /** The Gaussian of smooth fields that satisfy the constraints. */
  static GaussianPrior prior(FlowConfig config) {
    Problem problem = config.problem();
    Projector projector = PriorModel.projector(problem, config.normalization());
    Tensor smooth =
        projector.project(
            SourceDistribution.RANDOM_FIELD.draw(Rng.of(4), Device.cpu(), problem.batch(60)));
    return GaussianPrior.learn(
        problem,
        config.normalization(),
        projector,
        smooth.slice(0, 0, 50),
        smooth.slice(0, 50, 60),
        40);
  }

  /** Smooth normalized fields on the manifold of a flow. */
  static Tensor fields(RectifiedFlow flow, int count) {
    Tensor smooth =
        SourceDistribution.RANDOM_FIELD.draw(
            Rng.of(3), Device.cpu(), flow.config().problem().batch(count));
    return flow.projector().project(smooth);
  }

  static Observations observations(RectifiedFlow flow) {
    Tensor planes = flow.config().problem().masks().draw(Rng.of(4), 1);
    return Observations.of(fields(flow, 1), planes);
  }
}
