package io.perflow.flow.baseline;

import io.perflow.flow.DataSource;
import io.perflow.flow.FlowConfig;
import io.perflow.flow.Objective;
import io.perflow.flow.Observations;
import io.perflow.flow.Recipe;
import io.perflow.flow.TrainConfig;
import io.perflow.flow.Trainer;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.residual.PdeResidual;
import io.perflow.physics.solver.Benchmark;
import io.perflow.physics.solver.FieldGenerator;
import io.perflow.physics.solver.NavierStokes;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The benchmarks in miniature: real fields on a grid of 16 x 16, tiny networks, six sensors. */
final class Problems {
  static final int SIZE = 16;
  static final int SENSORS = 6;

  private static final UNetConfig NETWORK =
      new UNetConfig(1, 1, 2, List.of(16, 16), 1, List.of(false, true), 2, 4, 32, false, false);
  private static final Map<String, Tensor> FIELDS = new HashMap<>();

  private Problems() {}

  // velocities are solved on the stored grid, which is quick and fine enough here
  private static FieldGenerator generator(String benchmark) {
    return benchmark.equals("ns")
        ? NavierStokes.standard().grid(SIZE, SIZE)
        : Benchmark.named(benchmark).generator("paper", SIZE);
  }

  static Problem problem(String benchmark) {
    return problem(benchmark, SENSORS);
  }

  static Problem problem(String benchmark, int sensors) {
    Problem usual = generator(benchmark).problem();
    return usual.with(usual.sensors().count(sensors, sensors));
  }

  /** Twelve fields in physical units. */
  static synchronized Tensor fields(String benchmark) {
    return FIELDS.computeIfAbsent(
        benchmark,
        key -> {
          FieldGenerator generator = generator(key);
          int[] one = generator.problem().batch(1).toArray();
          Tensor[] samples = new Tensor[12];
          for (int i = 0; i < samples.length; i++) {
            samples[i] = Tensor.of(generator.sample(Rng.of(8).split(i)), one);
          }
          return Tensor.concat(0, samples).to(DataType.F32);
        });
  }

  /** The same in units of variance 1. */
  static Tensor normalized(String benchmark) {
    return units(benchmark).normalize(fields(benchmark));
  }

  static Normalization units(String benchmark) {
    return Normalization.fit(fields(benchmark), problem(benchmark).groups());
  }

  /** The paper's choices but for the network. */
  static FlowConfig paper(String benchmark) {
    return Recipe.PAPER.flow(problem(benchmark), units(benchmark)).network(NETWORK);
  }

  /** The choices for short runs but for the network. */
  static FlowConfig fast(String benchmark) {
    return Recipe.FAST.flow(problem(benchmark), units(benchmark)).network(NETWORK);
  }

  /** What a few sensors see of one field. */
  static Observations observations(String benchmark) {
    Tensor planes = problem(benchmark).masks().draw(Rng.of(4), 1);
    return Observations.of(normalized(benchmark).slice(0, 0, 1).contiguous(), planes);
  }

  /** Guidance by weights of DiffusionPDE's size. */
  static Guidance guidance(String benchmark) {
    return switch (benchmark) {
      case "burgers" -> new Guidance(List.of(320.0), true, 100, equation("burgers-published"));
      case "poisson" -> new Guidance(List.of(0.8, 40.0), false, 1, equation("poisson-published"));
      case "darcy" -> new Guidance(List.of(5.0, 5000.0), false, 100, equation("darcy-published"));
      default -> new Guidance(List.of(100.0, 100.0), false, 1, equation("ns-corrected"));
    };
  }

  private static PdeResidual equation(String name) {
    return PdeResidual.of(name);
  }

  /** The training of a system on the fields of a benchmark. */
  static Trainer trainer(
      Objective objective, String benchmark, TrainConfig settings, Path directory) {
    DataSource data = DataSource.of(problem(benchmark), normalized(benchmark), settings);
    return new Trainer(objective, data, settings, directory);
  }
}
