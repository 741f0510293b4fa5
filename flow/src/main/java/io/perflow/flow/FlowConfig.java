package io.perflow.flow;

import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Normalization;
import io.perflow.tensor.Named;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a {@link RectifiedFlow} is, in full: a file with this and the weights can be used anywhere.
 *
 * @param benchmark name of the data the flow belongs to; decides its constraints
 * @param domain shape of the fields
 * @param units the normalization of the fields
 * @param network the U-Net; {@link #fit} sets its channels
 * @param prediction what the network's output means
 * @param head how the output becomes a field
 * @param condition what the network is told about the sensors
 * @param base the distribution the flow starts from
 * @param times the law of the times in training
 * @param embedded whether noise and velocity are projected (PerFlow) or not (plain rectified flow)
 */
public record FlowConfig(
    String benchmark,
    Domain domain,
    Normalization units,
    UNetConfig network,
    Prediction prediction,
    Head head,
    Conditioning condition,
    Base base,
    Times times,
    boolean embedded) {

  /** What the output of the network means. */
  public enum Prediction {
    /** The velocity x₁ - x₀, as in the paper. */
    VELOCITY,
    /**
     * The field x₁ at the end of the path, from which the velocity is (x₁ - x_t) / (1 - t). It is
     * smooth where the velocity contains the noise, and so it is learnt with far fewer samples.
     */
    CLEAN,
    /**
     * What the field at the end of the path has beyond the one filled in from the sensors: a
     * network that knows nothing yet already gives the filled field.
     */
    CORRECTION
  }

  /** How the output of the network becomes a field. */
  public enum Head {
    /** It is one. */
    DIRECT,
    /** It is a stream function per frame, whose curl is the field: incompressible flows. */
    STREAM_FUNCTION
  }

  /** Checks that there is a filled field to correct. */
  public FlowConfig {
    if (prediction == Prediction.CORRECTION
        && (condition.fill() == Conditioning.Fill.NONE || head != Head.DIRECT)) {
      throw new IllegalArgumentException(
          "[flow] a correction needs a condition with a filled field and a direct head, not fill"
              + " %s and head %s".formatted(Named.of(condition.fill()), Named.of(head)));
    }
  }

  /** The configuration with the U-Net's channels and periodic axes set to fit the rest. */
  public FlowConfig fit() {
    int in = domain.channels() + condition.count(domain);
    int out = head == Head.DIRECT ? domain.channels() : domain.channels() / 2;
    UNetConfig fitted =
        network.channels(in, out).periodic(domain.periodicHeight(), domain.periodicWidth());
    return new FlowConfig(
        benchmark, domain, units, fitted, prediction, head, condition, base, times, embedded);
  }

  /** The same with another network. */
  public FlowConfig with(UNetConfig other) {
    return new FlowConfig(
            benchmark, domain, units, other, prediction, head, condition, base, times, embedded)
        .fit();
  }

  /** The same without projections: the twin that shows what they are good for. */
  public FlowConfig unprojected() {
    return new FlowConfig(
            benchmark,
            domain,
            units,
            network,
            prediction,
            Head.DIRECT,
            condition,
            base,
            times,
            false)
        .fit();
  }

  /** The JSON text. */
  public String toJson() throws IOException {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("benchmark", benchmark);
    json.put("domain", domain.toJson());
    json.put("units", units.toJson());
    json.put("network", Json.parse(network.toJson()));
    json.put("prediction", Named.of(prediction));
    json.put("head", Named.of(head));
    json.put("condition", condition.toJson());
    json.put("base", Named.of(base));
    json.put("times", Named.of(times));
    json.put("embedded", embedded);
    return Json.write(json);
  }

  /** Reads what {@link #toJson} wrote. */
  public static FlowConfig parse(String text) throws IOException {
    Map<String, Object> json = Json.object(Json.parse(text, "flow"), "flow");
    return new FlowConfig(
        Json.text(json.get("benchmark"), "flow.benchmark"),
        Domain.fromJson(json.get("domain")),
        Normalization.fromJson(json.get("units")),
        UNetConfig.of(Json.object(json.get("network"), "flow.network")),
        option(json, Prediction.class, "prediction"),
        option(json, Head.class, "head"),
        Conditioning.fromJson(json.get("condition")),
        option(json, Base.class, "base"),
        option(json, Times.class, "times"),
        Json.flag(json.get("embedded"), "flow.embedded"));
  }

  private static <E extends Enum<E>> E option(Map<String, Object> json, Class<E> type, String name)
      throws IOException {
    return Named.parse(type, Json.text(json.get(name), "flow." + name), "flow." + name);
  }
}
