package io.perflow.flow.baseline;

import io.perflow.flow.FlowConfig;
import io.perflow.flow.Observations;
import io.perflow.flow.Recipe;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Benchmark;
import io.perflow.physics.Normalization;
import io.perflow.physics.Preset;
import io.perflow.physics.solver.FieldGenerator;
import io.perflow.physics.solver.NavierStokes;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The benchmarks in miniature: real fields on a grid of 16 x 16, tiny networks. */
final class Problems {
  static final int SIZE = 16;
  static final int SENSORS = 6;

  private static final UNetConfig NETWORK =
      new UNetConfig(1, 1, 2, List.of(16, 16), 1, List.of(false, true), 2, 4, 32, false, false);
  private static final Map<Benchmark, Tensor> FIELDS = new HashMap<>();

  private Problems() {}

  /** Twelve fields in physical units. */
  static synchronized Tensor fields(Benchmark benchmark) {
    return FIELDS.computeIfAbsent(
        benchmark,
        key -> {
          // velocities that are solved on the stored grid, which is quick and fine enough here
          FieldGenerator generator =
              key == Benchmark.NS
                  ? NavierStokes.standard().grid(SIZE, SIZE)
                  : Preset.PAPER.generator(key, SIZE);
          Tensor[] samples = new Tensor[12];
          for (int i = 0; i < samples.length; i++) {
            double[] sample = generator.sample(Rng.of(8).split(i));
            samples[i] = Tensor.of(sample, 1, key.channels().size(), SIZE, SIZE);
          }
          return Tensor.concat(0, samples).to(DataType.F32);
        });
  }

  /** The same in units of variance 1. */
  static Tensor normalized(Benchmark benchmark) {
    return units(benchmark).normalize(fields(benchmark));
  }

  static Normalization units(Benchmark benchmark) {
    return Normalization.fit(fields(benchmark), benchmark.groups());
  }

  /** The paper's choices but for the network. */
  static FlowConfig paper(Benchmark benchmark) {
    return Recipe.PAPER.flow(benchmark, SIZE, SIZE, units(benchmark)).with(NETWORK);
  }

  /** The choices for short runs but for the network. */
  static FlowConfig fast(Benchmark benchmark) {
    return Recipe.FAST.flow(benchmark, SIZE, SIZE, units(benchmark)).with(NETWORK);
  }

  /** What a few sensors see of one field. */
  static Observations observations(Benchmark benchmark) {
    Tensor planes = benchmark.masks(SIZE, SIZE, SENSORS, SENSORS).draw(Rng.of(4), 1);
    return Observations.of(normalized(benchmark).slice(0, 0, 1).contiguous(), planes);
  }
}
