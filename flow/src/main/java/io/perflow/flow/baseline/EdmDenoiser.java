package io.perflow.flow.baseline;

import io.perflow.flow.FlowConfig;
import io.perflow.flow.Objective;
import io.perflow.nn.Layer;
import io.perflow.nn.Weights;
import io.perflow.physics.Normalization;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Named;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;

/**
 * An unconditional denoiser of fields in the form of EDM (Karras et al., Elucidating the design
 * space of diffusion-based generative models, 2022), from which DiffusionPDE samples.
 *
 * <p>With σ_d = 0.5 and the network F,
 *
 * <pre>
 * D(x, σ) = c_skip x + c_out F(c_in x, c_noise)
 * c_skip = σ_d² / (σ² + σ_d²),  c_out = σ σ_d / √(σ² + σ_d²),  c_in = 1 / √(σ² + σ_d²),  c_noise = ln σ / 4
 * </pre>
 *
 * <p>is trained to recover x from x + σ n, with ln σ ~ N(-1.2, 1.2²) and the squared error weighted
 * by (σ² + σ_d²) / (σ σ_d)². The loss is the mean over all entries, whereas the publication sums
 * over pixels; the scale of a loss does not matter to Adam.
 *
 * <p>Input and output fields are in the units of the problem. The denoiser itself works in other
 * units, {@link #inner}, because its noise levels are made for fields of about σ_d.
 */
public final class EdmDenoiser implements Objective {
  /** The field that the network predicts. */
  public enum Output {
    /**
     * The network predicts F above, as published: mainly the noise where there is little noise, and
     * the field where there is much.
     */
    MIXED,
    /**
     * The network predicts the field, D(x, σ) = F(c_in x, c_noise), with the mean square error
     * relative to σ_d² as loss; networks that see patches learn it in far fewer steps, as in {@link
     * ScoreModel}.
     */
    FIELD
  }

  /** The standard deviation of fields for which the coefficients are made. */
  public static final double SIGMA_DATA = 0.5;

  /** The largest and the smallest standard deviation of the noise. */
  static final double SIGMA_MAX = 80;

  static final double SIGMA_MIN = 0.002;
  private static final String SYSTEM = "edm";

  private final FlowConfig setting;
  private final Normalization units;
  private final Output output;
  private final Normalization inner;
  private final NoiseNetwork network;

  private EdmDenoiser(
      FlowConfig setting, Backbone backbone, Normalization units, Output output, Rng rng) {
    this.setting = setting;
    this.units = units;
    this.output = output;
    inner = inner(setting.normalization(), units);
    network = new NoiseNetwork(setting, backbone, rng);
  }

  /**
   * Returns an untrained denoiser.
   *
   * @param setting the fields, units and U-Net; its condition and projections are not used
   * @param units the denoiser's normalization of physical fields; its noise levels are made for
   *     fields of standard deviation σ_d
   */
  public static EdmDenoiser of(
      FlowConfig setting, Backbone backbone, Normalization units, Output output, Rng rng) {
    return new EdmDenoiser(setting, backbone, units, output, rng);
  }

  // From the units of the setting to those of the denoiser.
  private static Normalization inner(Normalization outer, Normalization own) {
    List<Double> mean = new ArrayList<>();
    List<Double> scale = new ArrayList<>();
    for (int c = 0; c < outer.channels(); c++) {
      double unit = outer.scale().get(c);
      mean.add((own.mean().get(c) - outer.mean().get(c)) / unit);
      scale.add(own.scale().get(c) / unit);
    }
    return new Normalization(mean, scale);
  }

  /** Reads what {@link #save} or a {@link io.perflow.flow.Trainer} wrote. */
  public static EdmDenoiser load(Path file) throws IOException {
    Description read = Description.read(SYSTEM, file);
    EdmDenoiser system =
        new EdmDenoiser(
            read.setting(),
            Backbone.of(read.text("backbone")),
            Normalization.fromJson(read.options().get("units")),
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

  /** Returns the map from the units of the problem to those of the denoiser. */
  public Normalization inner() {
    return inner;
  }

  /** Returns the map from physical units to those of the denoiser. */
  Normalization normalization() {
    return setting.normalization().then(inner);
  }

  @Override
  public Layer network() {
    return network.layers();
  }

  @Override
  public Map<String, String> description() {
    Map<String, Object> options = new LinkedHashMap<>();
    options.put("backbone", network.backbone().toString());
    options.put("units", units.toJson());
    options.put("output", Named.of(output));
    return Description.write(SYSTEM, setting, options);
  }

  /**
   * Returns D(x, σ) for one level, in the type of x; the network itself runs in F32.
   *
   * @param x fields with noise [batch, channels, height, width] in the denoiser's units
   */
  public Tensor denoise(Tensor x, double sigma) {
    double[] levels = new double[x.dim(0)];
    Arrays.fill(levels, sigma);
    return denoise(x, levels);
  }

  private Tensor denoise(Tensor x, double[] sigmas) {
    double data = SIGMA_DATA * SIGMA_DATA;
    try (Scope scope = Scope.open()) {
      Tensor skip = each(x, sigmas, s -> data / (s * s + data));
      Tensor gain = each(x, sigmas, s -> s * SIGMA_DATA / Math.sqrt(s * s + data));
      Tensor seen = x.mul(each(x, sigmas, s -> 1 / Math.sqrt(s * s + data))).to(DataType.F32);
      Tensor level = each(seen, sigmas, s -> Math.log(s) / 4).reshape(sigmas.length);
      Tensor time = each(seen, sigmas, EdmDenoiser::time).reshape(sigmas.length);
      Tensor given = network.output(seen, time, level).to(x.type());
      return scope.keep(output == Output.FIELD ? given : x.mul(skip).add(given.mul(gain)));
    }
  }

  // Maps ln σ from its smallest and largest value to 0 and 1.
  private static double time(double sigma) {
    return Math.log(sigma / SIGMA_MIN) / Math.log(SIGMA_MAX / SIGMA_MIN);
  }

  // Returns [batch, 1, 1, 1] in the type of x.
  private static Tensor each(Tensor x, double[] sigmas, DoubleUnaryOperator number) {
    double[] values = Arrays.stream(sigmas).map(number).toArray();
    return Tensor.of(values, values.length, 1, 1, 1).to(x.type()).to(x.device());
  }

  @Override
  public Tensor loss(Tensor fields, Rng rng) {
    int batch = fields.dim(0);
    network.draw(rng.split("dropout"));
    double[] sigmas = rng.split("level").normal(Shape.of(batch)).toDoubles();
    Arrays.setAll(sigmas, i -> Math.exp(-1.2 + 1.2 * sigmas[i]));
    Tensor clean = inner.normalize(fields);
    Tensor noise = rng.split("noise").normal(fields.device(), fields.shape(), fields.type());
    Tensor x = clean.add(noise.mul(each(fields, sigmas, s -> s)));
    Tensor error = denoise(x, sigmas).sub(clean);
    if (output == Output.FIELD) {
      return error.mul(1 / SIGMA_DATA).square().mean();
    }
    // The root of the published weight.
    Tensor weight =
        each(fields, sigmas, s -> Math.sqrt(s * s + SIGMA_DATA * SIGMA_DATA) / (s * SIGMA_DATA));
    return error.mul(weight).square().mean();
  }
}
