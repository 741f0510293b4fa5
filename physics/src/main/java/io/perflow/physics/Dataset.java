package io.perflow.physics;

import io.perflow.physics.constraint.Constraint;
import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The fields of a problem in physical units, with their normalization for networks and a record of
 * their origin.
 *
 * <pre>{@code
 * Dataset train = Dataset.read(Path.of("poisson-train.safetensors"));
 * Tensor x = train.normalization().normalize(train.batch(0, 1, 2)); // (3, 2, 128, 128)
 * }</pre>
 */
public final class Dataset {
  private final Problem problem;
  private final Tensor fields;
  private final Normalization normalization;
  private final Map<String, Object> origin;

  private Dataset(
      Problem problem, Tensor fields, Normalization normalization, Map<String, Object> origin) {
    Check.that(
        normalization.channels() == fields.dim(1),
        "dataset",
        "the normalization is for %d channels, the fields have %d",
        normalization.channels(),
        fields.dim(1));
    this.problem = problem;
    this.fields = fields;
    this.normalization = normalization;
    this.origin = Collections.unmodifiableMap(new LinkedHashMap<>(origin));
  }

  /**
   * Returns a data set of fields with chosen units.
   *
   * @param fields of shape [samples, channels, height, width], F32 or F64, all finite
   * @param origin split, seed, parameters and other entries that {@link io.perflow.tensor.io.Json}
   *     can write; may be empty
   * @throws io.perflow.tensor.ShapeException when the shape is not that of the problem's fields or
   *     a number is not finite
   */
  public static Dataset of(
      Problem problem, Tensor fields, Normalization normalization, Map<String, Object> origin) {
    check(problem, fields);
    return new Dataset(problem, fields, normalization, origin);
  }

  /** Returns a data set of fields with units of a named kind, such as {@link Scaling#UNIT}. */
  public static Dataset of(
      Problem problem, Tensor fields, Scaling scaling, Map<String, Object> origin) {
    check(problem, fields);
    return new Dataset(problem, fields, scaling.fit(problem, Moments.of(fields)), origin);
  }

  private static void check(Problem problem, Tensor fields) {
    problem.check("dataset of " + problem.name(), fields);
    Check.that(fields.size() > 0, "dataset", "fields of shape %s hold no number", fields.shape());
    checkFinite(problem, fields);
  }

  // The check goes sample by sample, because a copy of all numbers would be expensive.
  private static void checkFinite(Problem problem, Tensor fields) {
    for (int i = 0; i < fields.dim(0); i++) {
      double[] sample = fields.select(0, i).toDoubles();
      for (int at = 0; at < sample.length; at++) {
        if (!Double.isFinite(sample[at])) {
          int width = fields.dim(3);
          int cells = fields.dim(2) * width;
          Check.that(
              false,
              "dataset",
              "sample %d, channel %s, row %d, column %d is %s; drop or repair the sample",
              i,
              problem.channels().get(at / cells),
              at % cells / width,
              at % width,
              sample[at]);
        }
      }
    }
  }

  /**
   * Reads what {@link #write} or {@code perflow generate} wrote.
   *
   * @throws io.perflow.tensor.io.FileFormatException when the file is no data set, or damaged, or
   *     holds numbers that are not finite
   * @param given the constraints of its problem that were written in Java, which are found by their
   *     names
   */
  public static Dataset read(Path file, Constraint... given) throws IOException {
    return DatasetFile.read(file, List.of(given));
  }

  /** Writes a file, complete or not at all: safetensors or npz by its name. */
  public void write(Path file) throws IOException {
    DatasetFile.write(file, this);
  }

  /** Returns the problem of the fields. */
  public Problem problem() {
    return problem;
  }

  /**
   * Returns all fields in physical units: [samples, channels, height, width], in the type of the
   * file.
   */
  public Tensor fields() {
    return fields;
  }

  /** Returns the normalization for a network. A model keeps its own from its training. */
  public Normalization normalization() {
    return normalization;
  }

  /** Returns split, seed and parameters. */
  public Map<String, Object> origin() {
    return origin;
  }

  /** Returns the number of samples. */
  public int size() {
    return fields.dim(0);
  }

  /**
   * Returns chosen samples in physical units as F32, the type of networks: [count, channels, …].
   */
  public Tensor batch(int... indices) {
    return fields.gather(0, indices).to(DataType.F32);
  }

  /** Returns the first samples, with the same units. */
  public Dataset first(int samples) {
    Check.that(
        samples >= 1 && samples <= size(),
        "dataset",
        "the first %d of %d samples; ask for 1 to %d",
        samples,
        size(),
        size());
    return part(0, samples);
  }

  /** Measures how well the fields satisfy each constraint of their problem. */
  public List<DataResidual> residuals() {
    return DataResidual.of(this);
  }

  /**
   * Checks that the fields satisfy the constraints of their problem up to rounding.
   *
   * @throws IllegalArgumentException naming the violated constraint, the number and the cure
   */
  public void requireConstraints() {
    DataResidual.refuseBroken(residuals());
  }

  /**
   * Refuses fields from which nothing can be learnt, because a quantity is constant or because
   * single precision cannot distinguish its values or compute with them.
   *
   * @throws IllegalArgumentException naming the quantity, the numbers and the cure
   */
  public void requireVariation() {
    Variation.check(problem, Moments.of(fields), fields.type());
  }

  /** Returns a part of the samples, from {@code from} up to but not including {@code to}. */
  public Dataset part(int from, int to) {
    Check.that(
        from >= 0 && from < to && to <= size(),
        "dataset",
        "samples %d to %d of %d; there must be at least one",
        from,
        to,
        size());
    return new Dataset(problem, fields.slice(0, from, to), normalization, origin);
  }

  /** Returns the same fields as fields of another problem, which must have the same shape. */
  public Dataset with(Problem other) {
    other.check("dataset of " + other.name(), fields);
    return new Dataset(other, fields, normalization, origin);
  }

  /** Returns the same fields with other units. */
  public Dataset with(Normalization units) {
    return new Dataset(problem, fields, units, origin);
  }
}
