package io.perflow.flow;

import io.perflow.nn.FormatVersion;
import io.perflow.physics.Dataset;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.constraint.Bounds;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.Projector;
import io.perflow.physics.equation.Equation;
import io.perflow.physics.prior.GaussianPrior;
import io.perflow.physics.prior.Sensing;
import io.perflow.tensor.Named;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntConsumer;

/**
 * A Gaussian prior with the problem and the units it belongs to: all that kriging needs and, where
 * the problem states its equation, all that assimilation needs. It is learnt in seconds, has no
 * network, and is what a {@link RectifiedFlow} from a prior starts from.
 *
 * <pre>{@code
 * PriorModel model = PriorModel.learn(data);
 * Reconstruction found = Reconstruction.of(model.sampler(), readings, 20, rng);
 * }</pre>
 *
 * @param problem what the fields are of
 * @param units their normalization
 * @param prior in these units
 * @param use what it is meant for
 * @param calibration of the error bars of that use; empty until it was found
 */
public record PriorModel(
    Problem problem,
    Normalization units,
    GaussianPrior prior,
    Use use,
    Optional<Calibration> calibration) {
  /** What a prior is used for without a network. */
  public enum Use {
    /** To condition it on readings: {@link KrigingSampler}. */
    KRIGING {
      @Override
      FieldSampler sampler(PriorModel model) {
        return model.kriging();
      }
    },
    /** To find solutions of the equation that fit readings: {@link Assimilation}. */
    ASSIMILATION {
      @Override
      FieldSampler sampler(PriorModel model) {
        return model.assimilation();
      }

      @Override
      void check(Problem problem) {
        Assimilation.equation(problem);
      }
    };

    abstract FieldSampler sampler(PriorModel model);

    /** Refuses a problem that lacks what this use needs. */
    void check(Problem problem) {}

    /** How many of some validation fields a calibration looks at. */
    public int calibrationFields(int there) {
      // to solve an equation many times for each of them takes seconds
      return this == KRIGING ? there : Math.min(there, 32);
    }

    @Override
    public String toString() {
      return Named.of(this);
    }
  }

  /** The name of the prior among the metadata of a file. */
  static final String PRIOR = "prior";

  /** The prior of a run. */
  static final String FILE = "prior.safetensors";

  /** The name of the calibration among the metadata of a file. */
  static final String CALIBRATION = "calibration";

  private static final String PROBLEM = "problem";
  private static final String UNITS = "units";
  private static final String USE = "use";
  private static final String DATA = "data";
  private static final int CALIBRATION_SAMPLES = 20; // as many as are usually drawn

  /** Learns the prior of a data set; the last twentieth of the fields is held out to judge it. */
  public static PriorModel learn(Dataset data) {
    return new PriorModel(
        data.problem(),
        data.normalization(),
        GaussianPrior.learn(data),
        Use.KRIGING,
        Optional.empty());
  }

  /**
   * Learns the prior of a data set and calibrates the error bars of a use of it, both judged by
   * another data set.
   *
   * @param modes the largest number of modes of the prior, usually {@link GaussianPrior#RANK}
   * @param done told how many fields are done, of {@link Use#calibrationFields}
   */
  public static PriorModel calibrated(
      Dataset training, Dataset validation, Use use, int modes, IntConsumer done) {
    Problem problem = training.problem();
    use.check(problem);
    training.requireVariation();
    Normalization units = training.normalization();
    Tensor held = units.normalize(validation.fields()).contiguous();
    Tensor fields = units.normalize(training.fields()).contiguous();
    return learn(problem, units, fields, held, modes).use(use).calibrated(held, done);
  }

  /**
   * The same with error bars that were calibrated on fields it was not learnt from.
   *
   * @param held normalized fields, [count, channels, height, width]
   * @param done told how many fields are done, of {@link Use#calibrationFields}
   */
  public PriorModel calibrated(Tensor held, IntConsumer done) {
    Rng rng = Rng.of(1).split("calibration");
    Tensor some = held.slice(0, 0, use.calibrationFields(held.dim(0))).contiguous();
    Calibration found = Calibration.fit(sampler(), some, CALIBRATION_SAMPLES, rng, done);
    return new PriorModel(problem, units, prior, use, Optional.of(found));
  }

  /** The prior that a flow starts from, when it does. */
  public static Optional<PriorModel> of(RectifiedFlow flow) {
    FlowConfig config = flow.config();
    return Optional.ofNullable(flow.prior())
        .map(
            p ->
                new PriorModel(config.problem(), config.units(), p, Use.KRIGING, Optional.empty()));
  }

  /** Learns it from normalized fields and judges it by others. */
  private static PriorModel learn(
      Problem problem, Normalization units, Tensor training, Tensor held, int modes) {
    Projector projector = projector(problem, units);
    return new PriorModel(
        problem,
        units,
        GaussianPrior.learn(problem, units, projector, training, held, modes),
        Use.KRIGING,
        Optional.empty());
  }

  /**
   * The projector onto the equations of a problem, in normalized units. Bounds have no part in it:
   * they act on the end points of paths, since a velocity that heads for a bound need not reach it.
   */
  static Projector projector(Problem problem, Normalization units) {
    return Projector.onto(
        problem.constraints().stream()
            .filter(constraint -> !(constraint instanceof Bounds))
            .map(constraint -> constraint.normalized(units))
            .toList());
  }

  /**
   * The prior of a run's directory, or one that is learnt from the run's normalized fields, which
   * the directory holds then.
   */
  static PriorModel of(Path directory, FlowConfig config, Tensor training, Tensor held)
      throws IOException {
    Path file = directory.resolve(FILE);
    String data = Fingerprint.of(training) + "; " + Fingerprint.of(held);
    if (!Files.exists(file)) {
      Files.createDirectories(directory);
      PriorModel learnt =
          learn(config.problem(), config.units(), training, held, GaussianPrior.RANK);
      Map<String, String> notes = learnt.description();
      notes.put(DATA, data);
      SafeTensors.write(file, learnt.prior.tensors(), FormatVersion.stamped(notes));
    }
    checkOrigin(file, config, data);
    return load(file); // also the first time, so that a resumed run has the same bits
  }

  // A prior that was learnt from other fields would be used without a word.
  private static void checkOrigin(Path file, FlowConfig config, String data) throws IOException {
    Map<String, String> notes;
    try (SafeTensors open = SafeTensors.read(file)) {
      notes = open.metadata();
    }
    List<String> differences = new ArrayList<>();
    String problem = Json.write(config.problem().toJson());
    differences.addAll(Differences.of(PROBLEM, notes.get(PROBLEM), problem));
    String units = Json.write(config.units().toJson());
    differences.addAll(Differences.of(UNITS, notes.get(UNITS), units));
    if (notes.containsKey(DATA)) { // those of earlier versions do not say
      differences.addAll(Differences.of(DATA, notes.get(DATA), data));
    }
    if (!differences.isEmpty()) {
      throw new IllegalArgumentException(
          "%s belongs to a run with other settings: %s; give the same ones or another directory"
              .formatted(file, String.join("; ", differences)));
    }
  }

  /** Draws reconstructions in the way that the prior is meant for. */
  public FieldSampler sampler() {
    return use.sampler(this);
  }

  /** Draws from the prior given the readings. */
  public KrigingSampler kriging() {
    return KrigingSampler.of(this);
  }

  /**
   * Draws solutions of the problem's equation that fit the readings.
   *
   * @throws IllegalArgumentException when the problem states no equation
   */
  public Assimilation assimilation() {
    return Assimilation.of(this);
  }

  /** The same for fields that satisfy an equation, which a file could not hold. */
  public PriorModel with(Equation equation) {
    return new PriorModel(problem.with(equation), units, prior, use, calibration);
  }

  /** The same for another use, whose error bars are not calibrated yet. */
  public PriorModel use(Use other) {
    return new PriorModel(problem, units, prior, other, Optional.empty());
  }

  /** The calibration of a use, when it was found. */
  Optional<Calibration> calibration(Use wanted) {
    return wanted == use ? calibration : Optional.empty();
  }

  /** Writes a file that {@link #load} reads. */
  public void save(Path file) throws IOException {
    SafeTensors.write(file, prior.tensors(), FormatVersion.stamped(description()));
  }

  /** Writes it in half precision where that is enough, for shipping. */
  public void saveHalf(Path file) throws IOException {
    SafeTensors.writeHalf(file, prior.tensors(), FormatVersion.stamped(description()));
  }

  private Map<String, String> description() {
    Map<String, String> notes = new LinkedHashMap<>();
    notes.put(PROBLEM, Json.write(problem.toJson()));
    notes.put(UNITS, Json.write(units.toJson()));
    notes.put(PRIOR, Json.write(prior.toJson()));
    notes.put(USE, use.toString());
    calibration.ifPresent(found -> notes.put(CALIBRATION, Json.write(found.toJson())));
    return notes;
  }

  /** Whether a file holds a prior and no flow. */
  public static boolean isIn(Path file) throws IOException {
    try (SafeTensors open = SafeTensors.read(file)) {
      return open.metadata().containsKey(PRIOR) && open.metadata().containsKey(PROBLEM);
    }
  }

  /**
   * Reads what {@link #save} wrote.
   *
   * @param given constraints of its problem that were written in Java, found by their names
   */
  public static PriorModel load(Path file, Constraint... given) throws IOException {
    try (SafeTensors open = SafeTensors.read(file)) {
      Map<String, String> notes = open.metadata();
      FormatVersion.check(file, notes);
      for (String name : List.of(PROBLEM, UNITS, PRIOR)) {
        if (!notes.containsKey(name)) {
          throw new IllegalArgumentException(
              "holds no prior: its metadata has %s, not '%s'".formatted(notes.keySet(), name));
        }
      }
      Problem problem = Problem.fromJson(Json.parse(notes.get(PROBLEM)), List.of(given));
      Normalization units = Normalization.fromJson(Json.parse(notes.get(UNITS)));
      return new PriorModel(
          problem,
          units,
          read(open, problem, units),
          Named.parse(Use.class, notes.getOrDefault(USE, Use.KRIGING.toString()), USE),
          calibration(notes, problem));
    } catch (FileFormatException | IllegalArgumentException e) { // which do not know the file
      throw new FileFormatException(file.toString(), null, e.getMessage(), e);
    }
  }

  /** The calibration among the metadata of a file. */
  static Optional<Calibration> calibration(Map<String, String> notes, Problem problem)
      throws IOException {
    String text = notes.get(CALIBRATION);
    return text == null
        ? Optional.empty()
        : Optional.of(Calibration.fromJson(Json.parse(text), problem));
  }

  /** The prior among the tensors of an open file. */
  static GaussianPrior read(SafeTensors open, Problem problem, Normalization units)
      throws IOException {
    String text = open.metadata().get(PRIOR);
    if (text == null) {
      throw new FileFormatException(null, PRIOR, "the Gaussian prior is missing");
    }
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    for (String name : open.names()) {
      if (name.startsWith(PRIOR + "/")) {
        tensors.put(name, open.load(name));
      }
    }
    return GaussianPrior.read(problem, units, projector(problem, units), Json.parse(text), tensors);
  }

  /** What the prior knows about a field from a person's readings. */
  Known known(Readings readings) {
    return Known.of(prior, readings, units);
  }

  /** What it knows from these when they may be off by a little: see {@link Known#TOLERANCE}. */
  Known tolerant(Readings readings) {
    Sensing sensing = Sensing.of(readings, units).noise(Known.TOLERANCE);
    return new Known(prior.given(sensing), Sensing.values(readings, units));
  }

  /** The same from readings on the grid. */
  Known tolerant(Observations seen) {
    return Known.of(prior, problem, seen, Known.TOLERANCE);
  }
}
