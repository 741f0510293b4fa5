package io.perflow.cli.reproduce;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One row of a table: a method, what its model was trained on, and how it is tested.
 *
 * @param method how fields are drawn
 * @param training what they are drawn from
 * @param steps of the sampler or optimiser, 0 for none
 * @param weight multiplies the published weights of guidance
 * @param sensors of each mask in the test
 * @param noise of the readings, relative to their deviation
 * @param members samples for each field
 * @param setting what is varied, in words; may be empty
 * @param x what is varied, as a number; NaN when it is none
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
   * What all trials of a reproduction share.
   *
   * @param scale sizes and schedules
   * @param seed of data, training and tests
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

  /** Names what is varied. */
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

  /** Returns all that decides about the result. */
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

  /** Returns how many fields it is tested on. */
  int fields() {
    return training.scale().test(evaluations());
  }

  private double evaluations() {
    return method.evaluations() * Math.max(1, steps);
  }

  /** About how many evaluations of a network the test costs. */
  double cost() {
    return evaluations() * members * fields();
  }
}
