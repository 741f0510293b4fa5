package io.perflow.cli.reproduce;

import io.perflow.flow.Base;
import io.perflow.flow.FlowConfig;
import io.perflow.flow.Objective;
import io.perflow.physics.Benchmark;
import io.perflow.physics.MaskSampler;
import io.perflow.physics.Normalization;
import io.perflow.tensor.Rng;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A run of training, by all that decides about its result.
 *
 * @param scale sizes and schedules
 * @param model what is trained
 * @param benchmark on what
 * @param base the noise a flow starts from; null for that of the recipe
 * @param fields how many fields are trained on
 * @param fewest the fewest sensors of a mask
 * @param most the most sensors of a mask
 * @param seed of data and training
 */
record Training(
    Scale scale,
    Model model,
    Benchmark benchmark,
    Base base,
    int fields,
    int fewest,
    int most,
    long seed) {

  /** The usual run of a model. */
  static Training of(Scale scale, Model model, Benchmark benchmark, long seed) {
    int sensors = scale.sensors(benchmark);
    return new Training(scale, model, benchmark, null, scale.training(), sensors, sensors, seed);
  }

  Training base(Base other) {
    return new Training(scale, model, benchmark, other, fields, fewest, most, seed);
  }

  Training fields(int count) {
    return new Training(scale, model, benchmark, base, count, fewest, most, seed);
  }

  Training sensors(int low, int high) {
    return new Training(scale, model, benchmark, base, fields, low, high, seed);
  }

  /** Fields, units, network, condition and noise. */
  FlowConfig problem(Normalization units) {
    FlowConfig usual = scale.problem(benchmark, units);
    if (base == null) {
      return usual;
    }
    return new FlowConfig(
        usual.benchmark(),
        usual.domain(),
        usual.units(),
        usual.network(),
        usual.prediction(),
        usual.head(),
        usual.condition(),
        base,
        usual.times(),
        usual.embedded());
  }

  /** The model before it is trained. */
  Objective untrained(Normalization units) {
    int size = scale.grid(benchmark);
    MaskSampler masks = benchmark.masks(size, size, fewest, most);
    Rng rng = Rng.of(seed).split("network").split(label());
    return model.make(problem(units), scale, masks, rng);
  }

  /** All of it; the units follow from the data and are left out. */
  Map<String, Object> toJson() throws IOException {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("model", model.toJson(scale));
    Normalization none = Normalization.identity(benchmark.channels().size());
    Map<String, Object> problem = new LinkedHashMap<>();
    problem.putAll(Json.object(Json.parse(problem(none).toJson()), "problem"));
    problem.remove("units");
    json.put("problem", problem);
    json.put("fields", fields);
    json.put("of_fields", scale.training());
    json.put("validation_fields", scale.validation());
    json.put("sensors", List.of(fewest, most));
    json.put("training", Json.parse(scale.training(benchmark, model, fields, seed).toJson()));
    return json;
  }

  /** For people and for the names of directories. */
  String label() {
    return model + "-" + benchmark;
  }
}
