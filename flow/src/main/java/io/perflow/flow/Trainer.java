package io.perflow.flow;

import io.perflow.autograd.Gradients;
import io.perflow.autograd.Tape;
import io.perflow.nn.Checkpoint;
import io.perflow.nn.FormatVersion;
import io.perflow.nn.Layer;
import io.perflow.nn.Parameter;
import io.perflow.nn.Weights;
import io.perflow.nn.optim.Ema;
import io.perflow.nn.optim.Optimizer;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;

/**
 * Trains a system: AdamW with warm-up and cosine, an average of the weights, validation,
 * checkpoints.
 *
 * <p>A run lives in a directory, which is locked while it trains: {@code last.safetensors} holds
 * all of it and is written every so often, {@code previous.safetensors} is the one before, and
 * {@code best.safetensors} holds the averaged weights with the least validation loss so far, ready
 * for use. A trainer that finds {@code last.safetensors} goes on from there with the losses the
 * interrupted run would have had, bit for bit; when that file is damaged, from the one before.
 */
public final class Trainer {
  /** The whole run. */
  public static final String LAST = "last.safetensors";

  /** The whole run as it was one checkpoint earlier. */
  public static final String PREVIOUS = "previous.safetensors";

  /** The weights to use. */
  public static final String BEST = "best.safetensors";

  private static final String TRAINING = "training";
  private static final String DATA = "data";
  private static final String BEST_LOSS = "best_loss";
  private static final String BEST_STEP = "best_step";
  private static final String WORSE = "validations_without_improvement";

  // more steps may follow, and how often files are written changes no weight
  private static final Set<String> FREE =
      Set.of("steps", "warmup", "validate_every", "save_every", "patience");

  private final Objective objective;
  private final TrainConfig config;
  private final DataSource training;
  private final Path directory;
  private final List<TrainingListener> listeners = new ArrayList<>();
  private Device device = Device.cpu();
  private Function<Map<String, Parameter>, Optimizer> optimizers;
  private Run run; // null until it is set up
  private Tensor validation; // null when there is none
  private String data; // null until it is asked for
  private double best = Double.POSITIVE_INFINITY;
  private long bestStep;
  private int worse; // validations in a row without a better loss
  private boolean resumed;
  private boolean lastIsDamaged; // and must not take the place of the one before
  private final List<String> notes = new ArrayList<>();
  private volatile boolean stopped;

  /** What changes from step to step; set up when the network is where it stays. */
  private record Run(Optimizer optimizer, Ema ema, Checkpoint checkpoint) {}

  /**
   * Sets a run up.
   *
   * @param data hands out the fields of every step; for fields in memory {@link
   *     DataSource#of(io.perflow.physics.Problem, Tensor, TrainConfig)}
   * @param directory where the run lives; made when it does not exist
   */
  public Trainer(Objective objective, DataSource data, TrainConfig config, Path directory) {
    this.objective = objective;
    this.config = config;
    this.directory = directory;
    training = data;
    optimizers = config::optimizer;
  }

  /** Sets normalized fields on which the averaged weights are judged. */
  public Trainer validation(Tensor fields) {
    validation = fields.to(DataType.F32).contiguous();
    data = null;
    return this;
  }

  /** Adds a listener that is told about every step, validation and checkpoint. */
  public Trainer listener(TrainingListener listener) {
    listeners.add(listener);
    return this;
  }

  /** Trains on another device than the CPU; the network stays there. */
  public Trainer device(Device where) {
    device = where;
    return this;
  }

  /**
   * Sets an optimizer of one's own in place of the configuration's.
   *
   * @param make from the parameters of the network to their optimizer
   */
  public Trainer optimizer(Function<Map<String, Parameter>, Optimizer> make) {
    optimizers = make;
    return this;
  }

  /** Asks the run to end after the step it is in, with a checkpoint; from any thread. */
  public void stop() {
    stopped = true;
  }

  /** Steps done so far, those of earlier runs included. */
  public long steps() {
    return run().optimizer().steps();
  }

  /** What a person should know about how the run was taken up, one line each. */
  public List<String> notes() {
    return List.copyOf(notes);
  }

  /** Whether the run ended because validation losses no longer fell. */
  public boolean stoppedEarly() {
    return config.patience() > 0 && worse >= config.patience();
  }

  /** The least validation loss so far; empty before the first validation. */
  public OptionalDouble bestLoss() {
    return best < Double.POSITIVE_INFINITY ? OptionalDouble.of(best) : OptionalDouble.empty();
  }

  /**
   * Whether the run judged the untrained system best, so that {@link #BEST} holds that: a flow from
   * a Gaussian prior whose network did not help.
   */
  public boolean untrainedIsBest() {
    return bestLoss().isPresent() && bestStep == 0;
  }

  private Run run() {
    if (run == null) {
      Layer network = objective.network();
      network.to(device);
      Optimizer optimizer = optimizers.apply(network.parameters());
      Ema ema = Ema.of(network.parameters(), config.ema());
      run = new Run(optimizer, ema, Checkpoint.of(network).ema(ema).optimizer(optimizer));
    }
    return run;
  }

  /**
   * Takes up the run that the directory holds, if it does; {@link #train} does so by itself. A run
   * that had fewer steps in all goes on along the new schedule.
   *
   * @return steps done before
   * @throws IllegalArgumentException when that run had other settings, other data, another problem
   *     or another network; nothing has changed then
   */
  public long resume() throws IOException {
    Path last = directory.resolve(LAST);
    Path previous = directory.resolve(PREVIOUS);
    if (resumed) {
      return steps();
    }
    if (Files.exists(last)) {
      try {
        takeUp(last);
      } catch (FileFormatException e) {
        if (!Files.exists(previous)) {
          throw e;
        }
        takeUp(previous);
        lastIsDamaged = true;
        notes.add("%s; going on from %s, step %d".formatted(e.getMessage(), previous, steps()));
      }
    } else if (Files.exists(previous)) { // killed between two checkpoints
      takeUp(previous);
      notes.add("%s is missing; going on from %s, step %d".formatted(last, previous, steps()));
    }
    resumed = true;
    return steps();
  }

  private void takeUp(Path file) throws IOException {
    checkSettings(file);
    Map<String, String> found = run().checkpoint().load(file);
    best = number(file, found, BEST_LOSS, "Infinity");
    bestStep = (long) number(file, found, BEST_STEP, "-1");
    worse = (int) number(file, found, WORSE, "0");
    if (config.steps() < steps()) {
      throw new IllegalArgumentException(
          "%s has done %d steps, more than the %d asked for; ask for more or give another directory"
              .formatted(file, steps(), config.steps()));
    }
  }

  private static double number(Path file, Map<String, String> found, String name, String otherwise)
      throws FileFormatException {
    String text = found.getOrDefault(name, otherwise);
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new FileFormatException(file.toString(), name, "'%s' is no number".formatted(text));
    }
  }

  private void checkSettings(Path file) throws IOException {
    Map<String, String> found;
    try (SafeTensors open = SafeTensors.read(file)) {
      found = open.metadata();
      FormatVersion.check(file, found);
    }
    List<String> differences = new ArrayList<>();
    for (String difference : Differences.of("", found.get(TRAINING), config.toJson())) {
      if (!FREE.contains(difference.substring(0, difference.indexOf(' ')))) {
        differences.add(difference);
      }
    }
    objective
        .description()
        .forEach((key, text) -> differences.addAll(Differences.of(key, found.get(key), text)));
    if (found.containsKey(DATA)) { // files of version 0.1 do not say
      differences.addAll(Differences.of(DATA, found.get(DATA), data()));
    }
    if (!differences.isEmpty()) {
      throw new IllegalArgumentException(
          "%s belongs to a run with other settings: %s; give the same ones or another directory"
              .formatted(file, String.join("; ", differences)));
    }
  }

  // what tells the fields of this run from others; the same for every checkpoint
  private String data() {
    if (data == null) {
      data = fingerprints();
    }
    return data;
  }

  private String fingerprints() {
    Map<String, Object> json = new LinkedHashMap<>();
    training.fingerprint().ifPresent(text -> json.put("training", text));
    if (validation != null) {
      json.put("validation", Fingerprint.of(validation));
    }
    return Json.write(json);
  }

  /**
   * Trains to the end or until {@link #stop}; the network has the averaged weights afterwards. A
   * run whose thread is interrupted, or that a {@link Cancellation} ends, ends as by {@link #stop}
   * and then throws: it can go on from its checkpoint.
   *
   * @return whether the end was reached
   * @throws TrainingException when the loss is not a finite number
   * @throws java.util.concurrent.CancellationException when the run was interrupted or cancelled
   * @throws IOException when another run is at work in the directory
   */
  public boolean train() throws IOException {
    Cancellation.check();
    try (RunLock _ = RunLock.take(directory)) {
      return trainAlone();
    }
  }

  private boolean trainAlone() throws IOException {
    resume();
    long saved = steps();
    if (steps() == 0 && validation != null && objective.usefulUntrained()) {
      validate(0);
    }
    objective.network().training(true);
    while (!complete() && !stopped && !Cancellation.requested()) {
      step();
      long done = steps();
      boolean end = done == config.steps();
      if (validation != null && (end || done % config.validateEvery() == 0)) {
        validate(done);
      }
      if (end || stoppedEarly() || done % config.saveEvery() == 0) {
        save();
        saved = done;
      }
    }
    if (saved < steps() || !Files.exists(directory.resolve(LAST))) {
      save();
    }
    objective.network().training(false);
    adoptAverage();
    if (!complete() && !stopped) {
      Cancellation.check();
    }
    return complete();
  }

  private boolean complete() {
    return steps() >= config.steps() || stoppedEarly();
  }

  private void step() {
    long step = steps();
    double rate = run().optimizer().rate();
    double value;
    try (Scope _ = Scope.open()) {
      Tensor fields = training.at(step).to(device);
      Rng rng = Rng.of(config.seed()).split("step").split(step);
      objective.begin(step);
      try (Tape tape = Tape.watching(objective.network().values())) {
        Tensor loss = objective.loss(fields, rng);
        value = loss.item();
        if (!Double.isFinite(value)) {
          throw TrainingException.notFinite(step, value, objective, fields, rng);
        }
        Gradients gradients = tape.gradients(loss);
        run().optimizer().step(gradients);
      }
      run().ema().update();
    }
    for (TrainingListener listener : listeners) {
      listener.step(step + 1, value, rate);
    }
  }

  // every validation sees the same masks, noise and times
  private void validate(long step) throws IOException {
    objective.network().training(false);
    double sum = 0;
    Map<String, Double> diagnostics;
    int count = validation.dim(0);
    try (Ema.Swap _ = run().ema().swap()) {
      Rng rng = Rng.of(config.seed()).split("validation");
      objective.begin(-1);
      for (int from = 0; from < count; from += config.batch()) {
        int to = Math.min(count, from + config.batch());
        try (Scope _ = Scope.open()) {
          Tensor part = validation.slice(0, from, to).contiguous().to(device);
          sum += objective.loss(part, rng.split(from)).item() * (to - from);
        }
      }
      try (Scope _ = Scope.open()) {
        int few = Math.min(count, config.batch());
        Tensor part = validation.slice(0, 0, few).contiguous().to(device);
        diagnostics = objective.diagnostics(part, rng.split("diagnostics"));
      }
      double loss = sum / count;
      if (!Double.isFinite(loss)) {
        throw TrainingException.notFinite(step, loss);
      }
      for (TrainingListener listener : listeners) {
        listener.validated(step, loss, diagnostics);
      }
      worse = loss < best ? 0 : worse + 1;
      if (loss < best) {
        best = loss;
        bestStep = step;
        saveWeights(step);
      }
    }
    objective.network().training(true);
  }

  private void saveWeights(long step) throws IOException {
    Map<String, String> metadata = new LinkedHashMap<>(objective.description());
    metadata.put(TRAINING, config.toJson());
    metadata.put("steps", Long.toString(step));
    Path file = directory.resolve(BEST);
    Weights.save(file, objective.network(), objective.attachments(), metadata);
    for (TrainingListener listener : listeners) {
      listener.saved(step, file);
    }
  }

  private void save() throws IOException {
    Map<String, String> metadata = new LinkedHashMap<>(objective.description());
    metadata.put(TRAINING, config.toJson());
    metadata.put(DATA, data());
    metadata.put(BEST_LOSS, Double.toString(best));
    metadata.put(BEST_STEP, Long.toString(bestStep));
    metadata.put(WORSE, Integer.toString(worse));
    Path file = directory.resolve(LAST);
    if (Files.exists(file) && !lastIsDamaged) {
      Files.move(file, directory.resolve(PREVIOUS), StandardCopyOption.REPLACE_EXISTING);
    }
    run().checkpoint().save(file, metadata);
    lastIsDamaged = false;
    for (TrainingListener listener : listeners) {
      listener.saved(steps(), file);
    }
    // whoever stops before the first validation has weights to use, too
    if (validation == null || best == Double.POSITIVE_INFINITY) {
      try (Ema.Swap _ = run().ema().swap()) {
        saveWeights(steps());
      }
    }
  }

  private void adoptAverage() {
    Map<String, Tensor> averages = run().ema().averages();
    objective
        .network()
        .parameters()
        .forEach((name, parameter) -> parameter.assign(averages.get(name)));
  }
}
