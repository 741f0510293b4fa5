package io.perflow.cli;

import io.perflow.flow.FlowSampler;
import io.perflow.flow.OdeSolver;
import io.perflow.flow.RectifiedFlow;
import io.perflow.physics.Benchmark;
import io.perflow.tensor.Settings;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** How samples are drawn, for all commands that draw some. */
final class SamplerOptions {
  @Option(
      names = "--steps",
      defaultValue = "50",
      description = "Steps of the solver (${DEFAULT-VALUE}).")
  int steps;

  @Option(
      names = "--solver",
      defaultValue = "euler",
      description = "euler, midpoint, heun, rk4 or dopri5 (${DEFAULT-VALUE}).")
  String solver;

  @ArgGroup(exclusive = true)
  private Sensors sensors = new Sensors();

  private static final class Sensors {
    @Option(names = "--exact-sensors", description = "Make every sample agree with the readings.")
    boolean exact;

    @Option(
        names = "--fit-sensors",
        description = "The same as well as the constraints allow: for noisy readings.")
    boolean fit;

    FlowSampler.Agreement agreement() {
      return exact
          ? FlowSampler.Agreement.EXACT
          : fit ? FlowSampler.Agreement.LEAST_SQUARES : FlowSampler.Agreement.LEARNT;
    }
  }

  @Option(
      names = "--constrain",
      paramLabel = "<what>",
      description = {
        "What samples must satisfy besides what the flow was trained with, in physical units; may"
            + " be repeated:",
        "dirichlet[:CHANNEL][=VALUE] on the rim, mass[:CHANNEL][=MEAN] over the grid,",
        "row-mass[:CHANNEL][=MEAN] over each row, divergence-free, energy=VALUE."
      })
  private List<String> constrain = new ArrayList<>();

  @Option(names = "--seed", defaultValue = "1", description = "Seed (${DEFAULT-VALUE}).")
  long seed;

  @Option(names = "--threads", description = "Threads; all processors by default.")
  Integer threads;

  FlowSampler sampler(RectifiedFlow flow) {
    if (threads != null) {
      Settings.threads(threads);
    }
    List<String> channels = Benchmark.of(flow.config().benchmark()).channels();
    return FlowSampler.of(flow)
        .solver(OdeSolver.of(solver, steps))
        .constrain(constrain.stream().map(text -> ConstraintText.parse(text, channels)).toList())
        .sensors(sensors.agreement());
  }
}
