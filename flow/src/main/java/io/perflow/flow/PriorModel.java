package io.perflow.flow;

import io.perflow.physics.Dataset;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.Projector;
import io.perflow.physics.prior.GaussianPrior;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A Gaussian prior with the problem and the units it belongs to: all that kriging needs. It is
 * learnt in seconds, has no network, and is what a {@link RectifiedFlow} from a prior starts from.
 *
 * <pre>{@code
 * PriorModel model = PriorModel.learn(data);
 * Reconstruction found = Reconstruction.of(model.sampler(), readings, 20, rng);
 * }</pre>
 *
 * @param problem what the fields are of
 * @param units their normalization
 * @param prior in these units
 * @param calibration of its error bars; empty until it was found
 */
public record PriorModel(
    Problem problem, Normalization units, GaussianPrior prior, Optional<Calibration> calibration) {
  /** The name of the prior among the metadata of a file. */
  static final String PRIOR = "prior";

  /** The prior of a run. */
  static final String FILE = "prior.safetensors";

  /** The name of the calibration among the metadata of a file. */
  static final String CALIBRATION = "calibration";

  private static final String PROBLEM = "problem";
  private static final String UNITS = "units";

  /** Learns the prior of a data set; the last twentieth of the fields is held out to judge it. */
  public static PriorModel learn(Dataset data) {
    return new PriorModel(
        data.problem(), data.normalization(), GaussianPrior.learn(data), Optional.empty());
  }

  /** Learns the prior of a data set and calibrates its error bars, both judged by another one. */
  public static PriorModel calibrated(Dataset training, Dataset validation) {
    Problem problem = training.problem();
    Normalization units = training.normalization();
    Tensor held = units.normalize(validation.fields()).contiguous();
    PriorModel model = learn(problem, units, units.normalize(training.fields()).contiguous(), held);
    Rng rng = Rng.of(1).split("calibration");
    return model.with(Calibration.fit(model.sampler(), held, 20, rng, _ -> {}));
  }

  /** The prior that a flow starts from, when it does. */
  public static Optional<PriorModel> of(RectifiedFlow flow) {
    FlowConfig config = flow.config();
    return Optional.ofNullable(flow.prior())
        .map(p -> new PriorModel(config.problem(), config.units(), p, Optional.empty()));
  }

  /** Learns it from normalized fields and judges it by others. */
  static PriorModel learn(Problem problem, Normalization units, Tensor training, Tensor held) {
    Projector projector = projector(problem, units);
    return new PriorModel(
        problem,
        units,
        GaussianPrior.learn(problem, projector, training, held, GaussianPrior.RANK),
        Optional.empty());
  }

  /** The projector onto the constraints of a problem, in normalized units. */
  static Projector projector(Problem problem, Normalization units) {
    return Projector.onto(
        problem.constraints().stream().map(constraint -> constraint.normalized(units)).toList());
  }

  /**
   * The prior of a run's directory, or one that is learnt from the run's normalized fields, which
   * the directory holds then.
   */
  static PriorModel of(Path directory, FlowConfig config, Tensor training, Tensor held)
      throws IOException {
    Path file = directory.resolve(FILE);
    if (!Files.exists(file)) {
      Files.createDirectories(directory);
      learn(config.problem(), config.units(), training, held).save(file);
    }
    return load(file); // also the first time, so that a resumed run has the same bits
  }

  /** Draws reconstructions. */
  public KrigingSampler sampler() {
    return KrigingSampler.of(this);
  }

  /** Writes a file that {@link #load} reads. */
  public void save(Path file) throws IOException {
    SafeTensors.write(file, prior.tensors(), description());
  }

  /** Writes it in half precision where that is enough, for shipping. */
  public void saveHalf(Path file) throws IOException {
    SafeTensors.writeHalf(file, prior.tensors(), description());
  }

  private Map<String, String> description() {
    Map<String, String> notes = new LinkedHashMap<>();
    notes.put(PROBLEM, Json.write(problem.toJson()));
    notes.put(UNITS, Json.write(units.toJson()));
    notes.put(PRIOR, Json.write(prior.toJson()));
    calibration.ifPresent(found -> notes.put(CALIBRATION, Json.write(found.toJson())));
    return notes;
  }

  /** The same with error bars that were calibrated on validation fields. */
  public PriorModel with(Calibration found) {
    return new PriorModel(problem, units, prior, Optional.of(found));
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
      for (String name : List.of(PROBLEM, UNITS, PRIOR)) {
        if (!notes.containsKey(name)) {
          throw new IllegalArgumentException(
              "%s holds no prior: its metadata has %s, not '%s'"
                  .formatted(file, notes.keySet(), name));
        }
      }
      Problem problem = Problem.fromJson(Json.parse(notes.get(PROBLEM)), List.of(given));
      Normalization units = Normalization.fromJson(Json.parse(notes.get(UNITS)));
      return new PriorModel(
          problem, units, read(open, problem, units), calibration(notes, problem));
    } catch (FileFormatException e) {
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
    return GaussianPrior.read(problem, projector(problem, units), Json.parse(text), tensors);
  }

  /** What the prior knows about a field from exact readings on the grid. */
  Known known(Observations seen) {
    return Known.of(prior, problem, seen, 0);
  }

  /** What the prior knows about a field from a person's readings. */
  Known known(Readings readings) {
    return Known.of(prior, readings, units);
  }
}
