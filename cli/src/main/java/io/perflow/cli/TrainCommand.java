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
import io.perflow.nn.distributed.Collective;
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
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** The command {@code train}, which trains a flow or learns a prior from a data set. */
@Command(
    name = "train",
    description = {
      "Train a model on a data set.",
      "All files of a run are in one directory. If you stop a run, with Ctrl-C for instance, the"
          + " same command continues it, with the same result as without the stop. A finished run"
          + " continues if you ask for more --steps."
    })
final class TrainCommand implements Callable<Integer> {
  @Mixin private DataOptions files = new DataOptions();

  @Option(
      names = "--system",
      paramLabel = "NAME",
      defaultValue = "flow",
      description =
          "What to train. flow is a network; kriging needs seconds and learns only the mean and the"
              + " covariance of the data; assimilation learns the same and later looks for"
              + " solutions of the problem's equation (${DEFAULT-VALUE}).")
  private String system;

  @Option(
      names = "--modes",
      paramLabel = "N",
      converter = Count.class,
      description =
          "For kriging and assimilation: the largest number of modes of the covariance. Fewer modes"
              + " give a smaller file and a faster reconstruction. If omitted, 2000.")
  private Integer modes;

  @Option(
      names = "--recipe",
      paramLabel = "NAME",
      defaultValue = "prior",
      description =
          "Settings of the flow and its training. prior starts the flow from the Gaussian with the"
              + " mean and the covariance of the data; fast starts it from smooth noise; paper uses"
              + " the published settings (${DEFAULT-VALUE}).")
  private String recipe;

  @Option(
      names = "--network",
      paramLabel = "NAME",
      description =
          "Network: tiny, small, base, paper, or a JSON file. If omitted, one that suits the number"
              + " of fields.")
  private String network;

  @Option(
      names = "--from",
      paramLabel = "FILE",
      description =
          "Trained flow to start from. Its weights, network and units are kept; the learning rate"
              + " starts anew.")
  private Path from;

  @Option(
      names = "--steps",
      paramLabel = "N",
      converter = Count.class,
      description = "Number of training steps. If omitted, as in the recipe.")
  private Integer steps;

  @Option(
      names = "--batch",
      paramLabel = "N",
      converter = Count.class,
      description = "Fields in a training step. If omitted, as in the recipe.")
  private Integer batch;

  @Option(
      names = "--rate",
      paramLabel = "X",
      description = "Learning rate. If omitted, as in the recipe.")
  private Double rate;

  @Option(
      names = "--optimizer",
      paramLabel = "NAME",
      description =
          "adamw, or muon, which needs fewer steps for the same loss. If omitted, as in the"
              + " recipe.")
  private String optimizer;

  @Option(
      names = "--ema",
      paramLabel = "X",
      description = "Decay of the moving average of the weights. If omitted, as in the recipe.")
  private Double ema;

  @Option(
      names = "--patience",
      paramLabel = "N",
      converter = Count.class,
      description =
          "Stop after this many validations in a row without a smaller loss. If omitted, 6 for the"
              + " recipe prior without --steps; otherwise all steps are taken.")
  private Integer patience;

  @Option(
      names = "--sensors",
      paramLabel = "N",
      description =
          "Number of sensors of a field, such as 5, or a range, such as 3..8. If omitted, as in the"
              + " problem.")
  private String sensors;

  @Option(
      names = "--unprojected",
      description = "Train a flow that does not hold the constraints, for comparison.")
  private boolean unprojected;

  @Option(
      names = "--uncalibrated",
      description =
          "Do not calibrate the error bars at the end; perflow calibrate can do it later.")
  private boolean uncalibrated;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of all random numbers (${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Directory of the run. If omitted, run beside PROBLEM.")
  private Path out;

  @Mixin private MachineOptions machine = new MachineOptions();
  @Mixin private RankOptions gang = new RankOptions();
  @Mixin private JsonOption json = new JsonOption();

  @ParentCommand private PerflowCommand root;
  @Spec private CommandSpec spec;

  private Collective ranks = Collective.solo();
  private UNetConfig chosen; // null for one that suits the number of fields

  @Override
  public Integer call() throws IOException {
    UNetConfig own = network == null ? null : network(network);
    if (root.master != null) {
      locate();
      return gang.train(root.master, spec, out.resolve(Trainer.LAST), own);
    }
    RankOptions.refuseAlone(spec);
    return train(ranks, 1, own);
  }

  /**
   * Trains as one rank; all ranks but the first are silent and write no file.
   *
   * @param own the network that the user has chosen; null for none
   */
  int train(Collective others, int shards, UNetConfig own) throws IOException {
    ranks = others;
    chosen = own;
    gang.shards(shards);
    Device device = machine.use();
    locate();
    Dataset all = files.read();
    all.requireVariation();
    Optional<PriorModel.Use> use = Named.parse(TrainedSystem.class, system, "system").use();
    refuseOther(use);
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
    Normalization units = config.normalization();
    TrainConfig settings = settings(split.training().size());
    Tensor training = normalized(split.training(), units);
    Tensor validation = normalized(split.validation(), units);
    try (RunLock _ = ranks.rank() == 0 ? RankOptions.lock(ranks, out) : null) {
      if (ranks.rank() > 0) {
        ranks.barrier(); // the first rank learns the prior, and the others read it
      }
      RectifiedFlow flow =
          start == null ? RectifiedFlow.of(config, out, training, validation, Rng.of(seed)) : start;
      if (ranks.rank() == 0) {
        ranks.barrier();
      }
      return train(flow, split, residuals, settings, training, validation, device);
    }
  }

  // The best model of one would take the place of the other's.
  private void refuseOther(Optional<PriorModel.Use> use) throws IOException {
    Path best = out.resolve(Trainer.BEST);
    boolean network = Files.exists(out.resolve(Trainer.LAST));
    if (use.isPresent() && network) {
      throw new IllegalArgumentException(
          "%s has the run of a network; give another --out for --system %s"
              .formatted(out, use.get()));
    }
    if (use.isEmpty() && !network && Files.exists(best) && PriorModel.isIn(best)) {
      throw new IllegalArgumentException(
          "%s is a model without a network, which a flow would replace; give another --out"
              .formatted(best));
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
        new Trainer(flow, source, settings, out).validation(validation).device(device).ranks(ranks);
    long before = trainer.resume();
    if (ranks.rank() > 0) {
      return trainer.train() ? 0 : 130;
    }
    trainer.notes().forEach(this::tell);
    new TrainingPlan(files.data(), split, residuals, flow, settings, out)
        .print(spec.commandLine().getOut(), source, device, before);
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
          "name a problem.json, as perflow init writes it, or both --data and --out");
    }
    files.locate();
    out = out == null ? files.beside("run") : out;
  }

  private static Tensor normalized(Dataset part, Normalization units) {
    return units.normalize(part.fields()).contiguous();
  }

  private boolean run(Trainer trainer, TrainConfig settings, long before) throws IOException {
    try (TrainingLog log = new TrainingLog(out, before);
        Progress progress = Progress.of(spec, "train", settings.steps())) {
      trainer.listener(log).listener(shown(progress));
      progress.at(before);
      boolean done = trainer.train();
      progress.clear();
      log.notes().forEach(this::tell);
      return done;
    }
  }

  private void calibrate(Tensor validation, Device device) throws IOException {
    int fields = RectifiedFlow.calibrationFields(validation);
    Path best = out.resolve(Trainer.BEST);
    try (Progress progress = Progress.of(spec, "calibrate error bars", fields)) {
      progress.at(0);
      RectifiedFlow.calibrate(best, best, validation, device, progress::at);
    }
  }

  // Learning a prior has no network to train and takes seconds instead of minutes.
  private int learnPrior(Dataset all, PriorModel.Use use) throws IOException {
    Split split = files.split(all);
    Path file = out.resolve(Trainer.BEST);
    Problem problem = withSensors(all.problem());
    int fields = use.calibrationFields(split.validation().size());
    PriorModel model;
    try (Progress progress = Progress.of(spec, "calibrate error bars", fields)) {
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
    spec.commandLine()
        .getOut()
        .printf(
            "%s learnt from %s, %d modes; use %s%n",
            use, Counted.of(split.training().size(), "field"), model.prior().rank(), file);
    Map<String, Object> numbers = new LinkedHashMap<>();
    numbers.put("model", file.toString());
    numbers.put("modes", model.prior().rank());
    numbers.put("prior", model.prior().description());
    json.write(numbers);
    return 0;
  }

  private FlowConfig untrained(Dataset all) throws IOException {
    FlowConfig config = Recipe.of(recipe).flow(all);
    config = config.problem(withSensors(all.problem()));
    if (chosen != null) {
      config = config.network(chosen);
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
    RectifiedFlow flow = Model.load(spec, from).requireFlow();
    flow.calibrate(null); // it belongs to the weights before this training
    flow.config()
        .problem()
        .difference(all.problem())
        .ifPresent(
            difference -> {
              throw new IllegalArgumentException(
                  "%s was trained on other fields than those in %s: %s"
                      .formatted(from, files.data(), difference));
            });
    return flow;
  }

  private static UNetConfig network(String name) throws IOException {
    return name.endsWith(".json") ? UNetConfig.read(Path.of(name)) : UNetConfig.preset(name);
  }

  private TrainConfig settings(int fields) {
    if (rate != null && !(rate > 0)) {
      throw new IllegalArgumentException("--rate %s must be positive, as 0.0002".formatted(rate));
    }
    TrainConfig own = Recipe.of(recipe).training(fields, steps == null ? 0 : steps, seed);
    own = batch == null ? own : own.batch(batch);
    own = rate == null ? own : own.rate(rate);
    own = ema == null ? own : own.ema(ema);
    if (optimizer != null) {
      own = own.optimizer(Named.parse(TrainConfig.Method.class, optimizer, "--optimizer"));
    }
    own = own.shards(gang.shards());
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
        progress.clear();
        PrintWriter print = spec.commandLine().getOut();
        print.printf("step %d: validation loss %.5f%s%n", step, loss, residuals(diagnostics));
        print.flush();
        // The parallel collector collects old objects only when the heap is full, so a long run
        // would grow to many times the memory that it uses.
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

  // A damaged table costs only its picture, not the run.
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
    if (trainer.stoppedEarly()) {
      print.printf(
          "stopped early after %d steps: %d validations brought no better loss; use %s%n",
          trainer.steps(), settings.patience(), best);
    } else if (done) {
      print.printf("%d steps done; use %s%n", trainer.steps(), best);
    } else {
      print.printf(
          "stopped after %d of %d steps; use %s, or continue with the same command%n",
          trainer.steps(), settings.steps(), best);
    }
    if (done && trainer.untrainedIsBest()) {
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
    json.write(numbers);
  }
}
