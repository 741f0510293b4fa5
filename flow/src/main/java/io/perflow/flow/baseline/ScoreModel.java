package io.perflow.flow.baseline;

import io.perflow.flow.FlowConfig;
import io.perflow.flow.Objective;
import io.perflow.nn.Layer;
import io.perflow.nn.Weights;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Named;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;

/**
 * The score s = ∇ log p of fields with noise of standard deviation σ(t) = σ_min (σ_max / σ_min)^t,
 * a variance-exploding diffusion (Song et al., Score-based generative modeling through stochastic
 * differential equations, 2021), from which S3GM samples.
 *
 * <p>With x = x₁ + σ z and t ~ U[1e-5, 1] the loss is the mean of (σ s + z)². Levels go from 0.1 to
 * 20 in units in which fields have standard deviation 1.
 */
public final class ScoreModel implements Objective {
  /** The field that the network predicts. */
  public enum Output {
    /** The network predicts the score itself, as in S3GM. */
    SCORE,
    /**
     * The field x̂₁ = x + σ² s that is expected under the noise, from the state divided by √(1 +
     * σ²); The loss is its mean square error, that is, the loss above times σ². A score, or a
     * mixture of noise and field, contains white noise, which networks that see patches learn to
     * reproduce only after tens of thousands of fields; the field is smooth.
     */
    FIELD
  }

  static final double SIGMA_MIN = 0.1;
  static final double SIGMA_MAX = 20;
  private static final double EARLIEST = 1e-5;
  private static final String SYSTEM = "ve-score";

  private final FlowConfig setting;
  private final Output output;
  private final NoiseNetwork network;

  private ScoreModel(FlowConfig setting, Backbone backbone, Output output, Rng rng) {
    this.setting = setting;
    this.output = output;
    network = new NoiseNetwork(setting, backbone, rng);
  }

  /**
   * Returns an untrained model.
   *
   * @param setting the fields, units and U-Net; its condition and projections are not used
   */
  public static ScoreModel of(FlowConfig setting, Backbone backbone, Output output, Rng rng) {
    return new ScoreModel(setting, backbone, output, rng);
  }

  /** Reads what {@link #save} or a {@link io.perflow.flow.Trainer} wrote. */
  public static ScoreModel load(Path file) throws IOException {
    Description read = Description.read(SYSTEM, file);
    ScoreModel system =
        new ScoreModel(
            read.setting(),
            Backbone.of(read.text("backbone")),
            Named.parse(Output.class, read.text("output"), "output"),
            Rng.of(0));
    Weights.load(file, system.network());
    return system;
  }

  /** Writes description and weights. */
  public void save(Path file) throws IOException {
    Weights.save(file, network(), description());
  }

  /** Returns fields, units and network. */
  public FlowConfig setting() {
    return setting;
  }

  @Override
  public Layer network() {
    return network.layers();
  }

  @Override
  public Map<String, String> description() {
    Map<String, Object> options = new LinkedHashMap<>();
    options.put("backbone", network.backbone().toString());
    options.put("output", Named.of(output));
    return Description.write(SYSTEM, setting, options);
  }

  /** Returns σ(t). */
  static double sigma(double t) {
    return SIGMA_MIN * Math.pow(SIGMA_MAX / SIGMA_MIN, t);
  }

  /** Returns the score of states x [batch, …] at one time. */
  public Tensor score(Tensor x, double t) {
    double[] times = new double[x.dim(0)];
    Arrays.fill(times, t);
    return score(x, times);
  }

  private Tensor score(Tensor x, double[] times) {
    int batch = times.length;
    try (Scope scope = Scope.open()) {
      Tensor time = each(x, times, t -> t).reshape(batch);
      Tensor level = each(x, times, ScoreModel::sigma).reshape(batch);
      if (output == Output.SCORE) {
        return scope.keep(network.output(x, time, level));
      }
      Tensor seen = x.mul(each(x, times, t -> 1 / Math.hypot(1, sigma(t))));
      Tensor field = network.output(seen, time, level);
      return scope.keep(field.sub(x).mul(each(x, times, t -> 1 / (sigma(t) * sigma(t)))));
    }
  }

  // [batch, 1, 1, 1]
  private static Tensor each(Tensor x, double[] times, DoubleUnaryOperator number) {
    double[] values = Arrays.stream(times).map(number).toArray();
    return Tensor.of(values, values.length, 1, 1, 1).to(DataType.F32).to(x.device());
  }

  @Override
  public Tensor loss(Tensor fields, Rng rng) {
    network.draw(rng.split("dropout"));
    double[] times = rng.split("time").uniform(Shape.of(fields.dim(0))).toDoubles();
    Arrays.setAll(times, i -> EARLIEST + (1 - EARLIEST) * times[i]);
    Tensor noise = rng.split("noise").normal(fields.device(), fields.shape(), fields.type());
    Tensor sigma = each(fields, times, ScoreModel::sigma);
    Tensor x = fields.add(noise.mul(sigma));
    Tensor error = score(x, times).mul(sigma).add(noise);
    if (output == Output.FIELD) {
      error = error.mul(sigma);
    }
    return error.square().mean();
  }
}
