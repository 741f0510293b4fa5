package io.perflow.flow;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.metric.EnsembleScores;
import io.perflow.physics.metric.RelativeError;
import io.perflow.physics.metric.SensorMisfit;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/**
 * A judge of a system's reconstructions, one held-out field at a time, so that fields can be judged
 * in different processes: {@link #errors} in each of them, then {@link #mean} in one. The numbers
 * do not depend on where a field was judged. {@link Evaluation#of} does all of it in one process.
 */
public final class Judge {
  private final Reconstructor system;
  private final Problem problem;
  private final Normalization units;
  private final int members;
  private final Calibration calibration; // null for none
  private final double level;
  private final double[] levels;

  /**
   * Creates a judge of a system.
   *
   * @param problem the problem whose constraints are measured
   * @param members the number of samples per field
   * @param exact whether the readings of all fields are without noise; see {@link #exact}
   */
  public Judge(
      Reconstructor system, Problem problem, Normalization units, int members, boolean exact) {
    this.system = system;
    this.problem = problem;
    this.units = units;
    this.members = members;
    calibration = members > 1 ? calibration(system, problem, exact) : null;
    // Slightly narrower than from the smallest to the largest sample, because rounding could make
    // that level unreachable.
    level = members >= 19 ? 0.9 : (members - 1.0) / (members + 1) - 1e-9;
    levels =
        DoubleStream.concat(
                DoubleStream.of(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8).filter(l -> l < level),
                DoubleStream.of(level))
            .toArray();
  }

  /**
   * Returns whether readings [count, channels, height, width] are the fields' own values at the
   * sensors.
   */
  public static boolean exact(Problem problem, Tensor fields, Tensor planes, Tensor readings) {
    return readings.sub(fields.mul(problem.expand(planes))).abs().max(false).item() == 0;
  }

  // null for none
  private static Calibration calibration(Reconstructor system, Problem problem, boolean exact) {
    if (!(system instanceof FieldSampler sampler)) {
      return null;
    }
    boolean usual = exact && sampler.problem().sensors().equals(problem.sensors());
    return sampler.calibration().map(c -> usual ? c : c.cautious()).orElse(null);
  }

  /**
   * Reconstructs one field and measures the errors.
   *
   * @param truth the field, normalized, [1, channels, height, width]
   */
  public FieldErrors errors(Tensor truth, Observations seen, Rng rng) {
    long start = System.nanoTime();
    Ensemble drawn = system.reconstruct(seen, members, rng);
    double seconds = (System.nanoTime() - start) * 1e-9;
    int quantities = problem.quantities().size();
    Tensor samples = drawn.samples();
    Tensor first = samples.slice(0, 0, 1).contiguous();
    Tensor one = units.denormalize(first);
    Tensor exact = units.denormalize(truth);
    Tensor mean = units.denormalize(drawn.mean());
    Tensor squares = mean.sub(exact).square().reshape(quantities, mean.size() / quantities);
    double physErr = 0;
    double physErrPhysical = 0;
    for (Constraint constraint : problem.constraints()) {
      physErr += constraint.normalized(units).meanSquare(samples).mean().item();
      physErrPhysical += constraint.meanSquare(units.denormalize(samples)).mean().item();
    }
    EnsembleScores scores = scores();
    if (members > 1) {
      scores.add(samples, truth);
    }
    return new FieldErrors(
        RelativeError.l2(one, exact, quantities).mean().item(),
        RelativeError.l1(one, exact, quantities).mean().item(),
        RelativeError.l2(mean, exact, quantities).mean().item(),
        RelativeError.l1(mean, exact, quantities).mean().item(),
        squares.mean(1).toDoubles(),
        physErr,
        physErrPhysical,
        SensorMisfit.rms(first, seen.values(), seen.mask()).item(),
        scores,
        inside(drawn, truth),
        truth.size(),
        seconds);
  }

  private EnsembleScores scores() {
    return members > 1 ? EnsembleScores.of(levels) : EnsembleScores.of();
  }

  // Counts the true values inside the calibrated interval of each level.
  private double[] inside(Ensemble drawn, Tensor truth) {
    if (calibration == null) {
      return new double[0];
    }
    double[] errors = drawn.mean().sub(truth).toDoubles();
    double[] deviations = calibration.deviation(drawn).toDoubles();
    double[] inside = new double[levels.length];
    for (int l = 0; l < levels.length; l++) {
      double width = Calibration.width(levels[l]);
      for (int i = 0; i < errors.length; i++) {
        inside[l] += Math.abs(errors[i]) <= width * deviations[i] ? 1 : 0;
      }
    }
    return inside;
  }

  /**
   * Returns the mean of the errors of all fields, in the order of the fields, because sums in
   * another order are rounded differently.
   */
  public Evaluation mean(List<FieldErrors> fields) {
    boolean several = members > 1;
    EnsembleScores scores = scores();
    fields.forEach(field -> scores.add(field.scores()));
    Map<Double, Double> reliability = new LinkedHashMap<>();
    for (int l = 0; several && l < levels.length; l++) {
      reliability.put(
          levels[l], calibration == null ? scores.coverage(levels[l]) : inside(fields, l));
    }
    return new Evaluation(
        system.name(),
        fields.size(),
        members,
        mean(fields, FieldErrors::relativeL2),
        mean(fields, FieldErrors::relativeL1),
        mean(fields, FieldErrors::meanL2),
        mean(fields, FieldErrors::meanL1),
        rms(fields),
        mean(fields, FieldErrors::physErr),
        mean(fields, FieldErrors::physErrPhysical),
        mean(fields, FieldErrors::misfit),
        several ? scores.crps() : Double.NaN,
        several ? level : Double.NaN,
        several ? scores.coverage(level) : Double.NaN,
        calibration == null ? Double.NaN : inside(fields, levels.length - 1),
        reliability,
        several ? scores.spreadSkillRatio() : Double.NaN,
        several ? scores.spreadErrorCorrelation() : Double.NaN,
        mean(fields, FieldErrors::seconds) / members);
  }

  private static double sum(List<FieldErrors> fields, ToDoubleFunction<FieldErrors> error) {
    double sum = 0;
    for (FieldErrors field : fields) {
      sum += error.applyAsDouble(field);
    }
    return sum;
  }

  private static double mean(List<FieldErrors> fields, ToDoubleFunction<FieldErrors> error) {
    return sum(fields, error) / fields.size();
  }

  // The share of all entries inside the calibrated interval of a level.
  private static double inside(List<FieldErrors> fields, int level) {
    return sum(fields, field -> field.inside()[level]) / sum(fields, FieldErrors::entries);
  }

  private Map<String, Double> rms(List<FieldErrors> fields) {
    Map<String, Double> rms = new LinkedHashMap<>();
    for (int q = 0; q < problem.quantities().size(); q++) {
      int quantity = q;
      double square = mean(fields, field -> field.squares()[quantity]);
      rms.put(problem.quantities().get(q).name(), Math.sqrt(square));
    }
    return rms;
  }
}
