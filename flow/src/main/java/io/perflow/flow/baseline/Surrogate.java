package io.perflow.flow.baseline;

import io.perflow.flow.FlowConfig;
import io.perflow.flow.Objective;
import io.perflow.nn.Layer;
import io.perflow.nn.Loss;
import io.perflow.nn.Weights;
import io.perflow.nn.onnx.OnnxExport;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * A network that replaces a solver and is trained on full fields: it maps the source to the
 * solution, the permeability to the pressure, the first frames to the last ones, or the first time
 * to all times. The loss is ‖ŷ - y‖₂ / ‖y‖₂, averaged over the batch. {@link SurrogateInversion}
 * reconstructs with it.
 */
public final class Surrogate implements Objective {
  private static final String SYSTEM = "surrogate";

  private final FlowConfig setting;
  private final SurrogateConfig config;
  private final ForwardMap map;
  private final Layer network;

  private Surrogate(FlowConfig setting, SurrogateConfig config, Rng rng) {
    this.setting = setting;
    this.config = config;
    map = ForwardMap.of(setting.problem());
    network = config.build(map.inputs(), map.outputs(), setting.problem(), rng.split("network"));
  }

  /**
   * Returns an untrained surrogate.
   *
   * @param setting the settings, of which only fields and units are used
   */
  public static Surrogate of(FlowConfig setting, SurrogateConfig config, Rng rng) {
    return new Surrogate(setting, config, rng);
  }

  /** Returns whether a file holds a surrogate. */
  public static boolean isIn(Path file) throws IOException {
    return Description.isIn(SYSTEM, file);
  }

  /** Reads what {@link #save} or a {@link io.perflow.flow.Trainer} wrote. */
  public static Surrogate load(Path file) throws IOException {
    Description read = Description.read(SYSTEM, file);
    Surrogate system = new Surrogate(read.setting(), SurrogateConfig.of(read), Rng.of(0));
    Weights.load(file, system.network());
    return system;
  }

  /** Writes description and weights. */
  public void save(Path file) throws IOException {
    Weights.save(file, network(), description());
  }

  /**
   * Returns an export of the network for other runtimes: from {@code cause} to {@code field}
   * (batch, channels, h, w), in normalized units on the grid of the problem. The cause consists of
   * some of the field's channels or, for a field over time, of its first row.
   */
  public OnnxExport onnx() {
    Shape one = map.causes(1).remove(0);
    return OnnxExport.of(network, in -> map.fields(in[0], network.run(map.told(in[0]))))
        .input("cause", "normalized", one.toArray())
        .output("field", "normalized " + String.join(", ", setting.problem().channels()));
  }

  /** Returns fields and units. */
  public FlowConfig setting() {
    return setting;
  }

  /** Returns the configuration of the network. */
  public SurrogateConfig config() {
    return config;
  }

  ForwardMap map() {
    return map;
  }

  @Override
  public Layer network() {
    return network;
  }

  @Override
  public Map<String, String> description() {
    return Description.write(SYSTEM, setting, config.toJson());
  }

  /** Returns the fields [batch, channels, height, width] that follow from causes. */
  Tensor fields(Tensor causes) {
    try (Scope scope = Scope.open()) {
      return scope.keep(map.fields(causes, network.run(map.told(causes))));
    }
  }

  @Override
  public Tensor loss(Tensor fields, Rng rng) {
    Tensor found = network.run(map.told(map.cause(fields)));
    return Loss.relativeL2(found, map.effect(fields));
  }
}
