package io.perflow.flow;

import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Dataset;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.ProgressListener;
import io.perflow.physics.Readings;
import io.perflow.physics.Scaling;
import io.perflow.physics.constraint.Constraint;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A trained model for one problem, which reconstructs fields from readings, both in physical units.
 * The model is a flow, or a Gaussian prior that draws without a network.
 *
 * <pre>{@code
 * PerFlow model = PerFlow.load(file);
 * Readings readings = Readings.read(csv, model.problem());
 * Reconstruction found = model.reconstruct(readings).samples(20).draw(Rng.of(1));
 * IO.println(found.at("T", 0.3, 0.7)); // T = 301.2 ± 0.4 K
 * }</pre>
 *
 * <p>Any number of threads may reconstruct with a model at once; {@link #to} waits for them. The
 * same seed gives the same samples.
 */
public final class PerFlow {
  private final Optional<RectifiedFlow> flow;
  private final Optional<PriorModel> prior;

  private PerFlow(Optional<RectifiedFlow> flow, Optional<PriorModel> prior) {
    this.flow = flow;
    this.prior = prior;
  }

  /** Starts the configuration of a flow's training for a problem. */
  public static Training of(Problem problem) {
    return new Training(problem);
  }

  /** Returns a model of a flow that was built and trained step by step. */
  public static PerFlow of(RectifiedFlow flow) {
    return new PerFlow(Optional.of(flow), PriorModel.of(flow));
  }

  /**
   * Returns a model of a Gaussian prior, which draws by the prior's intended method, kriging or
   * assimilation.
   */
  public static PerFlow of(PriorModel prior) {
    return new PerFlow(Optional.empty(), Optional.of(prior));
  }

  /**
   * Reads a model of any kind.
   *
   * @param given the constraints of its problem that were written in Java, which are found by their
   *     names
   */
  public static PerFlow load(Path file, Constraint... given) throws IOException {
    return PriorModel.isIn(file)
        ? of(PriorModel.load(file, given))
        : of(RectifiedFlow.load(file, given));
  }

  /** Writes a file that {@link #load} and the command read. */
  public void save(Path file) throws IOException {
    if (flow.isPresent()) {
      flow.get().save(file);
    } else {
      prior.orElseThrow().save(file);
    }
  }

  /** Writes the file in half precision, for distribution. */
  public void saveHalf(Path file) throws IOException {
    if (flow.isPresent()) {
      flow.get().saveHalf(file);
    } else {
      prior.orElseThrow().saveHalf(file);
    }
  }

  /** Returns the problem that the model was trained for. */
  public Problem problem() {
    return flow.map(f -> f.config().problem()).orElseGet(() -> prior.orElseThrow().problem());
  }

  /** Returns the normalization of its fields. */
  public Normalization normalization() {
    return flow.map(f -> f.config().normalization())
        .orElseGet(() -> prior.orElseThrow().normalization());
  }

  /** Returns the flow with its network, if the model has one. */
  public Optional<RectifiedFlow> flow() {
    return flow;
  }

  /** Returns the Gaussian prior, if the model has one; a flow may start from it. */
  public Optional<PriorModel> prior() {
    return prior;
  }

  /** Moves the network to another device; a prior alone computes on the CPU. */
  public PerFlow to(Device device) {
    flow.ifPresent(f -> f.network().to(device));
    return this;
  }

  /** Prepares the reconstruction of the field behind some readings. */
  public Drawing reconstruct(Readings readings) {
    FieldSampler sampler =
        flow.isPresent() ? FlowSampler.of(flow.get()) : prior.orElseThrow().sampler();
    return new Drawing(sampler, readings);
  }

  /** The settings of a reconstruction: by default 20 samples, and 50 Euler steps for a flow. */
  public static final class Drawing {
    private final FieldSampler sampler;
    private final Readings readings;
    private final List<Constraint> constraints = new ArrayList<>();
    private int samples = 20;

    private Drawing(FieldSampler sampler, Readings readings) {
      this.sampler = sampler;
      this.readings = readings;
    }

    /** Sets the number of samples. */
    public Drawing samples(int count) {
      samples = count;
      return this;
    }

    /**
     * Sets the method that integrates the flow, and its steps.
     *
     * @throws IllegalStateException for a model without a network
     */
    public Drawing solver(OdeSolver solver) {
      flow("solver").solver(solver);
      return this;
    }

    /**
     * Sets how samples agree with the readings.
     *
     * @throws IllegalStateException for assimilation, whose samples fit the readings within their
     *     noise
     */
    public Drawing sensors(FlowSampler.Agreement agreement) {
      switch (sampler) {
        case FlowSampler network -> network.sensors(agreement);
        case KrigingSampler kriging -> kriging.exact(agreement == FlowSampler.Agreement.EXACT);
        default -> throw unsuitable("sensors");
      }
      return this;
    }

    /**
     * Adds constraints that every sample satisfies besides those of the problem.
     *
     * @throws IllegalStateException for assimilation, whose samples satisfy the equation
     */
    public Drawing constrain(Constraint... more) {
      constraints.addAll(Arrays.asList(more));
      switch (sampler) {
        case FlowSampler network -> network.constrain(constraints);
        case KrigingSampler kriging -> kriging.constrain(constraints);
        default -> throw unsuitable("constrain");
      }
      return this;
    }

    /** Adds a constraint by its text, such as {@code mass:T=300}. */
    public Drawing constrain(String text) {
      return constrain(sampler.problem().constraint(text));
    }

    /**
     * Sets how many samples the network computes at once; more need more memory.
     *
     * @throws IllegalStateException for a model without a network
     */
    public Drawing batch(int size) {
      flow("batch").batch(size);
      return this;
    }

    /** Adds a listener that is told about the progress of the draw. */
    public Drawing listener(ProgressListener listener) {
      sampler.listener(listener);
      return this;
    }

    /**
     * Draws the samples.
     *
     * @throws java.util.concurrent.CancellationException when the thread is interrupted or a {@link
     *     io.perflow.tensor.Cancellation} asks for it
     */
    public Reconstruction draw(Rng rng) {
      return Reconstruction.of(sampler, readings, samples, rng);
    }

    private FlowSampler flow(String setting) {
      if (sampler instanceof FlowSampler network) {
        return network;
      }
      throw unsuitable(setting);
    }

    private IllegalStateException unsuitable(String setting) {
      return new IllegalStateException(
          "[reconstruct] %s(…) does not apply to %s; leave it out"
              .formatted(setting, sampler.name()));
    }
  }

  /** The settings of a training. */
  public static final class Training {
    private final Problem problem;
    private Dataset data; // null until it is set
    private TrainConfig config = TrainConfig.fast(4000);
    private UnaryOperator<FlowConfig> changes = UnaryOperator.identity();
    private Device device = Device.cpu();
    private boolean calibrated = true;
    private final List<TrainingListener> listeners = new ArrayList<>();

    private Training(Problem problem) {
      this.problem = problem;
    }

    /**
     * Sets the fields to train on; the last twentieth of them (at most 64) is held out for
     * validation.
     *
     * @param fields in physical units, [samples, channels, height, width]
     */
    public Training train(Tensor fields, TrainConfig settings) {
      return train(Dataset.of(problem, fields, Scaling.UNIT, Map.of()), settings);
    }

    /**
     * Sets a data set to train on; its own constraints and sensors are ignored.
     *
     * @throws IllegalArgumentException when its fields are of other quantities or on another grid
     */
    public Training train(Dataset fields, TrainConfig settings) {
      fields
          .problem()
          .difference(problem)
          .ifPresent(
              difference -> {
                throw new IllegalArgumentException(
                    "the data are of %s, the flow is for %s: %s"
                        .formatted(fields.problem().name(), problem.name(), difference));
              });
      data = fields.with(problem);
      config = settings;
      return this;
    }

    /** Sets the U-Net, in place of the one that suits the size of the data. */
    public Training network(UNetConfig network) {
      return configure(flow -> flow.network(network));
    }

    /** Changes the flow's configuration before training. */
    public Training configure(UnaryOperator<FlowConfig> change) {
      UnaryOperator<FlowConfig> before = changes;
      changes = flow -> change.apply(before.apply(flow));
      return this;
    }

    /** Sets the device to train on, by default the CPU. */
    public Training device(Device where) {
      device = where;
      return this;
    }

    /**
     * Sets whether error bars are calibrated after training, which draws 20 samples of each of up
     * to 16 held-out fields (default true).
     */
    public Training calibrated(boolean wanted) {
      calibrated = wanted;
      return this;
    }

    /** Adds a listener that is told about every step, validation and checkpoint. */
    public Training listener(TrainingListener listener) {
      listeners.add(listener);
      return this;
    }

    /**
     * Trains, or resumes the training in the directory, and calibrates the error bars on the
     * held-out fields. The flow then has the weights with the smallest validation loss, those of
     * {@link Trainer#BEST}; if no training step reduced the loss, it is the Gaussian prior alone.
     *
     * @throws IllegalArgumentException when the fields break a constraint of the problem
     */
    public PerFlow run(Path directory) throws IOException {
      if (data == null) {
        throw new IllegalStateException(
            "[training] no fields to train on; call train(fields, settings) first");
      }
      data.requireVariation();
      data.requireConstraints();
      try (RunLock _ = RunLock.take(directory)) {
        return runAlone(directory);
      }
    }

    private PerFlow runAlone(Path directory) throws IOException {
      FlowConfig built = changes.apply(Recipe.PRIOR.flow(data));
      Split split = Split.of(data);
      Normalization units = built.normalization();
      Tensor training = units.normalize(split.training().fields()).contiguous();
      Tensor validation = units.normalize(split.validation().fields()).contiguous();
      Rng rng = Rng.of(config.seed());
      RectifiedFlow flow = RectifiedFlow.of(built, directory, training, validation, rng);
      Trainer trainer =
          new Trainer(flow, DataSource.of(problem, training, config), config, directory)
              .validation(validation)
              .device(device);
      listeners.forEach(trainer::listener);
      trainer.train();
      Constraint[] own = problem.constraints().toArray(Constraint[]::new);
      Path best = directory.resolve(Trainer.BEST);
      RectifiedFlow made =
          calibrated
              ? RectifiedFlow.calibrate(best, best, validation, device, _ -> {}, own)
              : RectifiedFlow.load(best, own);
      return PerFlow.of(made).to(device);
    }
  }
}
