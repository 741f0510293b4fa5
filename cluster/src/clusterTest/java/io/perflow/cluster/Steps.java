package io.perflow.cluster;

import io.perflow.flow.DataSource;
import io.perflow.flow.Recipe;
import io.perflow.flow.RectifiedFlow;
import io.perflow.flow.TrainConfig;
import io.perflow.flow.Trainer;
import io.perflow.flow.TrainingListener;
import io.perflow.nn.Parameter;
import io.perflow.nn.distributed.Collective;
import io.perflow.nn.distributed.Engine;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.solver.Benchmark;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Training steps of the base U-Net with eight fields of 128x128; the result is seconds of each. */
record Steps() implements Engine.RankWork<double[]> {
  private static final int BATCH = 8;
  private static final int SIZE = 128;
  private static final int STEPS = 3;

  private static RectifiedFlow flow() {
    Benchmark burgers = Benchmark.named("burgers");
    Problem problem = burgers.generator(burgers.preset(""), SIZE).problem();
    Normalization units = new Normalization(List.of(0.0), List.of(1.0));
    return RectifiedFlow.of(Recipe.FAST.flow(problem, units).network(UNetConfig.base()), Rng.of(1));
  }

  /** Numbers of a gradient. */
  static int numbers() {
    return flow().network().parameters().values().stream().mapToInt(Parameter::size).sum();
  }

  @Override
  public double[] of(Collective ranks) throws IOException {
    Settings.threads(1);
    RectifiedFlow flow = flow();
    Tensor fields = Rng.of(2).normal(Shape.of(BATCH, 1, SIZE, SIZE));
    TrainConfig settings = TrainConfig.fast(STEPS + 1, BATCH, 1).shards(ranks.size());
    Path directory = Files.createTempDirectory("perflow-steps-");
    long[] ends = new long[STEPS + 1];
    new Trainer(flow, DataSource.of(flow.config().problem(), fields, settings), settings, directory)
        .ranks(ranks)
        .listener(
            new TrainingListener() {
              @Override
              public void step(long step, double loss, double rate) {
                ends[(int) step - 1] = System.nanoTime();
              }
            })
        .train();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
    double[] seconds = new double[STEPS];
    for (int i = 0; i < STEPS; i++) {
      seconds[i] = (ends[i + 1] - ends[i]) * 1e-9;
    }
    return seconds;
  }
}
