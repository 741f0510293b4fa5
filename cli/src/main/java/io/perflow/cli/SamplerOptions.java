package io.perflow.cli;

import io.perflow.flow.FlowSampler;
import io.perflow.flow.OdeSolver;
import io.perflow.flow.RectifiedFlow;
import io.perflow.tensor.Settings;
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

  @Option(names = "--exact-sensors", description = "Make every sample agree with the readings.")
  boolean exactSensors;

  @Option(names = "--seed", defaultValue = "1", description = "Seed (${DEFAULT-VALUE}).")
  long seed;

  @Option(names = "--threads", description = "Threads; all processors by default.")
  Integer threads;

  FlowSampler sampler(RectifiedFlow flow) {
    if (threads != null) {
      Settings.threads(threads);
    }
    return FlowSampler.of(flow).solver(OdeSolver.of(solver, steps)).exactSensors(exactSensors);
  }
}
