package io.perflow.cli.reproduce;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One row of a table: a method, the training of its model, and the settings of its test.
 *
 * @param method the method that draws fields
 * @param training the training of the model from which it draws
 * @param steps the number of steps of the sampler or optimizer, 0 for none
 * @param weight the factor of the published weights of guidance
 * @param sensors the number of sensors of each mask in the test
 * @param noise the noise of the readings, relative to their standard deviation
 * @param members the number of samples for each field
 * @param setting the varied setting in words; may be empty
 * @param x the varied setting as a number; NaN when it is not a number
 * @param paper the name of this row in the paper
 */
record Trial(
    Method method,
    Training training,
    int steps,
    double weight,
    int sensors,
    double noise,
    int members,
    String setting,
    double x,
    String paper) {

  /**
   * Returns a method with a number of steps on its usual training.
   *
   * @param paperSteps the number of steps in the paper's name of the row, 0 for none
   */
  static Trial of(Method method, Benchmark benchmark, int steps, int paperSteps, Context context) {
    Training training = Training.of(context.scale(), method.model(), benchmark, context.seed());
    String paper = method.label(paperSteps);
    int sensors = context.scale().sensors(benchmark);
    return new Trial(method, training, steps, 1, sensors, 0, 1, "", Double.NaN, paper);
  }

  /**
   * The settings that all trials of a reproduction share.
   *
   * @param scale the sizes and schedules
   * @param seed the seed of data, training and tests
   */
  record Context(Scale scale, long seed) {}

  Benchmark benchmark() {
    return training.benchmark();
  }

  Trial training(Training other) {
    return new Trial(method, other, steps, weight, sensors, noise, members, setting, x, paper);
  }

  Trial weight(double factor) {
    return new Trial(method, training, steps, factor, sensors, noise, members, setting, x, paper);
  }

  Trial sensors(int count) {
    return new Trial(method, training, steps, weight, count, noise, members, setting, x, paper);
  }

  Trial noise(double level) {
    return new Trial(method, training, steps, weight, sensors, level, members, setting, x, paper);
  }

  Trial members(int count) {
    return new Trial(method, training, steps, weight, sensors, noise, count, setting, x, paper);
  }

  /** Returns a copy that names the varied setting. */
  Trial setting(String words, double number) {
    return new Trial(
        method, training, steps, weight, sensors, noise, members, words, number, paper);
  }

  /** Returns the name in tables, with the number of steps. */
  String label() {
    return method.label(steps);
  }

  /** Returns the system of this row. */
  Method.Draw draw() {
    return new Method.Draw(benchmark(), steps, weight, members, noise);
  }

  /** Returns everything that determines the result. */
  Map<String, Object> toJson() throws IOException {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("method", method.toString());
    json.put("steps", steps);
    json.put("weight", weight);
    json.put("benchmark", benchmark().toString());
    json.put("test_fields", fields());
    json.put("sensors", sensors);
    json.put("noise", noise);
    json.put("members", members);
    json.put("seed", training.seed());
    json.put("trained", training.toJson());
    return json;
  }

  /** Returns the number of fields on which it is tested. */
  int fields() {
    return training.scale().test(evaluations());
  }

  private double evaluations() {
    return method.evaluations() * Math.max(1, steps);
  }

  /** Returns about how many evaluations of the network the test costs. */
  double cost() {
    return evaluations() * members * fields();
  }
}
