package io.perflow.flow;

import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.solver.Benchmark;
import io.perflow.tensor.Named;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The complete configuration of a {@link RectifiedFlow}; a file with the configuration and the
 * weights needs nothing else.
 *
 * <pre>{@code
 * FlowConfig config =
 *     FlowConfig.of(problem, units)
 *         .network(UNetConfig.small())
 *         .base(SourceDistribution.GAUSSIAN);
 * }</pre>
 *
 * @param problem the fields, their constraints and the distribution of their sensors
 * @param normalization the normalization of the fields
 * @param network the U-Net; its channels and periodic axes are set to fit the rest
 * @param prediction what the network's output means
 * @param head how the output becomes a field
 * @param condition how the sensors are described to the network
 * @param base the distribution the flow starts from
 * @param times the distribution of the times in training
 * @param embedded whether noise and velocity are projected (PerFlow) or not (plain rectified flow)
 */
public record FlowConfig(
    Problem problem,
    Normalization normalization,
    UNetConfig network,
    Prediction prediction,
    Head head,
    Conditioning condition,
    SourceDistribution base,
    TimeSampler times,
    boolean embedded) {
  private static final int MOST_POINTS = 1 << 13; // along an axis of a benchmark

  /** The meaning of the network's output. */
  public enum Prediction {
    /** The output is the velocity x₁ - x₀, as in the paper. */
    VELOCITY,
    /**
     * The output is the field x₁ at the end of the path, from which the velocity is (x₁ - x_t) / (1
     * - t). The field is smooth whereas the velocity contains the noise, so the network learns it
     * from far fewer samples.
     */
    CLEAN,
    /**
     * The output is the difference between the field at the end of the path and the field filled in
     * from the sensors, so that an untrained network already predicts the filled field.
     */
    CORRECTION,
    /**
     * The output is what the field at the end of the path adds to the best guess m + t / ((1 - t)²
     * + t²) (x_t - m) of a Gaussian with the conditional mean m, when both ends of the path are
     * independent samples of it. An untrained network thus draws kriging's samples.
     */
    PRIOR
  }

  /** The ways in which the output of the network becomes a field. */
  public enum Head {
    /** The output is already a field. */
    DIRECT,
    /**
     * The output is a stream function for each frame, and its curl is the field; for incompressible
     * flow.
     */
    STREAM_FUNCTION
  }

  /**
   * Checks that there is a filled field to correct, or two components for a stream function, and
   * fits the network to the rest.
   */
  public FlowConfig {
    if (prediction == Prediction.CORRECTION
        && (condition.fill() == Conditioning.Fill.NONE || head != Head.DIRECT)) {
      throw new IllegalArgumentException(
          "[flow] a correction needs a condition with a filled field and a direct head, not fill"
              + " %s and head %s".formatted(Named.of(condition.fill()), Named.of(head)));
    }
    boolean prior = base == SourceDistribution.PRIOR;
    if (prior != (prediction == Prediction.PRIOR)
        || prior != (condition.fill() == Conditioning.Fill.PRIOR)) {
      throw new IllegalArgumentException(
          "[flow] base, prediction and fill must all be the prior's or none, not %s, %s and %s"
              .formatted(Named.of(base), Named.of(prediction), Named.of(condition.fill())));
    }
    if (head == Head.STREAM_FUNCTION && problem.quantities().size() != 2) {
      throw new IllegalArgumentException(
          "[flow] a stream function gives the two components of a velocity, %s has %d quantities;"
                  .formatted(problem.name(), problem.quantities().size())
              + " take a direct head");
    }
    int in = problem.channelCount() + condition.count(problem);
    int out = head == Head.DIRECT ? problem.channelCount() : problem.channelCount() / 2;
    network = Padding.of(problem.grid(), network.multiple()).fit(network.channels(in, out));
  }

  /** Returns the usual configuration, {@link Recipe#FAST}. */
  public static FlowConfig of(Problem problem, Normalization normalization) {
    return Recipe.FAST.flow(problem, normalization);
  }

  /** Returns whether the flow starts from a Gaussian prior, which must then be given with it. */
  public boolean fromPrior() {
    return base == SourceDistribution.PRIOR;
  }

  /** Returns a copy for another problem with fields of the same shape. */
  public FlowConfig problem(Problem other) {
    return new FlowConfig(
        other, normalization, network, prediction, head, condition, base, times, embedded);
  }

  /** Returns the same with another network. */
  public FlowConfig network(UNetConfig other) {
    return new FlowConfig(
        problem, normalization, other, prediction, head, condition, base, times, embedded);
  }

  /** Returns a copy with another meaning of the network's output. */
  public FlowConfig prediction(Prediction other) {
    return new FlowConfig(
        problem, normalization, network, other, head, condition, base, times, embedded);
  }

  /** Returns the same with another head. */
  public FlowConfig head(Head other) {
    return new FlowConfig(
        problem, normalization, network, prediction, other, condition, base, times, embedded);
  }

  /** Returns the same with another description of the sensors. */
  public FlowConfig condition(Conditioning other) {
    return new FlowConfig(
        problem, normalization, network, prediction, head, other, base, times, embedded);
  }

  /** Returns the same from another starting distribution. */
  public FlowConfig base(SourceDistribution other) {
    return new FlowConfig(
        problem, normalization, network, prediction, head, condition, other, times, embedded);
  }

  /** Returns a copy with another distribution of the times in training. */
  public FlowConfig times(TimeSampler other) {
    return new FlowConfig(
        problem, normalization, network, prediction, head, condition, base, other, embedded);
  }

  /** Returns the same without projections, to compare with. */
  public FlowConfig unprojected() {
    return new FlowConfig(
        problem, normalization, network, prediction, Head.DIRECT, condition, base, times, false);
  }

  /** Returns the JSON text. */
  public String toJson() throws IOException {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("problem", problem.toJson());
    json.put("units", normalization.toJson());
    json.put("network", Json.parse(network.toJson()));
    json.put("prediction", Named.of(prediction));
    json.put("head", Named.of(head));
    json.put("condition", condition.toJson());
    json.put("base", Named.of(base));
    json.put("times", Named.of(times));
    json.put("embedded", embedded);
    return Json.write(json);
  }

  /**
   * Reads what {@link #toJson} or version 0.1 wrote.
   *
   * @param given the constraints of the problem that were written in Java, which are found by their
   *     names
   */
  public static FlowConfig parse(String text, List<? extends Constraint> given) throws IOException {
    Map<String, Object> json = Json.object(Json.parse(text, "flow"), "flow");
    return new FlowConfig(
        json.containsKey("problem") ? Problem.fromJson(json.get("problem"), given) : named(json),
        Normalization.fromJson(json.get("units")),
        UNetConfig.of(Json.object(json.get("network"), "flow.network")),
        option(json, Prediction.class, "prediction"),
        option(json, Head.class, "head"),
        Conditioning.fromJson(json.get("condition")),
        option(json, SourceDistribution.class, "base"),
        option(json, TimeSampler.class, "times"),
        Json.flag(json.get("embedded"), "flow.embedded"));
  }

  // Files of version 0.1 name one of its benchmarks and leave the constraints to the program.
  private static Problem named(Map<String, Object> json) throws IOException {
    Map<String, Object> domain = Json.object(json.get("domain"), "domain");
    int height = Json.integer(domain.get("height"), "domain.height", 1, MOST_POINTS);
    int width = Json.integer(domain.get("width"), "domain.width", 1, MOST_POINTS);
    return Benchmark.named(Json.text(json.get("benchmark"), "flow.benchmark"))
        .generator("", height)
        .problem()
        .resized(height, width);
  }

  private static <E extends Enum<E>> E option(Map<String, Object> json, Class<E> type, String name)
      throws IOException {
    return Named.parse(type, Json.text(json.get(name), "flow." + name), "flow." + name);
  }
}
