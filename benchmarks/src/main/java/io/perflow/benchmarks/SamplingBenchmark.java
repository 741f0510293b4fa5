package io.perflow.benchmarks;

import io.perflow.flow.Condition;
import io.perflow.flow.FlowConfig;
import io.perflow.flow.Observations;
import io.perflow.flow.Recipe;
import io.perflow.flow.RectifiedFlow;
import io.perflow.nn.Initializer;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * The benchmark of one Euler step of a sampler with the preset {@code small}, K samples at once,
 * with the projection inside the flow and without. {@code -Pjmh="-prof gc"} shows the bytes a step
 * allocates.
 */
public class SamplingBenchmark extends OpBenchmark {
  /** The benchmark whose fields and constraint are used. */
  @Param({"burgers", "poisson", "ns"})
  public String benchmark;

  /** The number of samples at once. */
  @Param({"1", "20"})
  public int samples;

  /** Whether the physics is inside the flow. */
  @Param({"true", "false"})
  public boolean projected;

  private RectifiedFlow flow;
  private Tensor state;
  private Condition given;

  /** Creates the state; JMH calls it. */
  public SamplingBenchmark() {}

  /** Builds the flow and the state. */
  @Setup
  public void build() {
    useThreads();
    var named = io.perflow.physics.solver.Benchmark.named(benchmark);
    Problem problem = named.generator("", named.size()).problem();
    Normalization units = Normalization.identity(problem.channelCount());
    FlowConfig config = Recipe.PAPER.flow(problem, units).network(UNetConfig.small());
    Rng rng = Rng.of(1);
    flow = RectifiedFlow.of(projected ? config : config.unprojected(), rng);
    Initializer.nonZero(flow.network(), rng.split("weights"));
    state = flow.start(rng.split("start"), samples, io.perflow.tensor.Device.cpu());
    Tensor planes = problem.masks().draw(rng.split("mask"), samples);
    given = flow.given(Observations.of(state, planes));
  }

  /** Measures network, projection and update. */
  @Benchmark
  public Tensor step() {
    try (Scope _ = Scope.open()) {
      return flow.drift(state, 0.5, given, 0.02).advance(state, 1e-6);
    }
  }
}
