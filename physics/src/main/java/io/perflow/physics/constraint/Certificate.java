package io.perflow.physics.constraint;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.tensor.DataType;
import io.perflow.tensor.NonFinite;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * The residuals of every constraint in every sample, measured in double precision.
 *
 * <pre>{@code
 * Tensor fields = Certificate.polished(units.denormalize(samples), constraints);
 * Json.write(file, Certificate.of(fields, constraints, units).toJson());
 * }</pre>
 *
 * <p>Residuals depend on units: a divergence of 1e-9 is round-off for velocities of size 1 and
 * large for velocities of size 1e-9. Each is therefore given in the units of the data and in those
 * of the network. Sensors are a constraint like any other; their residual is the misfit.
 *
 * @param samples the residuals of each field of the batch
 */
public record Certificate(List<Sample> samples) {
  /**
   * The share of the allowed change below which a residual counts as rounding; see {@link #broken}.
   */
  public static final double TOLERANCE = 1e-6;

  public Certificate {
    samples = List.copyOf(samples);
  }

  /**
   * The residuals of one field.
   *
   * @param entries the entries of the constraints, in their order
   */
  public record Sample(List<Entry> entries) {
    public Sample {
      entries = List.copyOf(entries);
    }
  }

  /**
   * The residual of one constraint of one field.
   *
   * @param constraint the name of the constraint
   * @param physical the residual in the units of the data
   * @param normalized the residual of the normalized field under the normalized constraint
   */
  public record Entry(String constraint, Residual physical, Residual normalized) {
    /** Returns a text such as {@code mass: missed by 2.8e-14 at most}. */
    @Override
    public String toString() {
      return String.format(Locale.ROOT, "%s: missed by %.2g at most", constraint, physical.max());
    }
  }

  /**
   * The residual of a constraint.
   *
   * @param meanSquare the mean square of the residual, as {@link Constraint#meanSquare} counts it
   * @param max the largest absolute value of the residual
   */
  public record Residual(double meanSquare, double max) {
    Map<String, Object> toJson() {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("mean_square", meanSquare);
      json.put("max", max);
      return json;
    }
  }

  /**
   * Measures the residuals of fields.
   *
   * @param fields [batch, channels, height, width] in physical units, of either type
   * @param constraints in physical units
   * @param units the normalization of the fields
   * @throws IllegalArgumentException when a field is not finite, or the units do not commute with a
   *     constraint
   */
  public static Certificate of(
      Tensor fields, List<? extends Constraint> constraints, Normalization units) {
    return of(fields, constraints, units, Constraint::name);
  }

  /**
   * Measures the residuals of fields and names every constraint as in its problem, {@code
   * mass:T=300}, which distinguishes several constraints of one kind.
   */
  public static Certificate of(
      Tensor fields, List<? extends Constraint> constraints, Normalization units, Problem problem) {
    return of(fields, constraints, units, problem::text);
  }

  private static Certificate of(
      Tensor fields,
      List<? extends Constraint> constraints,
      Normalization units,
      Function<Constraint, String> names) {
    try (Scope _ = Scope.open()) {
      Tensor x = fields.to(DataType.F64);
      requireFinite(x);
      Tensor normalized = units.normalize(x);
      List<List<Entry>> entries = new ArrayList<>();
      for (int s = 0; s < x.dim(0); s++) {
        entries.add(new ArrayList<>());
      }
      for (Constraint constraint : constraints) {
        List<Residual> physical = residuals(constraint, x);
        List<Residual> inUnits = residuals(constraint.normalized(units), normalized);
        for (int s = 0; s < x.dim(0); s++) {
          entries.get(s).add(new Entry(names.apply(constraint), physical.get(s), inUnits.get(s)));
        }
      }
      return new Certificate(entries.stream().map(Sample::new).toList());
    }
  }

  /**
   * Returns the fields after a last projection in double precision, which removes the round-off
   * that a sampler in single precision left: mean-square residuals fall from about 1e-10 to 1e-30.
   *
   * @param fields in physical units
   * @param constraints in physical units
   * @return F64
   */
  public static Tensor polished(Tensor fields, List<? extends Constraint> constraints) {
    return Projector.onto(constraints).project(fields.to(DataType.F64));
  }

  /**
   * Returns the constraints that the fields violate by more than rounding. A constraint holds if
   * its largest residual is at most {@link #TOLERANCE} times the change of the residual when the
   * field changes by one standard deviation of the data. This does not depend on units. If a field
   * is so large that its rounding exceeds a standard deviation of the data, it can satisfy
   * constraints only by chance.
   *
   * @param fields [batch, channels, height, width] in physical units
   * @param constraints in physical units
   * @param units the normalization whose scale is the standard deviation of the data
   * @return a line for each constraint that does not hold, with the numbers; empty when all do
   */
  public static List<String> broken(
      Tensor fields, List<? extends Constraint> constraints, Normalization units, Problem problem) {
    List<String> lines = new ArrayList<>();
    try (Scope _ = Scope.open()) {
      Tensor x = fields.to(DataType.F64);
      for (Constraint constraint : constraints) {
        double missed = largest(constraint.residual(x));
        double allowed = TOLERANCE * sensitivity(constraint, x.slice(0, 0, 1), units);
        if (!(missed <= allowed)) {
          lines.add(
              String.format(
                  Locale.ROOT,
                  "%s is missed by %.3g, and %.3g is allowed",
                  problem.text(constraint),
                  missed,
                  allowed));
        }
      }
    }
    return lines;
  }

  // Once with changes that differ from value to value, and once with the same change for all: means
  // do not react to the former, derivatives not to the latter.
  private static double sensitivity(Constraint constraint, Tensor x, Normalization units) {
    double[] scales = units.scale().stream().mapToDouble(s -> s).toArray();
    Tensor deviation = Tensor.of(scales, 1, scales.length, 1, 1);
    Tensor before = constraint.residual(x);
    Tensor noise = Rng.of(0).normal(x.shape()).to(DataType.F64);
    Tensor uneven = constraint.residual(x.add(noise.mul(deviation))).sub(before);
    Tensor even = constraint.residual(x.add(deviation)).sub(before);
    return Math.max(largest(uneven), largest(even));
  }

  private static double largest(Tensor residual) {
    return residual.size() == 0 ? 0 : residual.abs().max(false).item();
  }

  /** Returns the largest mean square and the largest value of each constraint over all samples. */
  public List<Entry> worst() {
    List<Entry> worst = new ArrayList<>();
    for (int i = 0; !samples.isEmpty() && i < samples.getFirst().entries().size(); i++) {
      Entry sofar = samples.getFirst().entries().get(i);
      for (Sample sample : samples) {
        Entry entry = sample.entries().get(i);
        sofar =
            new Entry(
                entry.constraint(),
                larger(sofar.physical(), entry.physical()),
                larger(sofar.normalized(), entry.normalized()));
      }
      worst.add(sofar);
    }
    return worst;
  }

  /**
   * Returns the certificate for files: a list of samples, each a list of constraints with their
   * residuals.
   */
  public List<Object> toJson() {
    return samples.stream().<Object>map(s -> json(s.entries())).toList();
  }

  private static List<Object> json(List<Entry> entries) {
    List<Object> list = new ArrayList<>();
    for (Entry entry : entries) {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("constraint", entry.constraint());
      json.put("physical", entry.physical().toJson());
      json.put("normalized", entry.normalized().toJson());
      list.add(json);
    }
    return list;
  }

  private static Residual larger(Residual a, Residual b) {
    return new Residual(Math.max(a.meanSquare, b.meanSquare), Math.max(a.max, b.max));
  }

  private static List<Residual> residuals(Constraint constraint, Tensor x) {
    Tensor g = constraint.residual(x);
    double[] squares = constraint.meanSquare(x, g).toDoubles();
    double[] largest = g.reshape(x.dim(0), -1).abs().max(false, 1).toDoubles();
    List<Residual> residuals = new ArrayList<>();
    for (int s = 0; s < squares.length; s++) {
      residuals.add(new Residual(squares[s], largest[s]));
    }
    return residuals;
  }

  private static void requireFinite(Tensor x) {
    NonFinite.in(x)
        .ifPresent(
            found -> {
              throw new IllegalArgumentException(
                  "[certificate] the fields %s hold %s".formatted(x.shape(), found));
            });
  }
}
