package io.perflow.flow;

import io.perflow.nn.Loss;
import io.perflow.nn.Weights;
import io.perflow.nn.onnx.OnnxExport;
import io.perflow.nn.unet.UNet;
import io.perflow.physics.MaskSampler;
import io.perflow.physics.Problem;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.Projector;
import io.perflow.physics.constraint.StreamFunction;
import io.perflow.physics.prior.GaussianPrior;
import io.perflow.physics.prior.Kriging;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;

/**
 * A conditional rectified flow with the physics inside (PerFlow).
 *
 * <p>A path runs straight from projected noise x₀ to a field x₁ of the data, x_t = (1 - t) x₀ + t
 * x₁. A network receives x_t, t and the readings and predicts the velocity; the loss is the mean
 * square of the projected velocity minus x₁ - x₀. Since noise and velocity are projected, every
 * state of every sampler satisfies the constraints.
 *
 * <p>If the network predicts the clean field, its displacement x̂₁ - x_t is projected, which is (1
 * - t) times its velocity; the loss is then |x̂₁ - x₁|² / max(1 - t, ¼)², the velocity loss with
 * its pole at the end cut off.
 *
 * <p>A flow may start from a {@link GaussianPrior} given the readings instead of noise. Its network
 * then adds to the prior's own prediction, and an untrained one draws kriging's samples.
 *
 * <p>Any number of threads may sample from a flow at once, as long as none trains it; each gets the
 * bits that it would get alone. Loading weights into its network waits for running draws.
 */
public final class RectifiedFlow implements Objective {
  private static final double SMALLEST_GAP = 0.25;
  private static final int CALIBRATION_FIELDS = 16;
  private static final int CALIBRATION_SAMPLES = 20; // the number that is usually drawn
  private static final int GROUPS = 4; // the groups of a batch whose fields share their sensors

  private final FlowConfig config;
  private final Projector projector;
  private final double curlScale;
  private final Projector outputs; // the projector of what the network outputs
  private final UNet network;
  private final Padding padding;
  private final MaskSampler masks;
  private final GaussianPrior prior; // null for a flow from noise
  private final Scenarios scenarios; // null for a flow from noise
  private long step = -1;
  private volatile Calibration calibration; // null until the flow is calibrated

  private RectifiedFlow(FlowConfig config, GaussianPrior prior, Rng rng) {
    if (config.fromPrior() != (prior != null)) {
      throw new IllegalArgumentException(
          prior == null
              ? "[flow] a flow from a Gaussian prior needs a prior: GaussianPrior.learn(data)"
              : "[flow] a flow from noise has no use for a prior; choose SourceDistribution.PRIOR");
    }
    this.config = config;
    this.prior = prior;
    scenarios = prior == null ? null : new Scenarios(config.problem(), prior);
    Problem problem = config.problem();
    projector =
        config.embedded()
            ? PriorModel.projector(problem, config.normalization())
            : Projector.none();
    curlScale = SourceDistribution.curlScale(problem.grid().height(), problem.grid().width());
    // If zero divergence is the only constraint, curls already satisfy it, and another projection
    // would cost more than the curl.
    List<Constraint> ofCurls = List.of(StreamFunction.spectral().constraint());
    boolean curls = streams() && projector.constraints().equals(ofCurls);
    outputs = curls ? Projector.none() : projector;
    network = UNet.of(config.network(), rng.split("network"));
    padding = Padding.of(problem.grid(), config.network().multiple());
    masks = problem.masks();
  }

  /** Returns an untrained flow from noise, under the constraints of its problem. */
  public static RectifiedFlow of(FlowConfig config, Rng rng) {
    return new RectifiedFlow(config, null, rng);
  }

  /**
   * Returns an untrained flow for a run. A flow from a prior reads the prior from the run's
   * directory, or learns it from the run's normalized fields and writes it there.
   */
  public static RectifiedFlow of(
      FlowConfig config, Path directory, Tensor training, Tensor validation, Rng rng)
      throws IOException {
    return config.fromPrior()
        ? of(config, PriorModel.of(directory, config, training, validation).prior(), rng)
        : of(config, rng);
  }

  /** Returns an untrained flow from a Gaussian prior, whose samples are those of the prior. */
  public static RectifiedFlow of(FlowConfig config, GaussianPrior prior, Rng rng) {
    return new RectifiedFlow(config, prior, rng);
  }

  /**
   * Reads a flow that {@link #save} or a {@link Trainer} wrote.
   *
   * @param given the constraints of its problem that were written in Java, which are found by their
   *     names; if one is missing, the file is refused and the constraint named
   */
  public static RectifiedFlow load(Path file, Constraint... given) throws IOException {
    FlowFile read = FlowFile.read(file, List.of(given));
    RectifiedFlow flow = new RectifiedFlow(read.config(), read.prior(), Rng.of(0));
    Weights.load(file, flow.network);
    flow.calibration = read.calibration();
    return flow;
  }

  /**
   * Calibrates a flow's error bars on validation fields and writes the flow with the factors found.
   *
   * @param file the flow, written by training
   * @param target the file to write the calibrated flow to; may be {@code file}
   * @param validation normalized fields that were not trained on
   * @param done receives the number of finished fields, of {@link #calibrationFields}
   * @param given the constraints of its problem that were written in Java
   */
  public static RectifiedFlow calibrate(
      Path file,
      Path target,
      Tensor validation,
      Device device,
      IntConsumer done,
      Constraint... given)
      throws IOException {
    RectifiedFlow flow = load(file, given);
    flow.network.to(device);
    Tensor some = validation.slice(0, 0, calibrationFields(validation)).to(DataType.F32);
    flow.calibration =
        Calibration.fit(
            FlowSampler.of(flow), some, CALIBRATION_SAMPLES, Rng.of(1).split("calibration"), done);
    Map<String, String> notes;
    try (SafeTensors open = SafeTensors.read(file)) {
      notes = new LinkedHashMap<>(open.metadata());
    }
    notes.putAll(flow.description());
    Weights.save(target, flow.network, flow.attachments(), notes);
    return flow;
  }

  /** Returns the number of validation fields that a calibration uses, out of those available. */
  public static int calibrationFields(Tensor validation) {
    return Math.min(validation.dim(0), CALIBRATION_FIELDS);
  }

  /** Writes configuration and weights. */
  public void save(Path file) throws IOException {
    Weights.save(file, network, attachments(), description());
  }

  /** Writes configuration and weights in half precision, at half the size, for distribution. */
  public void saveHalf(Path file) throws IOException {
    Weights.saveHalf(file, network, attachments(), description());
  }

  /**
   * Returns an export of the network for other runtimes; {@link FlowExport} describes its inputs
   * and its output.
   */
  public OnnxExport onnx() {
    return FlowExport.of(this);
  }

  /** Returns the configuration of this flow. */
  public FlowConfig config() {
    return config;
  }

  /** Returns the projections inside the flow, in normalized units. */
  public Projector projector() {
    return projector;
  }

  /** Returns the Gaussian prior that the flow starts from; null for a flow from noise. */
  public GaussianPrior prior() {
    return prior;
  }

  /** Returns the calibration of the error bars, if they are calibrated. */
  public Optional<Calibration> calibration() {
    return Optional.ofNullable(calibration);
  }

  /** Sets the calibration; null after a change of the weights, which makes it invalid. */
  public void calibrate(Calibration found) {
    calibration = found;
  }

  @Override
  public UNet network() {
    return network;
  }

  /** Returns the device of the weights and of all computations with them. */
  public Device device() {
    return network.values().getFirst().device();
  }

  @Override
  public Map<String, String> description() {
    Map<String, String> notes = new LinkedHashMap<>();
    try {
      notes.put(FlowFile.CONFIG, config.toJson());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e.getMessage(), e);
    }
    if (prior != null) {
      notes.put(PriorModel.PRIOR, Json.write(prior.toJson()));
    }
    if (calibration != null) {
      notes.put(PriorModel.CALIBRATION, Json.write(calibration.toJson()));
    }
    return notes;
  }

  @Override
  public Map<String, Tensor> attachments() {
    return prior == null ? Map.of() : prior.tensors();
  }

  /** Returns true for a flow from a prior, because it draws the samples of kriging untrained. */
  @Override
  public boolean usefulUntrained() {
    return prior != null;
  }

  @Override
  public void begin(long number) {
    step = number;
  }

  // ---- the flow

  /** Draws projected noise, the start of {@code count} paths of a flow from noise. */
  public Tensor start(Rng rng, int count, Device device) {
    Shape shape = config.problem().batch(count);
    if (streams() && config.base() == SourceDistribution.RANDOM_FIELD) {
      Shape frames = shape.with(1, config.problem().channelCount() / 2);
      return outputs.project(curl(config.base().draw(rng, device, frames)));
    }
    return projector.project(config.base().draw(rng, device, shape));
  }

  /** Returns the network with the condition of a batch of observations, for training. */
  public Condition condition(Observations seen) {
    return condition(config.condition().channels(seen, config.problem()));
  }

  /** Returns the same with given channels of the condition. */
  Condition condition(Tensor channels) {
    return new Condition(
        channels, (x, t) -> padded(Tensor.concat(1, x, channels), y -> network.apply(y, t)));
  }

  /**
   * Returns the network with the condition of a field about which a prior knows something, for
   * samplers.
   */
  Condition given(Observations seen, Known known) {
    Device device = seen.values().device();
    Tensor mean = projector.project(known.mean()).to(device);
    Tensor noise = known.noise().to(device);
    return given(config.condition().channels(seen, mean, noise, config.problem()));
  }

  /**
   * Returns the network for samplers, which evaluate it many times for the same readings, so their
   * part of the first convolution is computed once.
   */
  public Condition given(Observations seen) {
    return given(config.condition().channels(seen, config.problem()));
  }

  private Condition given(Tensor channels) {
    BinaryOperator<Tensor> told = network.given(padding.pad(channels));
    return new Condition(channels, (x, t) -> padded(x, y -> told.apply(y, t)));
  }

  private Tensor padded(Tensor x, UnaryOperator<Tensor> layers) {
    return padding.isEmpty() ? layers.apply(x) : padding.crop(layers.apply(padding.pad(x)));
  }

  /**
   * Returns the projected velocity at states x [batch, …] and times t [batch].
   *
   * @param gap the smallest time to the end by which the displacement to a predicted end point is
   *     divided
   */
  public Tensor velocity(Tensor x, Tensor t, Condition condition, double gap) {
    try (Scope scope = Scope.open()) {
      Tensor output = output(x, t, condition);
      if (config.prediction() == FlowConfig.Prediction.VELOCITY) {
        return scope.keep(outputs.tangent(output, x));
      }
      return scope.keep(outputs.tangent(output.sub(x), x).div(gap(t, gap)));
    }
  }

  /** Returns the {@link #velocity} at one time for all states, before its projection. */
  public Drift drift(Tensor x, double t, Condition condition, double gap) {
    try (Scope scope = Scope.open()) {
      Tensor time = Tensor.full(x.device(), Shape.of(x.dim(0)), DataType.F32, t);
      Tensor output = scope.keep(output(x, time, condition));
      return config.prediction() == FlowConfig.Prediction.VELOCITY
          ? new Drift(outputs, output, null, 1)
          : new Drift(outputs, output, x, 1 / Math.clamp(1 - t, gap, 1));
    }
  }

  /**
   * Returns the prediction that {@link #velocity} is computed from, before the projection: the
   * velocity or the field at the end of the path.
   */
  Tensor output(Tensor x, Tensor t, Condition condition) {
    Tensor out = condition.network().apply(x, t);
    if (config.prediction() == FlowConfig.Prediction.PRIOR) {
      Tensor mean = config.condition().filled(condition.channels(), config.problem());
      Tensor guess = mean.add(x.sub(mean).mul(share(t)));
      return guess.add(streams() ? curl(out) : out);
    }
    if (config.prediction() == FlowConfig.Prediction.CORRECTION) {
      return out.add(config.condition().filled(condition.channels(), config.problem()));
    }
    return streams() ? curl(out) : out;
  }

  private boolean streams() {
    return config.head() == FlowConfig.Head.STREAM_FUNCTION;
  }

  // Scaled so that stream functions of the size of the network's output give unit velocities.
  private Tensor curl(Tensor psi) {
    return StreamFunction.spectral().velocity(psi.mul(curlScale));
  }

  // Returns t / ((1 - t)² + t²) as [batch, 1, 1, 1]: the part of x - m that remains at the end of
  // the path, where x is the sum of (1 - t) x₀ and t x₁, which have equal covariances.
  private static Tensor share(Tensor t) {
    Tensor left = t.neg().add(1);
    return t.div(left.square().add(t.square())).reshape(t.dim(0), 1, 1, 1);
  }

  // Returns max(1 - t, least) as [batch, 1, 1, 1].
  private static Tensor gap(Tensor t, double least) {
    return t.neg().add(1).clamp(least, 1).reshape(t.dim(0), 1, 1, 1);
  }

  @Override
  public Tensor loss(Tensor fields, Rng rng) {
    int batch = fields.dim(0);
    Device device = fields.device();
    Start start = start(fields, rng);
    Condition condition = start.condition;
    Tensor x0 = start.x0;
    Tensor t = config.times().draw(rng.split("time"), batch).to(device);
    Tensor part = t.reshape(batch, 1, 1, 1);
    Tensor x = x0.add(fields.sub(x0).mul(part));
    return loss(fields, x0, x, t, condition);
  }

  /**
   * The starts of the paths to some fields, and the condition that describes their readings to the
   * network.
   */
  private record Start(Condition condition, Tensor x0) {}

  private Start start(Tensor fields, Rng rng) {
    int batch = fields.dim(0);
    if (prior != null) {
      return priorStart(fields, rng);
    }
    Tensor planes = masks.draw(rng.split("mask"), batch);
    Condition condition = condition(Observations.of(fields, planes));
    return new Start(condition, start(rng.split("noise"), batch, fields.device()));
  }

  // The groups of the batch share their sensors, so the prior is conditioned once for each group.
  private Start priorStart(Tensor fields, Rng rng) {
    int batch = fields.dim(0);
    int groups = Math.min(batch, GROUPS);
    Tensor[] values = new Tensor[groups];
    Tensor[] planes = new Tensor[batch];
    Tensor[] coefficients = new Tensor[2 * groups]; // first for all means, then for all samples
    float[] noise = new float[batch];
    for (int g = 0; g < groups; g++) {
      int from = g * batch / groups;
      int to = (g + 1) * batch / groups;
      Rng own = rng.split("group").split(g);
      Scenarios.Scenario scenario = scenarios.draw(own, step);
      Kriging kriging = scenario.kriging();
      Tensor exact = kriging.sensing().read(fields.slice(0, from, to));
      Tensor errors = own.split("errors").normal(exact.device(), exact.shape(), DataType.F64);
      Tensor read = exact.add(errors.mul(scenario.sigma()));
      values[g] = kriging.sensing().spread(read).to(DataType.F32);
      coefficients[g] = kriging.meanCoefficients(read);
      coefficients[groups + g] = kriging.sampleCoefficients(read, own);
      Arrays.fill(planes, from, to, scenario.planes());
      Arrays.fill(noise, from, to, (float) scenario.sigma());
    }
    Tensor both = prior.fields(Tensor.concat(0, coefficients)).to(fields.device());
    Observations seen =
        new Observations(Tensor.concat(0, values).to(fields.device()), Tensor.concat(0, planes));
    Tensor sigma = Tensor.of(noise, batch, 1, 1, 1).to(fields.device());
    Tensor mean = both.slice(0, 0, batch).contiguous();
    Tensor channels = config.condition().channels(seen, mean, sigma, config.problem());
    return new Start(condition(channels), both.slice(0, batch, 2 * batch).contiguous());
  }

  private Tensor loss(Tensor x1, Tensor x0, Tensor x, Tensor t, Condition condition) {
    Tensor output = output(x, t, condition);
    if (config.prediction() == FlowConfig.Prediction.VELOCITY) {
      return Loss.meanSquaredError(outputs.tangent(output, x), x1.sub(x0));
    }
    Tensor miss = outputs.tangent(output.sub(x), x).sub(x1.sub(x));
    return miss.div(gap(t, SMALLEST_GAP)).square().mean();
  }

  /**
   * Returns the mean square residual of every constraint after one velocity step from noise; for
   * constraints with the same name, the largest one.
   */
  @Override
  public Map<String, Double> diagnostics(Tensor fields, Rng rng) {
    Map<String, Double> found = new LinkedHashMap<>();
    try (Scope _ = Scope.open()) {
      Start start = start(fields, rng);
      Condition condition = start.condition;
      Tensor x = start.x0;
      Tensor t = Tensor.full(fields.device(), Shape.of(fields.dim(0)), DataType.F32, 0);
      Tensor end = x.add(velocity(x, t, condition, SMALLEST_GAP));
      for (Constraint constraint : projector.constraints()) {
        // Constraints of one kind, such as the masses of two quantities, share a name.
        double error = constraint.meanSquare(end).mean().item();
        found.merge(constraint.name(), error, Math::max);
      }
    }
    return found;
  }
}
