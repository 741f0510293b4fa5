package io.perflow.flow;

import io.perflow.nn.optim.Schedule;
import io.perflow.tensor.Named;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How a system is trained.
 *
 * @param steps optimizer steps in all
 * @param batch fields per step
 * @param rate learning rate after the warm-up
 * @param lastRate learning rate at the end of the cosine
 * @param warmup steps of linear warm-up
 * @param weightDecay decoupled weight decay of AdamW
 * @param clip largest norm of the gradient
 * @param ema decay of the average of the weights
 * @param seed of everything random
 * @param augmentation symmetries used
 * @param validateEvery steps between validations
 * @param saveEvery steps between checkpoints
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
    Augmentation augmentation,
    long validateEvery,
    long saveEvery) {

  /** Checks the ranges that nothing else checks. */
  public TrainConfig {
    if (steps < 1 || batch < 1 || validateEvery < 1 || saveEvery < 1) {
      throw new IllegalArgumentException(
          "[training] steps %d, batch %d, validation every %d, checkpoint every %d: at least 1 each"
              .formatted(steps, batch, validateEvery, saveEvery));
    }
    if (!(rate > 0 && lastRate >= 0 && clip > 0)) {
      throw new IllegalArgumentException(
          "[training] rate %s and clip %s must be positive, last rate %s not negative"
              .formatted(rate, clip, lastRate));
    }
  }

  /**
   * The paper's: AdamW, rate 1e-4 to 6e-5 with ten epochs of warm-up, weight decay 1e-4, average of
   * the weights with 0.995, no clipping.
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
        Augmentation.NONE,
        perEpoch,
        perEpoch);
  }

  /** For short runs: rate 8e-4 to 3 % of it, gradients clipped at 1. */
  public static TrainConfig fast(long steps, int batch, Augmentation augmentation, long seed) {
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
        augmentation,
        Math.max(1, steps / 20),
        Math.max(1, Math.min(200, steps / 10)));
  }

  /** The same run with another number of steps, its warm-up cut to fit. */
  public TrainConfig steps(long steps) {
    return new TrainConfig(
        steps,
        batch,
        rate,
        lastRate,
        Math.min(warmup, steps - 1),
        weightDecay,
        clip,
        ema,
        seed,
        augmentation,
        Math.min(validateEvery, steps),
        Math.min(saveEvery, steps));
  }

  /** The same run with another batch, learning rate (the last one in proportion) and average. */
  public TrainConfig with(int batch, double rate, double ema) {
    return new TrainConfig(
        steps,
        batch,
        rate,
        lastRate * (rate / this.rate),
        warmup,
        weightDecay,
        clip,
        ema,
        seed,
        augmentation,
        validateEvery,
        saveEvery);
  }

  Schedule schedule() {
    return Schedule.warmupCosine(rate, lastRate, warmup, Math.max(steps, warmup + 1));
  }

  /** The JSON text. */
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
    json.put("augmentation", Named.of(augmentation));
    json.put("validate_every", validateEvery);
    json.put("save_every", saveEvery);
    return Json.write(json);
  }

  /** Reads what {@link #toJson} wrote. */
  public static TrainConfig parse(String text) throws FileFormatException {
    Map<String, Object> json = Json.object(Json.parse(text, "training"), "training");
    return new TrainConfig(
        integer(json, "steps"),
        (int) integer(json, "batch"),
        number(json, "rate"),
        number(json, "last_rate"),
        integer(json, "warmup"),
        number(json, "weight_decay"),
        number(json, "clip"),
        number(json, "ema"),
        integer(json, "seed"),
        Named.parse(
            Augmentation.class,
            Json.text(json.get("augmentation"), "training.augmentation"),
            "training.augmentation"),
        integer(json, "validate_every"),
        integer(json, "save_every"));
  }

  private static long integer(Map<String, Object> json, String name) throws FileFormatException {
    return Json.integer(json.get(name), "training." + name);
  }

  private static double number(Map<String, Object> json, String name) throws FileFormatException {
    return Json.number(json.get(name), "training." + name);
  }
}
