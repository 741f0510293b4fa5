package io.perflow.cli;

import io.perflow.cli.figure.Figure;
import io.perflow.cli.figure.LineChart;
import io.perflow.flow.FlowConfig;
import io.perflow.flow.Recipe;
import io.perflow.flow.RectifiedFlow;
import io.perflow.flow.TrainConfig;
import io.perflow.flow.Trainer;
import io.perflow.flow.TrainingListener;
import io.perflow.flow.log.CsvLog;
import io.perflow.flow.log.TrainingLog;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Benchmark;
import io.perflow.physics.Dataset;
import io.perflow.physics.Normalization;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Trains a flow on a data set. */
@Command(
    name = "train",
    description = {
      "Train a flow on a data set.",
      "A run lives in its directory. One that was stopped, by Ctrl-C too, goes on when the same"
          + " command is given again, and ends as if it had not been stopped."
    })
final class TrainCommand implements Callable<Integer> {
  @Option(names = "--data", required = true, description = "Data set to train on.")
  private Path data;

  @Option(
      names = "--val",
      description = "Data set to judge by; else 5 %% of the other, at most 64.")
  private Path val;

  @Option(
      names = "--recipe",
      defaultValue = "fast",
      description = "fast (hours on a CPU) or paper (${DEFAULT-VALUE}).")
  private String recipe;

  @Option(names = "--network", description = "U-Net: a preset's name or a JSON file.")
  private String network;

  @Option(
      names = "--from",
      description =
          "Trained flow to go on from: its weights, network and units; the schedule starts anew.")
  private Path from;

  @Option(names = "--steps", description = "Optimizer steps; by default those of the recipe.")
  private long steps;

  @Option(names = "--batch", description = "Fields per step.")
  private Integer batch;

  @Option(names = "--rate", description = "Learning rate.")
  private Double rate;

  @Option(names = "--ema", description = "Decay of the average of the weights.")
  private Double ema;

  @Option(
      names = "--sensors",
      description = "Sensors per mask, as 5 or 3..8; by default the paper's number.")
  private String sensors;

  @Option(names = "--unprojected", description = "Plain rectified flow, without the physics.")
  private boolean unprojected;

  @Option(names = "--seed", defaultValue = "1", description = "Seed (${DEFAULT-VALUE}).")
  private long seed;

  @Option(names = "--threads", description = "Threads; all processors by default.")
  private Integer threads;

  @Option(names = "--out", required = true, description = "Directory of the run.")
  private Path out;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    if (threads != null) {
      Settings.threads(threads);
    }
    Dataset all = Dataset.read(data);
    RectifiedFlow flow = from == null ? untrained(all) : trained(all);
    int[] range = Sensors.range(sensors, all.benchmark().sensors());
    flow.masks(all.benchmark().masks(all.height(), all.width(), range[0], range[1]));
    Split split = split(all, flow.config().units());
    TrainConfig settings = settings(all.benchmark(), split.training().dim(0));
    Trainer trainer =
        new Trainer(flow, flow.config().domain(), split.training(), settings, out)
            .validation(split.validation());
    Files.createDirectories(out);
    long before = trainer.resume();
    try (Interrupt _ = new Interrupt(trainer::stop)) {
      boolean done = run(trainer, settings, before);
      drawLosses();
      report(trainer, settings, done);
      return done ? 0 : 130;
    }
  }

  private boolean run(Trainer trainer, TrainConfig settings, long before) throws IOException {
    try (TrainingLog log = new TrainingLog(out, before);
        Progress progress = Progress.of("train", settings.steps())) {
      trainer.listener(log).listener(shown(progress));
      progress.at(before);
      return trainer.run();
    }
  }

  private record Split(Tensor training, Tensor validation) {}

  private Split split(Dataset all, Normalization units) throws IOException {
    Tensor fields = units.normalize(all.fields()).contiguous();
    if (val != null) {
      Dataset judged = Dataset.read(val);
      if (judged.benchmark() != all.benchmark()) {
        throw new IllegalArgumentException(
            "%s holds %s, %s holds %s: they must be of one benchmark"
                .formatted(data, all.benchmark(), val, judged.benchmark()));
      }
      return new Split(fields, units.normalize(judged.fields()).contiguous());
    }
    int count = all.size();
    int held = Math.min(64, Math.max(1, count / 20));
    if (count < 2) {
      throw new IllegalArgumentException(
          "%s holds %d field; at least 2 are needed, or a --val file".formatted(data, count));
    }
    return new Split(
        fields.slice(0, 0, count - held).contiguous(),
        fields.slice(0, count - held, count).contiguous());
  }

  private RectifiedFlow untrained(Dataset all) throws IOException {
    FlowConfig config =
        Recipe.of(recipe).flow(all.benchmark(), all.height(), all.width(), all.normalization());
    if (network != null) {
      config = config.with(network(network));
    }
    if (unprojected) {
      config = config.unprojected();
    }
    return RectifiedFlow.of(config, Rng.of(seed));
  }

  private RectifiedFlow trained(Dataset all) throws IOException {
    if (network != null || unprojected) {
      throw new IllegalArgumentException(
          "%s has its network and its physics; leave --network and --unprojected out, or --from"
              .formatted(from));
    }
    RectifiedFlow flow = RectifiedFlow.load(from);
    FlowConfig config = flow.config();
    String needed = "%s, %s".formatted(config.benchmark(), config.domain().batch(1));
    String given = "%s, %s".formatted(all.benchmark(), all.fields().slice(0, 0, 1).shape());
    if (!needed.equals(given)) {
      throw new IllegalArgumentException(
          "%s was trained on other fields than %s holds: one is %s there and %s here"
              .formatted(from, data, needed, given));
    }
    return flow;
  }

  private static UNetConfig network(String name) throws IOException {
    return name.endsWith(".json") ? UNetConfig.read(Path.of(name)) : UNetConfig.preset(name);
  }

  private TrainConfig settings(Benchmark benchmark, int fields) {
    TrainConfig own = Recipe.of(recipe).training(benchmark, fields, steps, seed);
    return own.with(
        batch == null ? own.batch() : batch,
        rate == null ? own.rate() : rate,
        ema == null ? own.ema() : ema);
  }

  private TrainingListener shown(Progress progress) {
    return new TrainingListener() {
      @Override
      public void step(long step, double loss, double rate) {
        progress.at(step);
      }

      @Override
      public void validated(long step, double loss, Map<String, Double> diagnostics) {
        progress.close();
        spec.commandLine()
            .getOut()
            .printf("step %d: validation loss %.5f, %s%n", step, loss, diagnostics);
        // the collector would rather fill the whole heap with what died old than look at it: a long
        // training grew to many times what it uses
        System.gc();
      }
    };
  }

  private void drawLosses() throws IOException {
    Map<String, double[]> train = CsvLog.read(out.resolve(TrainingLog.TRAIN));
    LineChart chart = LineChart.of("Loss").axes("step", "loss").logY();
    chart.noisyLine("training", train.get("step"), train.get("loss"));
    Path file = out.resolve(TrainingLog.VALIDATION);
    if (Files.exists(file)) {
      Map<String, double[]> judged = CsvLog.read(file);
      chart.markedLine("validation", judged.get("step"), judged.get("loss"));
    }
    Figure.of(chart).png().write(out.resolve("loss.png"));
  }

  private void report(Trainer trainer, TrainConfig settings, boolean done) {
    var print = spec.commandLine().getOut();
    if (done) {
      print.printf("%d steps done; use %s%n", trainer.steps(), out.resolve(Trainer.BEST));
    } else {
      print.printf(
          "stopped after %d of %d steps; the same command goes on from there%n",
          trainer.steps(), settings.steps());
    }
  }
}
