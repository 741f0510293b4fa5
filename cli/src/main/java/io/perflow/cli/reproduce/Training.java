package io.perflow.cli.reproduce;

import io.perflow.flow.FlowConfig;
import io.perflow.flow.SourceDistribution;
import io.perflow.flow.TrainConfig;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.tensor.Rng;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A run of training, given by everything that determines its result.
 *
 * @param scale the sizes and schedules
 * @param model the model that is trained
 * @param benchmark the benchmark of the data
 * @param base the noise from which a flow starts; null for that of the recipe
 * @param fields the number of training fields
 * @param fewest the fewest sensors of a mask
 * @param most the most sensors of a mask
 * @param seed the seed of data and training
 */
record Training(
    Scale scale,
    Model model,
    Benchmark benchmark,
    SourceDistribution base,
    int fields,
    int fewest,
    int most,
    long seed) {

  /** Returns the usual run of a model. */
  static Training of(Scale scale, Model model, Benchmark benchmark, long seed) {
    int sensors = scale.sensors(benchmark);
    int fields = scale.training(benchmark);
    return new Training(scale, model, benchmark, null, fields, sensors, sensors, seed);
  }

  Training model(Model other) {
    return new Training(scale, other, benchmark, base, fields, fewest, most, seed);
  }

  Training base(SourceDistribution other) {
    return new Training(scale, model, benchmark, other, fields, fewest, most, seed);
  }

  Training fields(int count) {
    return new Training(scale, model, benchmark, base, count, fewest, most, seed);
  }

  Training sensors(int low, int high) {
    return new Training(scale, model, benchmark, base, fields, low, high, seed);
  }

  /** Returns the problem of the training fields, with the distribution of its sensors. */
  Problem problem() {
    return benchmark.problem(scale.grid(benchmark), fewest, most);
  }

  /** Returns fields, units, network, condition and noise. */
  FlowConfig setting(Normalization units) {
    FlowConfig usual = model.recipe(scale).flow(problem(), units).network(scale.network(benchmark));
    return base == null ? usual : usual.base(base);
  }

  /** Returns the random numbers for the initial weights of a network. */
  Rng rng() {
    return Rng.of(seed).split("network").split(label());
  }

  /** Returns the model from which methods draw. */
  Object made(Workbench bench) throws IOException {
    return model.make(this, bench);
  }

  /** Returns the configuration of the training. */
  TrainConfig schedule() {
    return scale.training(benchmark, model, fields, seed);
  }

  /** Returns the total number of fields that the training sees. */
  double cost() {
    return model.hasNetwork() ? schedule().steps() * (double) schedule().batch() : fields;
  }

  /** Returns the whole configuration, without the units, which follow from the data. */
  Map<String, Object> toJson() throws IOException {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("model", model.toJson(scale));
    json.put("problem", settingJson());
    json.put("fields", fields);
    json.put("of_fields", scale.training(benchmark));
    json.put("validation_fields", scale.validation(benchmark));
    json.put("sensors", List.of(fewest, most));
    json.put("training", trainingJson());
    return json;
  }

  // Kept results are found by a hash of this text, so it stays as version 0.1 wrote it.
  private Map<String, Object> settingJson() throws IOException {
    Problem problem = problem();
    Map<String, Object> domain = new LinkedHashMap<>();
    domain.put("channels", problem.channelCount());
    domain.put("planes", problem.planes());
    domain.put("height", problem.grid().height());
    domain.put("width", problem.grid().width());
    domain.put("periodic_height", problem.grid().rows().periodic());
    domain.put("periodic_width", problem.grid().columns().periodic());
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("benchmark", benchmark.toString());
    json.put("domain", domain);
    if (!model.hasNetwork()) {
      return json;
    }
    FlowConfig setting = setting(Normalization.identity(problem.channelCount()));
    Map<String, Object> rest = Json.object(Json.parse(setting.toJson()), "setting");
    rest.forEach(
        (name, value) -> {
          if (!name.equals("problem") && !name.equals("units")) {
            json.put(name, value);
          }
        });
    return json;
  }

  // likewise
  private Map<String, Object> trainingJson() throws IOException {
    if (!model.hasNetwork()) {
      return Map.of("seed", seed);
    }
    TrainConfig config = schedule();
    Map<String, Object> json = new LinkedHashMap<>();
    Json.object(Json.parse(config.toJson()), "training")
        .forEach(
            (name, value) -> {
              if (name.equals("symmetries")) {
                json.put("augmentation", config.symmetries() ? benchmark.symmetry() : "none");
              } else if (!name.equals("patience")) {
                json.put(name, value);
              }
            });
    return json;
  }

  /** Returns a label for people and for the names of directories. */
  String label() {
    return model + "-" + benchmark;
  }
}
