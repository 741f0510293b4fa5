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
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Training steps of the base U-Net with fields of 128x128 on one thread of each rank, one whenever
 * the rank is called; the result is how many.
 *
 * @param port of the {@link Turns}
 * @param team as which the ranks are called
 * @param batch fields of a step, which all ranks share
 */
record Steps(int port, String team, int batch) implements Engine.RankWork<Long> {
  private static final int SIZE = 128;
  private static final int MANY = 1_000_000; // more than anybody calls

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
  public Long of(Collective ranks) throws IOException {
    Settings.threads(1);
    RectifiedFlow flow = flow();
    Tensor fields = Rng.of(2).normal(Shape.of(batch, 1, SIZE, SIZE));
    TrainConfig settings = TrainConfig.fast(MANY, batch, 1).shards(ranks.size()).saveEvery(MANY);
    Path directory = Files.createTempDirectory("perflow-steps-");
    Trainer trainer =
        new Trainer(
            flow, DataSource.of(flow.config().problem(), fields, settings), settings, directory);
    try (Turns.Place place = new Turns.Place(port, team)) {
      trainer.ranks(ranks).listener(taking(place, trainer));
      if (place.called()) {
        trainer.train();
      }
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
    return trainer.steps();
  }

  private static TrainingListener taking(Turns.Place place, Trainer trainer) {
    return new TrainingListener() {
      @Override
      public void step(long step, double loss, double rate) {
        try {
          place.done();
          if (!place.called()) {
            trainer.stop();
          }
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    };
  }
}
