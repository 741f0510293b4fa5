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
import io.perflow.tensor.disk.Disk;
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
 * A Gaussian prior with the problem and the units it belongs to: everything that kriging needs and,
 * if the problem states its equation, everything that assimilation needs. It is learnt in seconds
 * and has no network. A {@link RectifiedFlow} may start from it.
 *
 * <pre>{@code
 * PriorModel model = PriorModel.learn(data);
 * Reconstruction found = Reconstruction.of(model.sampler(), readings, 20, rng);
 * }</pre>
 *
 * @param problem the problem of the fields
 * @param normalization their normalization
 * @param prior the prior in these units
 * @param use the intended use of the prior
 * @param calibration the calibration of the error bars for that use; empty before calibration
 */
public record PriorModel(
    Problem problem,
    Normalization normalization,
    GaussianPrior prior,
    Use use,
    Optional<Calibration> calibration) {
  /** The ways to use a prior without a network. */
  public enum Use {
    /** Conditions the prior on readings: {@link KrigingSampler}. */
    KRIGING {
      @Override
      FieldSampler sampler(PriorModel model) {
        return model.kriging();
      }
    },
    /** Finds solutions of the equation that fit readings: {@link Assimilation}. */
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

    /** Returns the number of validation fields that a calibration uses, out of those available. */
    public int calibrationFields(int there) {
      // Each field takes seconds, because the equation is solved many times.
      return this == KRIGING ? there : Math.min(there, 32);
    }

    @Override
    public String toString() {
      return Named.of(this);
    }
  }

  /** The name of the prior among the metadata of a file. */
  static final String PRIOR = "prior";

  /** The name of the prior's file in a run's directory. */
  static final String FILE = "prior.safetensors";

  /** The name of the calibration among the metadata of a file. */
  static final String CALIBRATION = "calibration";

  private static final String PROBLEM = "problem";
  private static final String UNITS = "units";
  private static final String USE = "use";
  private static final String DATA = "data";
  private static final int CALIBRATION_SAMPLES = 20; // the number that is usually drawn

  /**
   * Learns the prior of a data set; the last twentieth of the fields is held out for validation.
   */
  public static PriorModel learn(Dataset data) {
    return new PriorModel(
        data.problem(),
        data.normalization(),
        GaussianPrior.learn(data),
        Use.KRIGING,
        Optional.empty());
  }

  /**
   * Learns the prior of a data set and calibrates the error bars for one use of it; another data
   * set serves for validation and calibration.
   *
   * @param modes the largest number of modes of the prior, usually {@link GaussianPrior#RANK}
   * @param done receives the number of finished fields, of {@link Use#calibrationFields}
   */
  public static PriorModel calibrated(
      Dataset training, Dataset validation, Use use, int modes, IntConsumer done) {
    Problem problem = training.problem();
    use.check(problem);
    training.requireVariation();
    Normalization normalization = training.normalization();
    Tensor held = normalization.normalize(validation.fields()).contiguous();
    Tensor fields = normalization.normalize(training.fields()).contiguous();
    return learn(problem, normalization, fields, held, modes).use(use).calibrated(held, done);
  }

  /**
   * Returns a copy with error bars that were calibrated on fields from which the prior was not
   * learnt.
   *
   * @param held normalized fields, [count, channels, height, width]
   * @param done receives the number of finished fields, of {@link Use#calibrationFields}
   */
  public PriorModel calibrated(Tensor held, IntConsumer done) {
    Rng rng = Rng.of(1).split("calibration");
    Tensor some = held.slice(0, 0, use.calibrationFields(held.dim(0))).contiguous();
    Calibration found = Calibration.fit(sampler(), some, CALIBRATION_SAMPLES, rng, done);
    return new PriorModel(problem, normalization, prior, use, Optional.of(found));
  }

  /** Returns the prior that a flow starts from, if it starts from one. */
  public static Optional<PriorModel> of(RectifiedFlow flow) {
    FlowConfig config = flow.config();
    return Optional.ofNullable(flow.prior())
        .map(
            p ->
                new PriorModel(
                    config.problem(), config.normalization(), p, Use.KRIGING, Optional.empty()));
  }

  /** Learns the prior from normalized fields and validates it on others. */
  private static PriorModel learn(
      Problem problem, Normalization normalization, Tensor training, Tensor held, int modes) {
    Projector projector = projector(problem, normalization);
    return new PriorModel(
        problem,
        normalization,
        GaussianPrior.learn(problem, normalization, projector, training, held, modes),
        Use.KRIGING,
        Optional.empty());
  }

  /**
   * Returns the projector onto the equations of a problem, in normalized units. Bounds are not part
   * of it: they act on the end points of paths, because a velocity that points towards a bound need
   * not reach it.
   */
  static Projector projector(Problem problem, Normalization normalization) {
    return Projector.onto(
        problem.constraints().stream()
            .filter(constraint -> !(constraint instanceof Bounds))
            .map(constraint -> constraint.normalized(normalization))
            .toList());
  }

  /**
   * Reads the prior from a run's directory; if there is none, learns it from the run's normalized
   * fields and writes it there.
   */
  static PriorModel of(Path directory, FlowConfig config, Tensor training, Tensor held)
      throws IOException {
    Path file = directory.resolve(FILE);
    String data = Fingerprint.of(training) + "; " + Fingerprint.of(held);
    if (!Files.exists(file)) {
      Disk.current().createDirectories(directory);
      PriorModel learnt =
          learn(config.problem(), config.normalization(), training, held, GaussianPrior.RANK);
      Map<String, String> notes = learnt.description();
      notes.put(DATA, data);
      SafeTensors.write(file, learnt.prior.tensors(), FormatVersion.stamped(notes));
    }
    checkOrigin(file, config, data);
    return load(file); // read back the first time too, so that a resumed run has the same bits
  }

  // Otherwise, a prior learnt from other fields would be used silently.
  private static void checkOrigin(Path file, FlowConfig config, String data) throws IOException {
    Map<String, String> notes;
    try (SafeTensors open = SafeTensors.read(file)) {
      notes = open.metadata();
    }
    List<String> differences = new ArrayList<>();
    String problem = Json.write(config.problem().toJson());
    differences.addAll(Differences.of(PROBLEM, notes.get(PROBLEM), problem));
    String normalization = Json.write(config.normalization().toJson());
    differences.addAll(Differences.of(UNITS, notes.get(UNITS), normalization));
    if (notes.containsKey(DATA)) { // files of earlier versions do not say
      differences.addAll(Differences.of(DATA, notes.get(DATA), data));
    }
    if (!differences.isEmpty()) {
      throw new IllegalArgumentException(
          "%s belongs to a run with other settings: %s; give the same ones or another directory"
              .formatted(file, String.join("; ", differences)));
    }
  }

  /** Returns a sampler for the intended use of the prior. */
  public FieldSampler sampler() {
    return use.sampler(this);
  }

  /** Returns a sampler that draws from the prior given the readings. */
  public KrigingSampler kriging() {
    return KrigingSampler.of(this);
  }

  /**
   * Returns a sampler that draws solutions of the problem's equation that fit the readings.
   *
   * @throws IllegalArgumentException when the problem states no equation
   */
  public Assimilation assimilation() {
    return Assimilation.of(this);
  }

  /** Returns a copy with an equation of the fields; files cannot store equations. */
  public PriorModel with(Equation equation) {
    return new PriorModel(problem.with(equation), normalization, prior, use, calibration);
  }

  /** Returns a copy for another use, whose error bars are not calibrated yet. */
  public PriorModel use(Use other) {
    return new PriorModel(problem, normalization, prior, other, Optional.empty());
  }

  /** Returns the calibration of a use, if it was calibrated. */
  Optional<Calibration> calibration(Use wanted) {
    return wanted == use ? calibration : Optional.empty();
  }

  /** Writes a file that {@link #load} reads. */
  public void save(Path file) throws IOException {
    SafeTensors.write(file, prior.tensors(), FormatVersion.stamped(description()));
  }

  /** Writes the file in half precision where that suffices, for distribution. */
  public void saveHalf(Path file) throws IOException {
    SafeTensors.writeHalf(file, prior.tensors(), FormatVersion.stamped(description()));
  }

  private Map<String, String> description() {
    Map<String, String> notes = new LinkedHashMap<>();
    notes.put(PROBLEM, Json.write(problem.toJson()));
    notes.put(UNITS, Json.write(normalization.toJson()));
    notes.put(PRIOR, Json.write(prior.toJson()));
    notes.put(USE, use.toString());
    calibration.ifPresent(found -> notes.put(CALIBRATION, Json.write(found.toJson())));
    return notes;
  }

  /** Returns whether a file holds a prior without a flow. */
  public static boolean isIn(Path file) throws IOException {
    try (SafeTensors open = SafeTensors.read(file)) {
      return open.metadata().containsKey(PRIOR) && open.metadata().containsKey(PROBLEM);
    }
  }

  /**
   * Reads what {@link #save} wrote.
   *
   * @param given the constraints of its problem that were written in Java, which are found by their
   *     names
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
      Normalization normalization = Normalization.fromJson(Json.parse(notes.get(UNITS)));
      return new PriorModel(
          problem,
          normalization,
          read(open, problem, normalization),
          Named.parse(Use.class, notes.getOrDefault(USE, Use.KRIGING.toString()), USE),
          calibration(notes, problem));
    } catch (FileFormatException | IllegalArgumentException e) { // they do not know the file
      throw new FileFormatException(file.toString(), null, e.getMessage(), e);
    }
  }

  /** Returns the calibration among the metadata of a file. */
  static Optional<Calibration> calibration(Map<String, String> notes, Problem problem)
      throws IOException {
    String text = notes.get(CALIBRATION);
    return text == null
        ? Optional.empty()
        : Optional.of(Calibration.fromJson(Json.parse(text), problem));
  }

  /** Returns the prior among the tensors of an open file. */
  static GaussianPrior read(SafeTensors open, Problem problem, Normalization normalization)
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
    return GaussianPrior.read(
        problem, normalization, projector(problem, normalization), Json.parse(text), tensors);
  }

  /** Returns what the prior knows about a field from a user's readings. */
  Known known(Readings readings) {
    return Known.of(prior, readings, normalization);
  }

  /**
   * Returns what the prior knows from readings that may have a small error; see {@link
   * Known#TOLERANCE}.
   */
  Known tolerant(Readings readings) {
    Sensing sensing = Sensing.of(readings, normalization).noise(Known.TOLERANCE);
    return new Known(prior.given(sensing), Sensing.values(readings, normalization));
  }

  /** Returns the same from readings on the grid. */
  Known tolerant(Observations seen) {
    return Known.of(prior, problem, seen, Known.TOLERANCE);
  }
}
