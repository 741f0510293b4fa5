package io.perflow.cli;

import io.perflow.cli.figure.Figure;
import io.perflow.cli.figure.LineChart;
import io.perflow.flow.DataSource;
import io.perflow.flow.FlowConfig;
import io.perflow.flow.PriorModel;
import io.perflow.flow.Recipe;
import io.perflow.flow.RectifiedFlow;
import io.perflow.flow.RunLock;
import io.perflow.flow.Split;
import io.perflow.flow.TrainConfig;
import io.perflow.flow.Trainer;
import io.perflow.flow.TrainingListener;
import io.perflow.flow.log.CsvLog;
import io.perflow.flow.log.TrainingLog;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.DataResidual;
import io.perflow.physics.Dataset;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.prior.GaussianPrior;
import io.perflow.tensor.Device;
import io.perflow.tensor.Named;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Trains a flow on a data set. */
@Command(
    name = "train",
    description = {
      "Train a flow on a data set.",
      "A run lives in its directory. One that was stopped, by Ctrl-C too, goes on when the same"
          + " command is given again, and ends as if it had not been stopped. Given more --steps, a"
          + " finished run goes on as well."
    })
final class TrainCommand implements Callable<Integer> {
  @Mixin private DataOptions files = new DataOptions();

  @Option(
      names = "--system",
      defaultValue = "flow",
      description =
          "flow; kriging: only the Gaussian prior of the data, in seconds; or assimilation: the"
              + " same prior for solutions of the problem's equation (${DEFAULT-VALUE}).")
  private String system;

  @Option(
      names = "--modes",
      converter = Count.class,
      description =
          "For kriging and assimilation: how many modes of the data the prior keeps at most. Fewer"
              + " make a smaller file and a faster reconstruction. If omitted, 2000.")
  private Integer modes;

  @Option(
      names = "--recipe",
      defaultValue = "prior",
      description =
          "prior (a flow from the Gaussian that the data imply), fast (from smooth noise) or paper"
              + " (${DEFAULT-VALUE}).")
  private String recipe;

  @Option(
      names = "--network",
      description =
          "U-Net: tiny, small, base, paper, or a JSON file. If omitted, one that suits the size"
              + " of the data.")
  private String network;

  @Option(
      names = "--from",
      description =
          "Trained flow to go on from: its weights, network and units; the schedule starts anew.")
  private Path from;

  @Option(
      names = "--steps",
      converter = Count.class,
      description = "Training steps. If omitted, those of the recipe.")
  private Integer steps;

  @Option(
      names = "--batch",
      converter = Count.class,
      description = "Fields per step. If omitted, those of the recipe.")
  private Integer batch;

  @Option(names = "--rate", description = "Learning rate. If omitted, that of the recipe.")
  private Double rate;

  @Option(
      names = "--optimizer",
      description =
          "adamw, or muon, which needs fewer steps for the same loss. If omitted, that of the"
              + " recipe.")
  private String optimizer;

  @Option(
      names = "--ema",
      description = "Decay of the average of the weights. If omitted, that of the recipe.")
  private Double ema;

  @Option(
      names = "--patience",
      converter = Count.class,
      description =
          "Stop early after this many validations in a row without a better loss. If omitted,"
              + " training runs to its end.")
  private Integer patience;

  @Option(
      names = "--sensors",
      description = "Sensors per mask, as 5 or 3..8. If omitted, those of the problem.")
  private String sensors;

  @Option(names = "--unprojected", description = "Plain rectified flow, without the physics.")
  private boolean unprojected;

  @Option(
      names = "--uncalibrated",
      description = "Leave error bars as the samples give them; perflow calibrate does it later.")
  private boolean uncalibrated;

  @Option(names = "--seed", defaultValue = "1", description = "Seed (${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--out",
      description = "Directory of the run. If omitted, the directory run beside PROBLEM.")
  private Path out;

  @Mixin private MachineOptions machine = new MachineOptions();
  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    Device device = machine.use();
    locate();
    Dataset all = files.read();
    all.requireVariation();
    Optional<PriorModel.Use> use = Named.parse(TrainedSystem.class, system, "system").use();
    if (use.isPresent()) {
      return learnPrior(all, use.get());
    }
    if (modes != null) {
      throw new IllegalArgumentException(
          "--modes is for --system kriging and assimilation; leave it out for a flow");
    }
    RectifiedFlow start = from == null ? null : trained(all);
    FlowConfig config = start == null ? untrained(all) : start.config();
    List<DataResidual> residuals = all.with(config.problem()).residuals();
    if (config.embedded()) {
      DataResidual.refuseBroken(residuals);
    }
    Split split = files.split(all);
    Normalization units = config.units();
    TrainConfig settings = settings(split.training().size());
    Tensor training = normalized(split.training(), units);
    Tensor validation = normalized(split.validation(), units);
    try (RunLock _ = RunLock.take(out)) {
      RectifiedFlow flow =
          start == null ? RectifiedFlow.of(config, out, training, validation, Rng.of(seed)) : start;
      return train(flow, split, residuals, settings, training, validation, device);
    }
  }

  private int train(
      RectifiedFlow flow,
      Split split,
      List<DataResidual> residuals,
      TrainConfig settings,
      Tensor training,
      Tensor validation,
      Device device)
      throws IOException {
    DataSource source = DataSource.of(flow.config().problem(), training, settings);
    Trainer trainer =
        new Trainer(flow, source, settings, out).validation(validation).device(device);
    long before = trainer.resume();
    trainer.notes().forEach(this::tell);
    if (!json.quiet()) {
      new TrainingPlan(files.data(), split, residuals, flow, settings, out)
          .print(spec.commandLine().getOut(), source, device, before);
    }
    try (Interrupt _ = new Interrupt(trainer::stop)) {
      boolean done = run(trainer, settings, before);
      drawLosses();
      if (done && !uncalibrated) {
        calibrate(validation, device);
      }
      report(trainer, settings, done);
      return done ? 0 : 130;
    }
  }

  private void tell(String note) {
    PrintWriter err = spec.commandLine().getErr();
    err.println("note: " + note);
    err.flush();
  }

  private void locate() {
    if (!files.hasProblem() && (!files.hasData() || out == null)) {
      throw new IllegalArgumentException(
          "give a problem.json, as perflow init writes it, or both --data and --out");
    }
    files.locate();
    out = out == null ? files.beside("run") : out;
  }

  private static Tensor normalized(Dataset part, Normalization units) {
    return units.normalize(part.fields()).contiguous();
  }

  private boolean run(Trainer trainer, TrainConfig settings, long before) throws IOException {
    try (TrainingLog log = new TrainingLog(out, before);
        Progress progress = Progress.of("train", settings.steps())) {
      trainer.listener(log).listener(shown(progress));
      progress.at(before);
      boolean done = trainer.train();
      progress.close();
      log.notes().forEach(this::tell);
      return done;
    }
  }

  private void calibrate(Tensor validation, Device device) throws IOException {
    int fields = RectifiedFlow.calibrationFields(validation);
    try (Progress progress = Progress.of("calibrate error bars", fields)) {
      progress.at(0);
      RectifiedFlow.calibrate(out.resolve(Trainer.BEST), validation, device, progress::at);
    }
  }

  // no network: seconds instead of minutes
  private int learnPrior(Dataset all, PriorModel.Use use) throws IOException {
    Split split = files.split(all);
    Path file = out.resolve(Trainer.BEST);
    Problem problem = withSensors(all.problem());
    int fields = use.calibrationFields(split.validation().size());
    PriorModel model;
    try (Progress progress = Progress.of("calibrate error bars", fields)) {
      model =
          PriorModel.calibrated(
              split.training().with(problem),
              split.validation().with(problem),
              use,
              modes == null ? GaussianPrior.RANK : modes,
              progress::at);
    }
    try (RunLock _ = RunLock.take(out)) {
      model.save(file);
    }
    if (!json.quiet()) {
      spec.commandLine()
          .getOut()
          .printf(
              "%s learnt from %s, %d modes; use %s%n",
              use, Counted.of(split.training().size(), "field"), model.prior().rank(), file);
    }
    Map<String, Object> numbers = new LinkedHashMap<>();
    numbers.put("model", file.toString());
    numbers.put("modes", model.prior().rank());
    numbers.put("prior", model.prior().description());
    json.write(spec.commandLine().getOut(), numbers);
    return 0;
  }

  private FlowConfig untrained(Dataset all) throws IOException {
    FlowConfig config = Recipe.of(recipe).flow(all);
    config = config.problem(withSensors(all.problem()));
    if (network != null) {
      config = config.network(network(network));
    }
    return unprojected ? config.unprojected() : config;
  }

  private Problem withSensors(Problem problem) {
    return problem.with(SensorCount.of(sensors, problem.sensors()));
  }

  private RectifiedFlow trained(Dataset all) throws IOException {
    if (network != null || unprojected || sensors != null) {
      throw new IllegalArgumentException(
          ("%s has its network, its physics and its sensors; leave --network, --unprojected and"
                  + " --sensors out, or --from")
              .formatted(from));
    }
    RectifiedFlow flow = Model.load(from).requireFlow();
    flow.calibrate(null); // it belongs to the weights before this training
    flow.config()
        .problem()
        .difference(all.problem())
        .ifPresent(
            difference -> {
              throw new IllegalArgumentException(
                  "%s was trained on other fields than %s holds: %s"
                      .formatted(from, files.data(), difference));
            });
    return flow;
  }

  private static UNetConfig network(String name) throws IOException {
    return name.endsWith(".json") ? UNetConfig.read(Path.of(name)) : UNetConfig.preset(name);
  }

  private TrainConfig settings(int fields) {
    TrainConfig own = Recipe.of(recipe).training(fields, steps == null ? 0 : steps, seed);
    own = batch == null ? own : own.batch(batch);
    own = rate == null ? own : own.rate(rate);
    own = ema == null ? own : own.ema(ema);
    if (optimizer != null) {
      own = own.optimizer(Named.parse(TrainConfig.Method.class, optimizer, "--optimizer"));
    }
    return patience == null ? own : own.patience(patience);
  }

  private TrainingListener shown(Progress progress) {
    return new TrainingListener() {
      @Override
      public void step(long step, double loss, double rate) {
        progress.at(step, "loss %.4f".formatted(loss));
      }

      @Override
      public void validated(long step, double loss, Map<String, Double> diagnostics) {
        progress.close();
        if (!json.quiet()) {
          PrintWriter print = spec.commandLine().getOut();
          print.printf("step %d: validation loss %.5f%s%n", step, loss, residuals(diagnostics));
          print.flush();
        }
        // The parallel collector looks at old objects only when the heap is full, so a long run
        // would grow to many times what it uses.
        System.gc();
      }
    };
  }

  private static String residuals(Map<String, Double> diagnostics) {
    return diagnostics.isEmpty()
        ? ""
        : diagnostics.entrySet().stream()
            .map(entry -> "%s %.1e".formatted(entry.getKey(), entry.getValue()))
            .collect(Collectors.joining(", ", "; mean square residuals: ", ""));
  }

  // A table that is damaged costs its picture, and not the run.
  private void drawLosses() throws IOException {
    try {
      losses();
    } catch (FileFormatException e) {
      tell("%s; loss.png is not drawn".formatted(e.getMessage()));
    }
  }

  private void losses() throws IOException {
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

  private void report(Trainer trainer, TrainConfig settings, boolean done) throws IOException {
    PrintWriter print = spec.commandLine().getOut();
    Path best = out.resolve(Trainer.BEST);
    if (!json.quiet()) {
      if (trainer.stoppedEarly()) {
        print.printf(
            "stopped early after %d steps: %d validations brought no better loss; use %s%n",
            trainer.steps(), settings.patience(), best);
      } else if (done) {
        print.printf("%d steps done; use %s%n", trainer.steps(), best);
      } else {
        print.printf(
            "stopped after %d of %d steps; use %s, or go on with the same command%n",
            trainer.steps(), settings.steps(), best);
      }
    }
    if (!json.quiet() && done && trainer.untrainedIsBest()) {
      print.printf(
          "no step made the validation loss smaller: the model is the Gaussian prior of the data"
              + " alone (kriging)%n");
    }
    Map<String, Object> numbers = new LinkedHashMap<>();
    numbers.put("model", best.toString());
    numbers.put("untrained_is_best", trainer.untrainedIsBest());
    numbers.put("steps", trainer.steps());
    numbers.put("of_steps", settings.steps());
    numbers.put("done", done);
    numbers.put("stopped_early", trainer.stoppedEarly());
    trainer.bestLoss().ifPresent(loss -> numbers.put("validation_loss", loss));
    json.write(print, numbers);
  }
}
