package io.perflow.cli.reproduce;

import io.perflow.flow.Objective;
import io.perflow.flow.Observations;
import io.perflow.flow.PriorModel;
import io.perflow.flow.Reconstructor;
import io.perflow.flow.baseline.DivergedException;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A stopwatch that measures each {@link Timing} once and keeps it in {@code
 * times/BENCHMARK-KEY.json}. The networks are untrained and the readings are noise, because the
 * time of a sample depends on neither. A Gaussian prior is learnt from the data, because its number
 * of modes determines the time.
 */
final class Stopwatch {
  private static final String SECONDS = "seconds";

  private final Path directory;
  private final Watcher watcher;
  private final Laboratory laboratory;

  /** Creates a stopwatch, which gets priors from the laboratory. */
  Stopwatch(Path root, Watcher watcher, Laboratory laboratory) {
    directory = root.resolve("times");
    this.watcher = watcher;
    this.laboratory = laboratory;
  }

  private Path file(Timing timing) throws IOException {
    return directory.resolve("%s-%s.json".formatted(timing.benchmark(), Key.of(timing.toJson())));
  }

  /** Returns whether times were measured before. */
  boolean isTimed(Timing timing) throws IOException {
    return Files.exists(file(timing));
  }

  /** Returns the CPU seconds of one sample for each trial, measured now or before. */
  List<Double> seconds(Timing timing) throws IOException {
    Path file = file(timing);
    if (!Files.exists(file)) {
      List<Object> json = new ArrayList<>();
      for (double seconds : measured(timing)) {
        json.add(seconds);
      }
      Files.createDirectories(directory);
      Json.write(file, Map.of(SECONDS, json));
    }
    Map<String, Object> read = Json.object(Json.read(file), file.toString());
    List<Double> seconds = new ArrayList<>();
    for (Object value : Json.list(read.get(SECONDS), SECONDS)) {
      seconds.add(Json.number(value, SECONDS));
    }
    return seconds;
  }

  private double[] measured(Timing timing) throws IOException {
    List<Trial> trials = timing.trials();
    double[] least = new double[trials.size()];
    Arrays.fill(least, Double.POSITIVE_INFINITY);
    int turns = Timing.ROUNDS * trials.size();
    int threads = Settings.threads();
    Settings.threads(1); // so that the calling thread does all the work
    try (Watcher.Task task = watcher.begin("time on " + timing.benchmark(), turns)) {
      for (int i = 0; i < turns; i++) {
        int which = i % trials.size();
        Trial trial = trials.get(which);
        least[which] = Math.min(least[which], seconds(trial) * Timing.factor(trial));
        task.accept(i + 1);
      }
    } finally {
      Settings.threads(threads);
    }
    return least;
  }

  private double seconds(Trial trial) throws IOException {
    ThreadMXBean clock = ManagementFactory.getThreadMXBean();
    try (Scope _ = Scope.open()) {
      Object model = trial.training().made(untrained(trial.training()));
      Observations seen = seen(trial);
      Method.Draw one = trial.draw().batch(1).steps(Timing.steps(trial));
      share(trial.method().of(model, one.steps(Math.min(2, one.steps()))), seen); // packs weights
      long begin = clock.getCurrentThreadCpuTime();
      long end = begin;
      double least = Double.POSITIVE_INFINITY;
      // The shorter a sample, the larger the share of a disturbance in it.
      do {
        long start = end;
        double share = share(trial.method().of(model, one), seen);
        end = clock.getCurrentThreadCpuTime();
        least = Math.min(least, (end - start) * 1e-9 / share);
      } while (end - begin < trial.training().scale().timed() * 1e9);
      return least;
    }
  }

  private Workbench untrained(Training training) {
    return new Workbench() {
      @Override
      public Normalization normalization() {
        return Normalization.identity(training.problem().channelCount());
      }

      @Override
      public PriorModel prior() throws IOException {
        return laboratory.prior(training);
      }

      @Override
      public <O extends Objective> O trained(O untrained) {
        untrained.network().training(false);
        return untrained;
      }
    };
  }

  private static Observations seen(Trial trial) {
    Benchmark benchmark = trial.benchmark();
    int size = trial.training().scale().grid(benchmark);
    Problem problem = benchmark.problem(size, trial.sensors(), trial.sensors());
    Rng rng = Rng.of(trial.training().seed());
    Tensor planes = problem.masks().draw(rng.split("mask"), 1);
    return Observations.of(rng.split("fields").normal(problem.batch(1)), planes);
  }

  // The part of a run that was done; one that diverges takes the same time per step until then.
  private static double share(Reconstructor system, Observations seen) {
    try {
      system.reconstruct(seen, 1, Rng.of(1));
      return 1;
    } catch (DivergedException e) {
      return (double) e.step() / e.steps();
    }
  }
}
