package io.perflow.flow;

import io.perflow.autograd.Gradients;
import io.perflow.autograd.Tape;
import io.perflow.nn.Checkpoint;
import io.perflow.nn.Weights;
import io.perflow.nn.optim.AdamW;
import io.perflow.nn.optim.Ema;
import io.perflow.nn.optim.Optimizer;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Trains a system: AdamW with warm-up and cosine, an average of the weights, validation,
 * checkpoints.
 *
 * <p>A run lives in a directory: {@code last.safetensors} holds all of it and is written every so
 * often, {@code best.safetensors} holds the averaged weights with the least validation loss so far,
 * ready for use. A trainer that finds {@code last.safetensors} goes on from there with the losses
 * the interrupted run would have had, bit for bit.
 */
public final class Trainer {
  /** The whole run. */
  public static final String LAST = "last.safetensors";

  /** The weights to use. */
  public static final String BEST = "best.safetensors";

  private static final String TRAINING = "training";
  private static final String BEST_LOSS = "best_loss";

  private final Objective objective;
  private final TrainConfig config;
  private final Batches training;
  private final Path directory;
  private final Optimizer optimizer;
  private final Ema ema;
  private final Checkpoint checkpoint;
  private final List<TrainingListener> listeners = new ArrayList<>();
  private Tensor validation; // null when there is none
  private double best = Double.POSITIVE_INFINITY;
  private boolean resumed;
  private volatile boolean stopped;

  /**
   * Sets a run up.
   *
   * @param fields normalized fields to train on
   * @param directory where the run lives; made when it does not exist
   */
  public Trainer(
      Objective objective, Domain domain, Tensor fields, TrainConfig config, Path directory) {
    this.objective = objective;
    this.config = config;
    this.directory = directory;
    Rng rng = Rng.of(config.seed()).split("data");
    training = new Batches(fields, domain, config.batch(), config.augmentation(), rng);
    optimizer =
        AdamW.of(config.schedule())
            .weightDecay(config.weightDecay())
            .clip(config.clip())
            .build(objective.network().parameters());
    ema = Ema.of(objective.network().parameters(), config.ema());
    checkpoint = Checkpoint.of(objective.network()).ema(ema).optimizer(optimizer);
  }

  /** Normalized fields on which the averaged weights are judged. */
  public Trainer validation(Tensor fields) {
    validation = fields;
    return this;
  }

  /** Someone who wants to know. */
  public Trainer listener(TrainingListener listener) {
    listeners.add(listener);
    return this;
  }

  /** Asks the run to end after the step it is in, with a checkpoint; from any thread. */
  public void stop() {
    stopped = true;
  }

  /** Steps done so far, those of earlier runs included. */
  public long steps() {
    return optimizer.steps();
  }

  /**
   * Takes up the run that the directory holds, if it does; {@link #run} does so by itself.
   *
   * @return steps done before
   * @throws IllegalArgumentException when that run had other settings or another network
   */
  public long resume() throws IOException {
    Path file = directory.resolve(LAST);
    if (!resumed && Files.exists(file)) {
      Map<String, String> notes = checkpoint.load(file);
      String before = notes.get(TRAINING);
      if (!config.toJson().equals(before)) {
        throw new IllegalArgumentException(
            "%s belongs to a run with other settings, %s; give the same ones or another directory"
                .formatted(file, before));
      }
      best = Double.parseDouble(notes.get(BEST_LOSS));
    }
    resumed = true;
    return optimizer.steps();
  }

  /**
   * Trains to the end or until {@link #stop}; the network has the averaged weights afterwards.
   *
   * @return whether the end was reached
   * @throws TrainingException when the loss is not a finite number
   */
  public boolean run() throws IOException {
    Files.createDirectories(directory);
    resume();
    long saved = optimizer.steps();
    objective.network().training(true);
    while (optimizer.steps() < config.steps() && !stopped) {
      step();
      long done = optimizer.steps();
      boolean end = done == config.steps();
      if (validation != null && (end || done % config.validateEvery() == 0)) {
        validate(done);
      }
      if (end || done % config.saveEvery() == 0) {
        save();
        saved = done;
      }
    }
    if (saved < optimizer.steps()) {
      save();
    }
    objective.network().training(false);
    adoptAverage();
    return optimizer.steps() >= config.steps();
  }

  private void step() {
    long step = optimizer.steps();
    double rate = optimizer.rate();
    double value;
    try (Scope _ = Scope.open()) {
      Tensor fields = training.at(step);
      Rng rng = Rng.of(config.seed()).split("step").split(step);
      try (Tape tape = Tape.watching(objective.network().values())) {
        Tensor loss = objective.loss(fields, rng);
        value = loss.item();
        if (!Double.isFinite(value)) {
          throw TrainingException.notFinite(step, value, objective, fields, rng);
        }
        Gradients gradients = tape.gradients(loss);
        optimizer.step(gradients);
      }
      ema.update();
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
    try (Ema.Swap _ = ema.swap()) {
      Rng rng = Rng.of(config.seed()).split("validation");
      for (int from = 0; from < count; from += config.batch()) {
        int to = Math.min(count, from + config.batch());
        try (Scope _ = Scope.open()) {
          Tensor part = validation.slice(0, from, to).contiguous();
          sum += objective.loss(part, rng.split(from)).item() * (to - from);
        }
      }
      Tensor few = validation.slice(0, 0, Math.min(count, config.batch())).contiguous();
      diagnostics = objective.diagnostics(few, rng.split("diagnostics"));
      double loss = sum / count;
      for (TrainingListener listener : listeners) {
        listener.validated(step, loss, diagnostics);
      }
      if (loss < best) {
        best = loss;
        saveWeights(step);
      }
    }
    objective.network().training(true);
  }

  private void saveWeights(long step) throws IOException {
    Map<String, String> notes = new LinkedHashMap<>(objective.description());
    notes.put(TRAINING, config.toJson());
    notes.put("steps", Long.toString(step));
    Path file = directory.resolve(BEST);
    Weights.save(file, objective.network(), notes);
    for (TrainingListener listener : listeners) {
      listener.saved(step, file);
    }
  }

  private void save() throws IOException {
    Map<String, String> notes = new LinkedHashMap<>(objective.description());
    notes.put(TRAINING, config.toJson());
    notes.put(BEST_LOSS, Double.toString(best));
    Path file = directory.resolve(LAST);
    checkpoint.save(file, notes);
    for (TrainingListener listener : listeners) {
      listener.saved(optimizer.steps(), file);
    }
    if (validation == null) {
      try (Ema.Swap _ = ema.swap()) {
        saveWeights(optimizer.steps());
      }
    }
  }

  private void adoptAverage() {
    Map<String, Tensor> averages = ema.averages();
    objective
        .network()
        .parameters()
        .forEach((name, parameter) -> parameter.assign(averages.get(name)));
  }
}
