package io.perflow.cli;

import io.perflow.flow.FieldSampler;
import io.perflow.flow.FlowSampler;
import io.perflow.flow.OdeSolver;
import io.perflow.flow.RectifiedFlow;
import io.perflow.physics.constraint.Constraint;
import io.perflow.tensor.Device;
import io.perflow.tensor.Named;
import io.perflow.tensor.Rng;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options for drawing samples, for all commands that draw some. */
final class SamplerOptions {
  @Option(
      names = "--steps",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "50",
      description = "Steps of the solver that a flow takes for each sample (${DEFAULT-VALUE}).")
  int steps;

  @Option(
      names = "--solver",
      paramLabel = "NAME",
      defaultValue = "euler",
      description =
          "Solver of a flow: euler, midpoint, heun, rk4, multistep or dopri5 (${DEFAULT-VALUE}).")
  String solver;

  @Option(
      names = "--system",
      paramLabel = "NAME",
      defaultValue = "",
      description =
          "Method. flow uses the network; kriging uses the mean and the covariance of the data"
              + " alone; assimilation looks for solutions of the problem's equation that fit the"
              + " readings. If omitted, the one that the model was trained for.")
  String system;

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
      paramLabel = "TEXT",
      description = {
        "A further constraint that every sample must satisfy, in physical units; may be repeated."
            + " One of:",
        "dirichlet[:QUANTITY][@SIDE][=VALUE] on walls, mass[:QUANTITY][@AXIS][=MEAN] over the grid"
            + " or along an axis, divergence-free, poisson, energy=VALUE,"
            + " bounds[:QUANTITY]=LOW..HIGH, either side of which may be left open."
      })
  private List<String> constrain = new ArrayList<>();

  @Option(
      names = "--polish",
      converter = Count.class,
      paramLabel = "N",
      description =
          "Turn every sample of a flow or of kriging into a nearby solution of the problem's"
              + " equation that fits the readings, with at most this many Gauss-Newton steps.")
  private Integer polish;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of all random numbers (${DEFAULT-VALUE}).")
  long seed;

  @Mixin private MachineOptions machine = new MachineOptions();

  /** Returns the random numbers of samples. */
  Rng draws() {
    return Rng.of(seed).split("samples");
  }

  /**
   * Moves the model to its device and prepares its sampler.
   *
   * @param noise the standard deviation of the noise of readings on the grid, in normalized units
   */
  FieldSampler sampler(Model model, double noise) {
    Device device = machine.use();
    TrainedSystem wanted = system(model);
    if (wanted == TrainedSystem.ASSIMILATION || polish != null) {
      requireEquationAlone(wanted);
    }
    FieldSampler sampler =
        switch (wanted) {
          case FLOW -> flow(model.requireFlow(), device, model, noise);
          case KRIGING ->
              model
                  .requirePrior()
                  .kriging()
                  .noise(noise)
                  .constrain(constraints(model))
                  .exact(sensors.exact);
          case ASSIMILATION -> model.requirePrior().assimilation().noise(noise);
        };
    return polish == null
        ? sampler
        : model.requirePrior().assimilation().noise(noise).polishing(sampler, polish);
  }

  private FieldSampler flow(RectifiedFlow flow, Device device, Model model, double noise) {
    flow.network().to(device);
    return FlowSampler.of(flow)
        .solver(OdeSolver.of(solver, steps))
        .constrain(constraints(model))
        .sensors(sensors.agreement())
        .noise(noise);
  }

  private void requireEquationAlone(TrainedSystem wanted) {
    if (sensors.exact || sensors.fit || !constrain.isEmpty()) {
      throw new IllegalArgumentException(
          "samples of assimilation and polished ones satisfy the equation and fit the readings"
              + " within their noise; leave --exact-sensors, --fit-sensors and --constrain out");
    }
    if (wanted == TrainedSystem.ASSIMILATION && polish != null) {
      throw new IllegalArgumentException(
          "assimilation solves the equation already; use --polish with --system flow or kriging");
    }
  }

  private List<Constraint> constraints(Model model) {
    return constrain.stream().map(model.problem()::constraint).toList();
  }

  private TrainedSystem system(Model model) {
    if (!system.isEmpty()) {
      return Named.parse(TrainedSystem.class, system, "system");
    }
    return model.flow().isPresent()
        ? TrainedSystem.FLOW
        : TrainedSystem.of(model.requirePrior().use());
  }
}
