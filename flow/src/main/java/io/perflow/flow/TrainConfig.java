package io.perflow.flow;

import io.perflow.nn.Parameter;
import io.perflow.nn.optim.AdamW;
import io.perflow.nn.optim.Muon;
import io.perflow.nn.optim.Optimizer;
import io.perflow.nn.optim.Schedule;
import io.perflow.tensor.Named;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The configuration of a training.
 *
 * <pre>{@code
 * TrainConfig config = TrainConfig.fast(4000).batch(8).rate(1e-3).seed(7);
 * }</pre>
 *
 * @param steps the total number of training steps
 * @param batch the number of fields per step
 * @param rate the learning rate after the warm-up
 * @param lastRate the learning rate at the end of the cosine
 * @param warmup the number of steps of linear warm-up
 * @param weightDecay the decoupled weight decay
 * @param clip the largest norm of the gradient
 * @param ema the decay of the average of the weights
 * @param seed the seed of all random numbers
 * @param symmetries whether the symmetries of the problem are used
 * @param validateEvery the number of steps between validations
 * @param saveEvery the number of steps between checkpoints
 * @param patience the number of consecutive validations without a smaller loss after which training
 *     stops early; 0 for never
 * @param optimizer the optimizer
 * @param shards the number of parts of a batch, each with its own random numbers, whose gradients
 *     are averaged. Ranks share them, so a run may have at most as many ranks; its weights depend
 *     on the number of shards and not on the number of ranks
 */
public record TrainConfig(
    long steps,
    int batch,
    double rate,
    double lastRate,
    long warmup,
    double weightDecay,
    double clip,
    double ema,
    long seed,
    boolean symmetries,
    long validateEvery,
    long saveEvery,
    int patience,
    Method optimizer,
    int shards) {
  private static final String SHARDS = "shards";
  private static final String OPTIMIZER = "optimizer";

  /** The optimizers to choose from. */
  public enum Method {
    /** The paper's optimizer, {@link AdamW}. */
    ADAMW {
      @Override
      Optimizer.Options<?> at(Schedule schedule) {
        return AdamW.of(schedule);
      }
    },
    /** The optimizer {@link Muon}, which needs fewer steps for the same loss. */
    MUON {
      @Override
      Optimizer.Options<?> at(Schedule schedule) {
        return Muon.of(schedule);
      }
    };

    abstract Optimizer.Options<?> at(Schedule schedule);

    @Override
    public String toString() {
      return Named.of(this);
    }
  }

  /** Checks the values that no other class checks. */
  public TrainConfig {
    if (shards < 1 || batch % shards != 0) {
      throw new IllegalArgumentException(
          "[training] a batch of %d fields cannot be cut into %d shards of one size"
              .formatted(batch, shards));
    }
    if (steps < 1 || batch < 1 || validateEvery < 1 || saveEvery < 1 || patience < 0) {
      throw new IllegalArgumentException(
          "[training] steps %d, batch %d, validation every %d, checkpoint every %d: at least 1"
                  .formatted(steps, batch, validateEvery, saveEvery)
              + " each; patience %d: at least 0".formatted(patience));
    }
    if (!(rate > 0 && lastRate >= 0 && clip > 0)) {
      throw new IllegalArgumentException(
          "[training] rate %s and clip %s must be positive, last rate %s not negative"
              .formatted(rate, clip, lastRate));
    }
    if (!(ema >= 0 && ema < 1)) {
      throw new IllegalArgumentException(
          "[training] ema %s must be at least 0 and less than 1, as 0.995".formatted(ema));
    }
  }

  /**
   * Returns the paper's configuration: AdamW, rate 1e-4 to 6e-5 with ten epochs of warm-up, weight
   * decay 1e-4, average of the weights with 0.995, no clipping.
   */
  public static TrainConfig paper(int fields, int batch, int epochs, long seed) {
    long perEpoch = (fields + batch - 1L) / batch;
    long steps = epochs * perEpoch;
    return new TrainConfig(
        steps,
        batch,
        1e-4,
        6e-5,
        Math.min(10 * perEpoch, steps - 1),
        1e-4,
        Double.MAX_VALUE,
        0.995,
        seed,
        false,
        perEpoch,
        perEpoch,
        0,
        Method.ADAMW,
        1);
  }

  /**
   * Returns a configuration for short runs: the rate falls from 8e-4 to 3 % of it, gradients are
   * clipped at 1, batches have 16 fields, and the seed is 1.
   */
  public static TrainConfig fast(long steps) {
    return fast(steps, 16, 1);
  }

  /** Returns the same with another batch and seed. */
  public static TrainConfig fast(long steps, int batch, long seed) {
    return new TrainConfig(
        steps,
        batch,
        8e-4,
        2.4e-5,
        Math.min(100, steps / 10),
        1e-4,
        1,
        0.995,
        seed,
        true,
        Math.max(1, steps / 20),
        Math.max(1, Math.min(200, steps / 10)),
        0,
        Method.ADAMW,
        1);
  }

  // ---- copies with one thing changed

  /** Returns a copy with another number of steps and, if necessary, a shorter warm-up. */
  public TrainConfig steps(long count) {
    return with(
        b -> {
          b.steps = count;
          b.warmup = Math.min(warmup, count - 1);
          b.validateEvery = Math.min(validateEvery, count);
          b.saveEvery = Math.min(saveEvery, count);
        });
  }

  /** Returns a copy with another number of fields per step. */
  public TrainConfig batch(int size) {
    return with(b -> b.batch = size);
  }

  /** Returns a copy with another learning rate; the last rate changes in proportion. */
  public TrainConfig rate(double learningRate) {
    return with(
        b -> {
          b.rate = learningRate;
          b.lastRate = lastRate * (learningRate / rate);
        });
  }

  /** Returns the same run with another rate at its end. */
  public TrainConfig lastRate(double learningRate) {
    return with(b -> b.lastRate = learningRate);
  }

  /** Returns a copy with another number of warm-up steps. */
  public TrainConfig warmup(long count) {
    return with(b -> b.warmup = count);
  }

  /** Returns the same run with another weight decay. */
  public TrainConfig weightDecay(double decay) {
    return with(b -> b.weightDecay = decay);
  }

  /** Returns a copy with another largest norm of the gradient. */
  public TrainConfig clip(double norm) {
    return with(b -> b.clip = norm);
  }

  /** Returns the same run with another average of the weights. */
  public TrainConfig ema(double decay) {
    return with(b -> b.ema = decay);
  }

  /** Returns the same run with another seed. */
  public TrainConfig seed(long number) {
    return with(b -> b.seed = number);
  }

  /** Returns a copy with or without the symmetries of the problem. */
  public TrainConfig symmetries(boolean used) {
    return with(b -> b.symmetries = used);
  }

  /** Returns a copy with another number of steps between validations. */
  public TrainConfig validateEvery(long count) {
    return with(b -> b.validateEvery = count);
  }

  /** Returns a copy with another number of steps between checkpoints. */
  public TrainConfig saveEvery(long count) {
    return with(b -> b.saveEvery = count);
  }

  /**
   * Returns a copy that stops early after this many consecutive validations without a smaller loss.
   */
  public TrainConfig patience(int validations) {
    return with(b -> b.patience = validations);
  }

  /** Returns the same run with another optimizer. */
  public TrainConfig optimizer(Method method) {
    return with(b -> b.optimizer = method);
  }

  /** Returns a copy whose batches are cut into this many parts. */
  public TrainConfig shards(int count) {
    return with(b -> b.shards = count);
  }

  private TrainConfig with(Consumer<Values> change) {
    Values values = new Values(this);
    change.accept(values);
    return values.config();
  }

  /** A mutable copy of the components. */
  private static final class Values {
    long steps;
    int batch;
    double rate;
    double lastRate;
    long warmup;
    double weightDecay;
    double clip;
    double ema;
    long seed;
    boolean symmetries;
    long validateEvery;
    long saveEvery;
    int patience;
    Method optimizer;
    int shards;

    Values(TrainConfig config) {
      steps = config.steps;
      batch = config.batch;
      rate = config.rate;
      lastRate = config.lastRate;
      warmup = config.warmup;
      weightDecay = config.weightDecay;
      clip = config.clip;
      ema = config.ema;
      seed = config.seed;
      symmetries = config.symmetries;
      validateEvery = config.validateEvery;
      saveEvery = config.saveEvery;
      patience = config.patience;
      optimizer = config.optimizer;
      shards = config.shards;
    }

    TrainConfig config() {
      return new TrainConfig(
          steps,
          batch,
          rate,
          lastRate,
          warmup,
          weightDecay,
          clip,
          ema,
          seed,
          symmetries,
          validateEvery,
          saveEvery,
          patience,
          optimizer,
          shards);
    }
  }

  /** Returns the learning rate of every step. */
  public Schedule schedule() {
    return Schedule.warmupCosine(rate, lastRate, warmup, Math.max(steps, warmup + 1));
  }

  /** Returns the optimizer of a network's parameters. */
  Optimizer optimizer(Map<String, Parameter> parameters) {
    return optimizer.at(schedule()).weightDecay(weightDecay).clip(clip).build(parameters);
  }

  /** Returns the JSON text. */
  public String toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("steps", steps);
    json.put("batch", batch);
    json.put("rate", rate);
    json.put("last_rate", lastRate);
    json.put("warmup", warmup);
    json.put("weight_decay", weightDecay);
    json.put("clip", clip);
    json.put("ema", ema);
    json.put("seed", seed);
    json.put("symmetries", symmetries);
    json.put("validate_every", validateEvery);
    json.put("save_every", saveEvery);
    json.put("patience", patience);
    if (optimizer != Method.ADAMW) {
      json.put(OPTIMIZER, optimizer.toString()); // files of version 0.1 have none and mean AdamW
    }
    if (shards != 1) {
      json.put(SHARDS, shards); // files of earlier versions have none and mean whole batches
    }
    return Json.write(json);
  }

  /** Reads what {@link #toJson} wrote. */
  public static TrainConfig parse(String text) throws FileFormatException {
    Map<String, Object> json = Json.object(Json.parse(text, "training"), "training");
    return new TrainConfig(
        integer(json, "steps"),
        Json.integer(json.get("batch"), "training.batch", 1, Integer.MAX_VALUE),
        number(json, "rate"),
        number(json, "last_rate"),
        integer(json, "warmup"),
        number(json, "weight_decay"),
        number(json, "clip"),
        number(json, "ema"),
        integer(json, "seed"),
        Json.flag(json.get("symmetries"), "training.symmetries"),
        integer(json, "validate_every"),
        integer(json, "save_every"),
        Json.integer(json.get("patience"), "training.patience", 0, Integer.MAX_VALUE),
        method(json),
        json.containsKey(SHARDS)
            ? Json.integer(json.get(SHARDS), "training." + SHARDS, 1, Integer.MAX_VALUE)
            : 1);
  }

  private static Method method(Map<String, Object> json) throws FileFormatException {
    String at = "training." + OPTIMIZER;
    Object name = json.get(OPTIMIZER);
    return name == null ? Method.ADAMW : Named.parse(Method.class, Json.text(name, at), at);
  }

  private static long integer(Map<String, Object> json, String name) throws FileFormatException {
    return Json.integer(json.get(name), "training." + name);
  }

  private static double number(Map<String, Object> json, String name) throws FileFormatException {
    return Json.number(json.get(name), "training." + name);
  }
}
