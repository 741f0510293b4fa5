package io.perflow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.perflow.cuda.emulator.EmulatedDriver;
import io.perflow.cuda.emulator.Emulator;
import io.perflow.flow.Conditioning;
import io.perflow.flow.FlowConfig;
import io.perflow.flow.FlowSampler;
import io.perflow.flow.Observations;
import io.perflow.flow.OdeSolver;
import io.perflow.flow.RectifiedFlow;
import io.perflow.flow.SourceDistribution;
import io.perflow.flow.TimeSampler;
import io.perflow.nn.Initializer;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Axis;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Sensors;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.Dirichlet;
import io.perflow.physics.constraint.DivergenceFree;
import io.perflow.physics.constraint.Mass;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** What one step of a sampler costs on a GPU: network, projection and update together. */
class SamplingOnGpuTest {
  private static final Problem PROBLEM =
      Problem.named("test")
          .axis(Axis.periodic("x", 0, 1, 16))
          .axis(Axis.periodic("y", 0, 1, 16))
          .channel("u")
          .channel("v")
          .sensors(Sensors.points(3).sharing(Sensors.Sharing.SHARED))
          .build();
  private static final int SAMPLES = 2;

  /** Sets of constraints whose projection takes a fixed number of operations. */
  private enum Physics {
    NONE,
    ROW_MASS(Mass.over(-1)),
    MASS(Mass.over(2, 3)),
    RING(Dirichlet.ring(1)),
    RING_AND_ROW_MASS(Dirichlet.ring(0), Mass.over(-1).channels(0)),
    FLOW(DivergenceFree.spectral()),
    FLOW_WITHOUT_MEAN(DivergenceFree.spectral(), Mass.over(2, 3));

    private final List<Constraint> constraints;

    Physics(Constraint... constraints) {
      this.constraints = List.of(constraints);
    }
  }

  /** A method and what its network predicts. */
  private enum Method {
    EULER(FlowConfig.Prediction.VELOCITY, OdeSolver::euler),
    EULER_TO_THE_END(FlowConfig.Prediction.CLEAN, OdeSolver::euler),
    HEUN_TO_THE_END(FlowConfig.Prediction.CLEAN, OdeSolver::heun);

    private final FlowConfig.Prediction prediction;
    private final IntFunction<OdeSolver> solver;

    Method(FlowConfig.Prediction prediction, IntFunction<OdeSolver> solver) {
      this.prediction = prediction;
      this.solver = solver;
    }

    RectifiedFlow flow(Physics physics) {
      FlowConfig config =
          new FlowConfig(
              PROBLEM.with(physics.constraints),
              Normalization.identity(2),
              UNetConfig.tiny(),
              prediction,
              FlowConfig.Head.DIRECT,
              Conditioning.paper(),
              SourceDistribution.GAUSSIAN,
              TimeSampler.UNIFORM,
              true);
      RectifiedFlow flow = RectifiedFlow.of(config, Rng.of(1));
      Initializer.nonZero(flow.network(), Rng.of(2));
      return flow;
    }
  }

  // These numbers do not depend on the machine: a change that costs more must say so in the file,
  // one that costs less must claim it there.
  @Test
  void stepsStayWithinTheirBudget() throws IOException {
    Device device = Emulator.over(EmulatedDriver.create());
    CudaBackend backend = Emulated.backend(device);
    Observations seen = seen(device);
    Properties actual = new Properties();
    for (Method method : Method.values()) {
      for (Physics physics : Physics.values()) {
        RectifiedFlow flow = method.flow(physics);
        flow.network().to(device);
        Traffic[] costs = new Traffic[2];
        trajectory(flow, method.solver.apply(1), seen); // packs filters, brings constants there
        for (int i = 0; i < 2; i++) {
          Traffic before = backend.traffic();
          trajectory(flow, method.solver.apply(1 + i), seen);
          costs[i] = backend.traffic().since(before);
        }
        note(actual, lower(method) + "." + lower(physics), costs[1].since(costs[0]));
      }
    }
    assertEquals(lines(budget()), lines(actual));
  }

  private static Observations seen(Device device) {
    Shape shape = PROBLEM.batch(1);
    Tensor values = Rng.of(3).normal(shape);
    Tensor planes = Rng.of(4).uniform(Device.cpu(), shape.with(1, 1), DataType.F32).less(0.1);
    return Observations.of(values.to(device), planes);
  }

  private static Tensor trajectory(RectifiedFlow flow, OdeSolver solver, Observations seen) {
    FlowSampler sampler = FlowSampler.of(flow).solver(solver).batch(SAMPLES);
    return sampler.reconstruct(seen, SAMPLES, Rng.of(5)).samples();
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static void note(Properties actual, String what, Traffic traffic) {
    actual.setProperty(what + ".launches", "" + traffic.launches());
    actual.setProperty(what + ".operandBytes", "" + traffic.operandBytes());
    assertEquals(0, traffic.uploadedBytes(), what);
    assertEquals(0, traffic.downloadedBytes(), what);
  }

  private static String lines(Properties numbers) {
    StringBuilder lines = new StringBuilder();
    new TreeMap<>(numbers).forEach((k, v) -> lines.append(k).append('=').append(v).append('\n'));
    return lines.toString();
  }

  private static Properties budget() throws IOException {
    Properties budget = new Properties();
    String file = "sampling-budget.properties";
    try (InputStream in = SamplingOnGpuTest.class.getResourceAsStream(file)) {
      budget.load(in);
    }
    return budget;
  }
}
