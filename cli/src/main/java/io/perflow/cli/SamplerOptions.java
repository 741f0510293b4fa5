package io.perflow.cli;

import io.perflow.flow.FlowSampler;
import io.perflow.flow.OdeSolver;
import io.perflow.flow.PerFlow;
import io.perflow.flow.RectifiedFlow;
import io.perflow.physics.Readings;
import io.perflow.physics.constraint.Constraint;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How samples are drawn, for all commands that draw some. */
final class SamplerOptions {
  @Option(
      names = "--steps",
      converter = Count.class,
      defaultValue = "50",
      description = "Steps of the solver (${DEFAULT-VALUE}).")
  int steps;

  @Option(
      names = "--solver",
      defaultValue = "euler",
      description = "euler, midpoint, heun, rk4, multistep or dopri5 (${DEFAULT-VALUE}).")
  String solver;

  @ArgGroup(exclusive = true)
  private Sensors sensors = new Sensors();

  private static final class Sensors {
    @Option(names = "--exact-sensors", description = "Make every sample agree with the readings.")
    boolean exact;

    @Option(
        names = "--fit-sensors",
        description =
            "Fit the readings in the least-squares sense where constraints and readings conflict.")
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
        "dirichlet[:QUANTITY][@SIDE][=VALUE] on walls, mass[:QUANTITY][@AXIS][=MEAN] over the grid"
            + " or along an axis, divergence-free, energy=VALUE."
      })
  private List<String> constrain = new ArrayList<>();

  @Option(names = "--seed", defaultValue = "1", description = "Seed (${DEFAULT-VALUE}).")
  long seed;

  @Mixin private MachineOptions machine = new MachineOptions();

  /** Moves the flow to its device and prepares its sampler. */
  FlowSampler sampler(RectifiedFlow flow) {
    flow.network().to(machine.use());
    return FlowSampler.of(flow)
        .solver(OdeSolver.of(solver, steps))
        .constrain(constraints(flow))
        .sensors(sensors.agreement());
  }

  /** Prepares a reconstruction likewise. */
  PerFlow.Drawing drawing(RectifiedFlow flow, Readings readings) {
    return PerFlow.of(flow)
        .to(machine.use())
        .reconstruct(readings)
        .solver(OdeSolver.of(solver, steps))
        .constrain(constraints(flow).toArray(Constraint[]::new))
        .sensors(sensors.agreement());
  }

  private List<Constraint> constraints(RectifiedFlow flow) {
    return constrain.stream().map(flow.config().problem()::constraint).toList();
  }
}
