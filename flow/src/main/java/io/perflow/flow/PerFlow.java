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
import java.util.function.UnaryOperator;

/**
 * A trained flow for one problem: readings go in and fields come out, both in physical units.
 *
 * <pre>{@code
 * PerFlow flow = PerFlow.of(heat).train(fields, TrainConfig.fast(4000)).run(directory);
 * Reconstruction found = flow.reconstruct(Readings.read(csv, heat)).samples(20).draw(Rng.of(1));
 * IO.println(found.at("T", 0.3, 0.7)); // T = 301.2 ± 0.4 K
 * }</pre>
 *
 * <p>Any number of threads may reconstruct with a flow at once; {@link #to} waits for them. The
 * same seed gives the same samples.
 */
public final class PerFlow {
  private final RectifiedFlow flow;

  private PerFlow(RectifiedFlow flow) {
    this.flow = flow;
  }

  /** A flow for a problem, to be trained. */
  public static Training of(Problem problem) {
    return new Training(problem);
  }

  /** A flow that was built and trained step by step. */
  public static PerFlow of(RectifiedFlow flow) {
    return new PerFlow(flow);
  }

  /**
   * Reads a flow that training wrote.
   *
   * @param given constraints of its problem that were written in Java, found by their names
   */
  public static PerFlow load(Path file, Constraint... given) throws IOException {
    return new PerFlow(RectifiedFlow.load(file, given));
  }

  /** Writes a file that {@link #load} and the command read. */
  public void save(Path file) throws IOException {
    flow.save(file);
  }

  /** What it was trained for. */
  public Problem problem() {
    return flow.config().problem();
  }

  /** The flow itself: network, projections and normalized units. */
  public RectifiedFlow model() {
    return flow;
  }

  /** The same flow on another device. */
  public PerFlow to(Device device) {
    flow.network().to(device);
    return this;
  }

  /** Prepares the reconstruction of the field behind some readings. */
  public Drawing reconstruct(Readings readings) {
    return new Drawing(flow, readings);
  }

  /** How a field is reconstructed; 20 samples of 50 Euler steps unless told otherwise. */
  public static final class Drawing {
    private final RectifiedFlow flow;
    private final Readings readings;
    private final FlowSampler sampler;
    private final List<Constraint> constraints = new ArrayList<>();
    private int samples = 20;

    private Drawing(RectifiedFlow flow, Readings readings) {
      this.flow = flow;
      this.readings = readings;
      sampler = FlowSampler.of(flow);
    }

    /** Sets the number of samples. */
    public Drawing samples(int count) {
      samples = count;
      return this;
    }

    /** Sets the method that follows the flow, and its steps. */
    public Drawing solver(OdeSolver solver) {
      sampler.solver(solver);
      return this;
    }

    /** Sets how samples agree with the readings. */
    public Drawing sensors(FlowSampler.Agreement agreement) {
      sampler.sensors(agreement);
      return this;
    }

    /** Adds constraints that every sample satisfies besides those of the problem. */
    public Drawing constrain(Constraint... more) {
      constraints.addAll(Arrays.asList(more));
      sampler.constrain(constraints);
      return this;
    }

    /** Adds a constraint by its text, such as {@code mass:T=300}. */
    public Drawing constrain(String text) {
      return constrain(flow.config().problem().constraint(text));
    }

    /** Sets how many samples run at once; more need more memory. */
    public Drawing batch(int size) {
      sampler.batch(size);
      return this;
    }

    /** Has a listener told how far the draw is, before every evaluation of the network. */
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
  }

  /** Collects what a training needs. */
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
     * Sets the fields to train on; the last twentieth of them, 64 at most, is held out to judge the
     * weights by.
     *
     * @param fields in physical units, [samples, channels, height, width]
     */
    public Training train(Tensor fields, TrainConfig settings) {
      return train(Dataset.of(problem, fields, Scaling.UNIT, Map.of()), settings);
    }

    /**
     * Sets a data set to train on, whose own constraints and sensors do not count.
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

    /** Trains another U-Net than the one that suits the size of the data. */
    public Training network(UNetConfig network) {
      return configure(flow -> flow.network(network));
    }

    /** Changes the flow's configuration before it is trained. */
    public Training configure(UnaryOperator<FlowConfig> change) {
      UnaryOperator<FlowConfig> before = changes;
      changes = flow -> change.apply(before.apply(flow));
      return this;
    }

    /** Trains on another device than the CPU. */
    public Training device(Device where) {
      device = where;
      return this;
    }

    /**
     * Whether error bars are calibrated after training, which draws 20 samples of up to 16 fields
     * held out; they are unless told otherwise.
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
     * Trains, or goes on with the training that the directory holds, and calibrates the error bars
     * on the fields held out. The flow has the weights that were judged best, those of {@link
     * Trainer#BEST} there; where no step helped, these are the Gaussian prior alone.
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
      Normalization units = built.units();
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
              ? RectifiedFlow.calibrate(best, validation, device, _ -> {}, own)
              : RectifiedFlow.load(best, own);
      return new PerFlow(made).to(device);
    }
  }
}
