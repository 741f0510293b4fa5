package io.perflow.flow;

import io.perflow.nn.Checkpoint;
import io.perflow.nn.FormatVersion;
import io.perflow.nn.Layer;
import io.perflow.nn.Parameter;
import io.perflow.nn.Weights;
import io.perflow.nn.distributed.Collective;
import io.perflow.nn.distributed.RankLostException;
import io.perflow.nn.optim.Ema;
import io.perflow.nn.optim.Optimizer;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.AtomicFile;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;

/**
 * A trainer that fits a system to data: AdamW with warm-up and cosine, an average of the weights,
 * validation, checkpoints.
 *
 * <p>A run has a directory, which is locked during training. {@code last.safetensors} is a
 * checkpoint of the whole run and is written regularly, {@code previous.safetensors} is the
 * checkpoint before it, and {@code best.safetensors} holds the averaged weights with the smallest
 * validation loss so far, ready for use. A trainer that finds {@code last.safetensors} resumes from
 * it and has the same losses, bit for bit, as without the interruption; if that file is damaged, it
 * resumes from the checkpoint before.
 */
public final class Trainer {
  /** The latest checkpoint of the whole run. */
  public static final String LAST = "last.safetensors";

  /** The checkpoint before the latest one. */
  public static final String PREVIOUS = "previous.safetensors";

  /** The averaged weights with the smallest validation loss. */
  public static final String BEST = "best.safetensors";

  private static final String TRAINING = "training";
  private static final String DATA = "data";
  private static final String ARITHMETIC = "arithmetic";
  private static final String BEST_LOSS = "best_loss";
  private static final String BEST_STEP = "best_step";
  private static final String WORSE = "validations_without_improvement";

  // A resumed run may have more steps, and the number of checkpoints changes no weight.
  private static final Set<String> FREE =
      Set.of("steps", "warmup", "validate_every", "save_every", "patience");

  private final Objective objective;
  private final TrainConfig config;
  private final DataSource training;
  private final Path directory;
  private final List<TrainingListener> listeners = new ArrayList<>();
  private Device device = Device.cpu();
  private Function<Map<String, Parameter>, Optimizer> optimizers;
  private Sharing sharing;
  private Run run; // null until set up
  private Tensor validation; // null if there is none
  private String data; // null until requested
  private double best = Double.POSITIVE_INFINITY;
  private long bestStep;
  private int worse; // consecutive validations without a smaller loss
  private boolean resumed;
  private boolean lastIsDamaged; // then it must not replace the checkpoint before it
  private final List<String> notes = new ArrayList<>();
  private volatile boolean stopped;

  /** The state that changes from step to step; set up once the network is on its device. */
  private record Run(Optimizer optimizer, Ema ema, Checkpoint checkpoint) {}

  /**
   * Sets up a run.
   *
   * @param data the source of the fields of every step; for fields in memory {@link
   *     DataSource#of(io.perflow.physics.Problem, Tensor, TrainConfig)}
   * @param directory the directory of the run, which is created if it does not exist
   */
  public Trainer(Objective objective, DataSource data, TrainConfig config, Path directory) {
    this.objective = objective;
    this.config = config;
    this.directory = directory;
    training = data;
    optimizers = config::optimizer;
    sharing = new Sharing(Collective.solo(), config.shards());
  }

  /** Sets the normalized fields on which the averaged weights are validated. */
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

  /** Sets the device to train on, by default the CPU; the network stays there. */
  public Trainer device(Device where) {
    device = where;
    return this;
  }

  /**
   * Trains together with other ranks, each of which has a trainer of the same objective, data and
   * settings and calls the same methods. They share the {@linkplain TrainConfig#shards shards} of
   * every batch and end with the same weights, bit for bit, whatever their number. Rank 0 alone
   * reads and writes the directory.
   */
  public Trainer ranks(Collective all) {
    sharing = new Sharing(all, config.shards());
    if (all.size() > 1
        && objective.network().state().size() > objective.network().parameters().size()) {
      throw new IllegalArgumentException(
          "[training] the network keeps running averages of its batches, which %d ranks cannot"
                  .formatted(all.size())
              + " share; train it on one");
    }
    return this;
  }

  /**
   * Sets an optimizer of your own in place of the configuration's.
   *
   * @param make makes the optimizer of the network's parameters
   */
  public Trainer optimizer(Function<Map<String, Parameter>, Optimizer> make) {
    optimizers = make;
    return this;
  }

  /**
   * Asks the run to write a checkpoint and end after the current step. Any thread may call this.
   */
  public void stop() {
    stopped = true;
  }

  /** Returns the number of steps done so far, including those of earlier runs. */
  public long steps() {
    return run().optimizer().steps();
  }

  /** Returns remarks for the user about how the run was resumed, one line each. */
  public List<String> notes() {
    return List.copyOf(notes);
  }

  /** Returns whether the run ended because validation losses no longer decreased. */
  public boolean stoppedEarly() {
    return config.patience() > 0 && worse >= config.patience();
  }

  /** Returns the smallest validation loss so far; empty before the first validation. */
  public OptionalDouble bestLoss() {
    return best < Double.POSITIVE_INFINITY ? OptionalDouble.of(best) : OptionalDouble.empty();
  }

  /**
   * Returns whether the untrained system has the smallest validation loss, so that {@link #BEST}
   * holds it; a flow from a Gaussian prior then gained nothing from its network.
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
   * Resumes the run in the directory, if there is one; {@link #train} does this by itself. If the
   * total number of steps has been increased, the run continues on the new schedule.
   *
   * @return the number of steps done before
   * @throws IllegalArgumentException if that run had other settings, other data, another problem or
   *     another network; nothing is changed then
   */
  public long resume() throws IOException {
    Path last = directory.resolve(LAST);
    Path previous = directory.resolve(PREVIOUS);
    if (resumed) {
      return steps();
    }
    if (!sharing.leads()) {
      followLeader();
    } else if (Files.exists(last)) {
      try {
        takeUp(last);
      } catch (FileFormatException e) {
        if (!Files.exists(previous)) {
          throw e;
        }
        takeUp(previous);
        lastIsDamaged = true;
        notes.add("%s; continuing from %s, step %d".formatted(e.getMessage(), previous, steps()));
      }
    } else if (Files.exists(previous)) { // killed between two checkpoints
      takeUp(previous);
      notes.add("%s is missing; continuing from %s, step %d".formatted(last, previous, steps()));
    }
    if (sharing.leads() && !sharing.alone()) {
      followLeader();
    }
    resumed = true;
    return steps();
  }

  // All ranks continue with the bits of rank 0, which is the one that reads the directory.
  private void followLeader() throws IOException {
    Path copy = Files.createTempFile("perflow-run-", ".safetensors");
    try {
      if (sharing.leads()) {
        run().checkpoint().save(copy, progress());
      }
      sharing.send(copy);
      if (!sharing.leads()) {
        readProgress(copy, run().checkpoint().load(copy));
      }
    } finally {
      Files.delete(copy);
    }
  }

  private void takeUp(Path file) throws IOException {
    checkSettings(file);
    Map<String, String> found = run().checkpoint().load(file);
    readProgress(file, found);
    noteArithmetic(file, found.get(ARITHMETIC));
    if (config.steps() < steps()) {
      throw new IllegalArgumentException(
          "%s has done %d steps, more than the %d requested; request more or use another directory"
              .formatted(file, steps(), config.steps()));
    }
  }

  private void readProgress(Path file, Map<String, String> found) throws FileFormatException {
    best = number(file, found, BEST_LOSS, "Infinity");
    bestStep = (long) number(file, found, BEST_STEP, "-1");
    worse = (int) number(file, found, WORSE, "0");
  }

  private Map<String, String> progress() {
    Map<String, String> progress = new LinkedHashMap<>();
    progress.put(BEST_LOSS, Double.toString(best));
    progress.put(BEST_STEP, Long.toString(bestStep));
    progress.put(WORSE, Integer.toString(worse));
    return progress;
  }

  // The run continues, but no longer with the bits it would have had.
  private void noteArithmetic(Path file, String before) {
    String now = device.arithmetic();
    if (before != null && !before.equals(now)) {
      notes.add(
          ("%s was computed with %s and continues with %s: from here on it differs by rounding from"
                  + " a run that did not change; -Dperflow.vectorBits sets the width of vectors")
              .formatted(file, before, now));
    }
  }

  private static double number(Path file, Map<String, String> found, String name, String otherwise)
      throws FileFormatException {
    String text = found.getOrDefault(name, otherwise);
    try {
      double number = Double.parseDouble(text);
      if (!Double.isNaN(number)) { // no loss would ever be smaller than NaN
        return number;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw new FileFormatException(file.toString(), name, "'%s' is not a number".formatted(text));
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
              .formatted(file, String.join("; ", differences).replaceAll("\\p{Cntrl}", "\ufffd")));
    }
  }

  // The fingerprint of this run's fields, which is the same for every checkpoint.
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
   * Trains to the end or until {@link #stop}; the network has the averaged weights afterwards. If
   * the thread is interrupted or a {@link Cancellation} asks for the end, the run ends as after
   * {@link #stop} and then throws; it can resume from its checkpoint.
   *
   * @return whether the end was reached
   * @throws TrainingException when the loss is not a finite number
   * @throws java.util.concurrent.CancellationException when the run was interrupted or cancelled
   * @throws RankLostException when another rank of the training is lost
   * @throws IOException when another run is at work in the directory
   */
  public boolean train() throws IOException {
    Cancellation.check();
    if (!sharing.leads()) {
      return trainLocked();
    }
    try (RunLock _ = sharing.lock(directory)) {
      return trainLocked();
    }
  }

  private boolean trainLocked() throws IOException {
    resume();
    long saved = steps();
    if (steps() == 0 && validation != null && objective.usefulUntrained()) {
      validate(0);
    }
    objective.network().training(true);
    try (Step step = new Step(objective, training, config, device, sharing)) {
      saved = steps(step, saved);
    } catch (RankLostException e) {
      throw e.during("step " + (steps() + 1));
    }
    if (saved < steps() || sharing.any(sharing.leads() && !Files.exists(directory.resolve(LAST)))) {
      save();
    }
    objective.network().training(false);
    adoptAverage();
    if (!complete() && !stopped) {
      Cancellation.check();
    }
    return complete();
  }

  // Returns the number of steps done at the last checkpoint.
  private long steps(Step step, long before) throws IOException {
    long saved = before;
    while (!complete() && !sharing.any(stopped || Cancellation.requested())) {
      double rate = run().optimizer().rate();
      double loss = step.take(run().optimizer());
      run().ema().update();
      for (TrainingListener listener : listeners) {
        listener.step(steps(), loss, rate);
      }
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
    return saved;
  }

  private boolean complete() {
    return steps() >= config.steps() || stoppedEarly();
  }

  // Every validation sees the same masks, noise and times.
  private void validate(long step) throws IOException {
    objective.network().training(false);
    double sum = 0;
    Map<String, Double> diagnostics = Map.of();
    int count = validation.dim(0);
    double[] losses = new double[(count + config.batch() - 1) / config.batch()];
    try (Ema.Swap _ = run().ema().swap()) {
      Rng rng = Rng.of(config.seed()).split("validation");
      objective.begin(-1);
      for (int i = 0; i < losses.length; i++) {
        int from = i * config.batch();
        int to = Math.min(count, from + config.batch());
        try (Scope _ = Scope.open()) {
          Tensor part = validation.slice(0, from, to).contiguous().to(device);
          losses[i] = sharing.mine(i) ? objective.loss(part, rng.split(from)).item() : 0;
        }
      }
      sharing.share(losses);
      for (int i = 0; i < losses.length; i++) {
        sum += losses[i] * Math.min(config.batch(), count - i * config.batch());
      }
      if (sharing.leads()) {
        try (Scope _ = Scope.open()) {
          int few = Math.min(count, config.batch());
          Tensor part = validation.slice(0, 0, few).contiguous().to(device);
          diagnostics = objective.diagnostics(part, rng.split("diagnostics"));
        }
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
    if (!sharing.leads()) {
      return;
    }
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
    sharing.requireSame(objective.network(), steps());
    if (!sharing.leads()) {
      return;
    }
    Map<String, String> metadata = new LinkedHashMap<>(objective.description());
    metadata.put(TRAINING, config.toJson());
    metadata.put(DATA, data());
    metadata.put(ARITHMETIC, device.arithmetic());
    metadata.putAll(progress());
    Path file = directory.resolve(LAST);
    if (Files.exists(file) && !lastIsDamaged) {
      AtomicFile.move(file, directory.resolve(PREVIOUS));
    }
    run().checkpoint().save(file, metadata);
    lastIsDamaged = false;
    for (TrainingListener listener : listeners) {
      listener.saved(steps(), file);
    }
    // A run that stops before the first validation needs usable weights as well.
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
