package io.perflow.flow;

import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Benchmark;
import io.perflow.physics.Normalization;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Collections;
import java.util.List;

/** Flows small enough for tests, with a network whose residual branches are not zero. */
final class Small {
  static final int SIZE = 16;

  private Small() {}

  static FlowConfig config(Benchmark benchmark, FlowConfig.Prediction prediction) {
    int channels = benchmark.channels().size();
    Normalization units =
        new Normalization(Collections.nCopies(channels, 0.0), Collections.nCopies(channels, 0.5));
    FlowConfig fast = Recipe.FAST.flow(benchmark, SIZE, SIZE, units);
    UNetConfig network =
        new UNetConfig(1, 1, 2, List.of(16, 16), 1, List.of(false, true), 2, 4, 32, false, false);
    return new FlowConfig(
            fast.benchmark(),
            fast.domain(),
            units,
            network,
            prediction,
            fast.head(),
            fast.condition(),
            fast.base(),
            fast.times(),
            true)
        .fit();
  }

  static RectifiedFlow flow(Benchmark benchmark, FlowConfig.Prediction prediction) {
    RectifiedFlow flow = RectifiedFlow.of(config(benchmark, prediction), Rng.of(1));
    flow.network().randomize(Rng.of(2));
    return flow.masks(benchmark.masks(SIZE, SIZE, 3, 3));
  }

  /** Smooth fields on the manifold of a benchmark. */
  static Tensor fields(RectifiedFlow flow, int count) {
    Domain domain = flow.config().domain();
    Shape shape = domain.batch(count);
    Tensor smooth = Base.RANDOM_FIELD.draw(Rng.of(3), io.perflow.tensor.Device.cpu(), shape);
    return flow.projector().project(smooth);
  }

  static Observations observations(RectifiedFlow flow, Benchmark benchmark) {
    Tensor planes = benchmark.masks(SIZE, SIZE, 3, 3).draw(Rng.of(4), 1);
    return Observations.of(fields(flow, 1), planes);
  }
}
