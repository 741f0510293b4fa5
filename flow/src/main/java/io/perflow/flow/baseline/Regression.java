package io.perflow.flow.baseline;

import io.perflow.flow.Ensemble;
import io.perflow.flow.FlowConfig;
import io.perflow.flow.Objective;
import io.perflow.flow.Observations;
import io.perflow.flow.Reconstructor;
import io.perflow.nn.Layer;
import io.perflow.nn.Loss;
import io.perflow.nn.Weights;
import io.perflow.nn.onnx.OnnxExport;
import io.perflow.nn.operator.ConditionalFno;
import io.perflow.physics.MaskSampler;
import io.perflow.physics.Problem;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * The conditional Fourier operator, a system that maps readings and mask to the field in one pass.
 * It predicts the mean of the possible fields, not a sample. The loss is ‖x̂ - x‖₂ / ‖x‖₂, averaged
 * over the batch.
 */
public final class Regression implements Objective, Reconstructor {
  private static final String SYSTEM = "conditional-fno";

  private final FlowConfig setting;
  private final SurrogateConfig config;
  private final ConditionalFno network;
  private final MaskSampler masks;

  private Regression(FlowConfig setting, SurrogateConfig config, Rng rng) {
    this.setting = setting;
    masks = setting.problem().masks();
    this.config = config;
    int in = setting.problem().channelCount() + setting.problem().planes();
    network =
        ConditionalFno.of(
            config.fno(in, setting.problem().channelCount(), setting.problem()),
            rng.split("network"));
  }

  /**
   * Returns an untrained operator.
   *
   * @param setting the settings, of which only fields and units are used
   * @param config a configuration of kind {@link SurrogateConfig.Kind#FNO}
   */
  public static Regression of(FlowConfig setting, SurrogateConfig config, Rng rng) {
    if (config.kind() != SurrogateConfig.Kind.FNO) {
      throw new IllegalArgumentException(
          "[conditional fno] is made of an FNO, not of " + config.kind().label());
    }
    return new Regression(setting, config, rng);
  }

  /** Returns whether a file holds such an operator. */
  public static boolean isIn(Path file) throws IOException {
    return Description.isIn(SYSTEM, file);
  }

  /** Reads what {@link #save} or a {@link io.perflow.flow.Trainer} wrote. */
  public static Regression load(Path file) throws IOException {
    Description read = Description.read(SYSTEM, file);
    Regression system = new Regression(read.setting(), SurrogateConfig.of(read), Rng.of(0));
    Weights.load(file, system.network());
    return system;
  }

  /** Writes description and weights. */
  public void save(Path file) throws IOException {
    Weights.save(file, network(), description());
  }

  /**
   * Returns an export of the network for other runtimes: from {@code readings} (batch, channels, h,
   * w), zero where there is no sensor, and {@code mask} (batch, planes, h, w) to {@code field}
   * (batch, channels, h, w), in normalized units on the grid of the problem.
   */
  public OnnxExport onnx() {
    Problem problem = setting.problem();
    int h = problem.grid().height();
    int w = problem.grid().width();
    String names = "normalized " + String.join(", ", problem.channels());
    return OnnxExport.of(network)
        .input("readings", names, problem.channelCount(), h, w)
        .input("mask", "one where there is a sensor, otherwise zero", problem.planes(), h, w)
        .output("field", names);
  }

  /** Returns fields and units. */
  public FlowConfig setting() {
    return setting;
  }

  @Override
  public Layer network() {
    return network;
  }

  @Override
  public Map<String, String> description() {
    return Description.write(SYSTEM, setting, config.toJson());
  }

  @Override
  public Tensor loss(Tensor fields, Rng rng) {
    Tensor planes = masks.draw(rng.split("mask"), fields.dim(0));
    Observations seen = Observations.of(fields, planes);
    return Loss.relativeL2(output(seen), fields);
  }

  @Override
  public String name() {
    return "cFNO";
  }

  @Override
  public Ensemble reconstruct(Observations seen, int count, Rng rng) {
    return Drawing.draw(
        name(),
        setting.problem(),
        seen,
        count,
        count,
        rng,
        part -> Drawing.repeat(output(seen), part.size()));
  }

  private Tensor output(Observations seen) {
    return network.apply(seen.values(), seen.planes().to(seen.values().device()));
  }
}
