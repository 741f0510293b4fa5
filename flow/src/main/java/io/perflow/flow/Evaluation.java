package io.perflow.flow;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.metric.EnsembleScores;
import io.perflow.physics.metric.RelativeError;
import io.perflow.physics.metric.SensorMisfit;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.stream.DoubleStream;

/**
 * The errors of a system's reconstructions of held-out fields, averaged over the fields.
 *
 * @param system its name
 * @param fields how many fields
 * @param members samples per field
 * @param relativeL2 Rel-l2 of one sample, in physical units
 * @param relativeL1 Rel-l1 of one sample
 * @param meanL2 Rel-l2 of the mean of the samples
 * @param meanL1 Rel-l1 of the mean of the samples
 * @param rms root mean square error of the mean of the samples, of each quantity in its unit
 * @param physErr mean square residual of the problem's constraints, normalized units
 * @param physErrPhysical the same in physical units
 * @param misfit root mean square misfit at the sensors, normalized units
 * @param crps continuous ranked probability score, normalized units
 * @param level the probability of the central interval that {@code coverage} measures: 0.9, or with
 *     fewer than 19 members that of the interval from the smallest to the largest
 * @param coverage share of true values inside that interval; it equals the level if the samples are
 *     calibrated
 * @param calibrated the same for intervals around the mean with calibrated standard deviations; NaN
 *     for a system without calibration
 * @param reliability for each of several levels, the share of true values inside the interval (the
 *     calibrated interval if the system is calibrated)
 * @param spreadSkill ratio of spread to error of the mean; 1 if the samples are calibrated
 * @param correlation of the map of spread with the map of error
 * @param seconds wall time per sample
 */
public record Evaluation(
    String system,
    int fields,
    int members,
    double relativeL2,
    double relativeL1,
    double meanL2,
    double meanL1,
    Map<String, Double> rms,
    double physErr,
    double physErrPhysical,
    double misfit,
    double crps,
    double level,
    double coverage,
    double calibrated,
    Map<Double, Double> reliability,
    double spreadSkill,
    double correlation,
    double seconds) {

  /** Copies the errors. */
  public Evaluation {
    rms = Collections.unmodifiableMap(new LinkedHashMap<>(rms));
    reliability = Collections.unmodifiableMap(new LinkedHashMap<>(reliability));
  }

  /**
   * Reconstructs every field from its sensors.
   *
   * @param problem the system's problem, whose constraints are measured
   * @param fields normalized truth [count, channels, height, width]
   * @param planes masks of the sensors [count, planes, height, width]
   * @param readings the sensor values, noise included, [count, channels, height, width]
   * @param done receives the number of finished fields
   */
  public static Evaluation of(
      Reconstructor system,
      Problem problem,
      Normalization units,
      Tensor fields,
      Tensor planes,
      Tensor readings,
      int members,
      Rng rng,
      IntConsumer done) {
    int count = fields.dim(0);
    boolean exact = readings.sub(fields.mul(problem.expand(planes))).abs().max(false).item() == 0;
    Sums sums = new Sums(problem, units, members, calibration(system, problem, exact));
    long nanos = 0;
    for (int i = 0; i < count; i++) {
      Tensor truth = fields.slice(0, i, i + 1).contiguous();
      Observations seen =
          new Observations(
              readings.slice(0, i, i + 1).contiguous(), planes.slice(0, i, i + 1).contiguous());
      long start = System.nanoTime();
      Ensemble drawn = system.reconstruct(seen, members, rng.split(i));
      nanos += System.nanoTime() - start;
      sums.add(drawn, truth, seen);
      done.accept(i + 1);
    }
    return sums.result(system.name(), count, members, nanos * 1e-9 / count / members);
  }

  // null for none
  private static Calibration calibration(Reconstructor system, Problem problem, boolean exact) {
    if (!(system instanceof FieldSampler sampler)) {
      return null;
    }
    boolean usual = exact && sampler.problem().sensors().equals(problem.sensors());
    return sampler.calibration().map(c -> usual ? c : c.cautious()).orElse(null);
  }

  private static final class Sums {
    private final Problem problem;
    private final Normalization units;
    private final double level;
    private final double[] levels;
    private final EnsembleScores scores;
    private final Calibration calibration; // null for none
    private final double[] inside; // of the calibrated interval of each level
    private long numbers;
    private double one2;
    private double one1;
    private double mean2;
    private double mean1;
    private final double[] squares; // of the mean's errors, by quantity
    private double physErr;
    private double physErrPhysical;
    private double misfit;

    Sums(Problem problem, Normalization units, int members, Calibration calibration) {
      this.problem = problem;
      this.calibration = members > 1 ? calibration : null;
      squares = new double[problem.quantities().size()];
      this.units = units;
      // slightly less than from the smallest to the largest, which rounding could make unreachable
      level = members >= 19 ? 0.9 : (members - 1.0) / (members + 1) - 1e-9;
      levels =
          DoubleStream.concat(
                  DoubleStream.of(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8).filter(l -> l < level),
                  DoubleStream.of(level))
              .toArray();
      inside = new double[levels.length];
      scores = members > 1 ? EnsembleScores.of(levels) : EnsembleScores.of();
    }

    void add(Ensemble drawn, Tensor truth, Observations seen) {
      int components = problem.quantities().size();
      Tensor first = drawn.samples().slice(0, 0, 1).contiguous();
      Tensor exact = units.denormalize(truth);
      one2 += RelativeError.l2(units.denormalize(first), exact, components).mean().item();
      one1 += RelativeError.l1(units.denormalize(first), exact, components).mean().item();
      Tensor mean = units.denormalize(drawn.mean());
      mean2 += RelativeError.l2(mean, exact, components).mean().item();
      mean1 += RelativeError.l1(mean, exact, components).mean().item();
      Tensor errors = mean.sub(exact).square().reshape(components, mean.size() / components);
      double[] ofQuantity = errors.mean(1).toDoubles();
      Arrays.setAll(squares, q -> squares[q] + ofQuantity[q]);
      for (Constraint constraint : problem.constraints()) {
        Tensor samples = drawn.samples();
        physErr += constraint.normalized(units).meanSquare(samples).mean().item();
        physErrPhysical += constraint.meanSquare(units.denormalize(samples)).mean().item();
      }
      misfit += SensorMisfit.rms(first, seen.values(), seen.mask()).item();
      if (drawn.size() > 1) {
        scores.add(drawn.samples(), truth);
      }
      if (calibration != null) {
        count(drawn, truth);
      }
    }

    // truths inside the calibrated intervals
    private void count(Ensemble drawn, Tensor truth) {
      double[] errors = drawn.mean().sub(truth).toDoubles();
      double[] deviations = calibration.deviation(drawn).toDoubles();
      numbers += errors.length;
      for (int l = 0; l < levels.length; l++) {
        double width = Calibration.width(levels[l]);
        for (int i = 0; i < errors.length; i++) {
          inside[l] += Math.abs(errors[i]) <= width * deviations[i] ? 1 : 0;
        }
      }
    }

    private Map<Double, Double> reliability(boolean several) {
      Map<Double, Double> found = new LinkedHashMap<>();
      for (int l = 0; several && l < levels.length; l++) {
        found.put(
            levels[l], calibration == null ? scores.coverage(levels[l]) : inside[l] / numbers);
      }
      return found;
    }

    private Map<String, Double> rms(int count) {
      Map<String, Double> rms = new LinkedHashMap<>();
      for (int q = 0; q < squares.length; q++) {
        rms.put(problem.quantities().get(q).name(), Math.sqrt(squares[q] / count));
      }
      return rms;
    }

    Evaluation result(String system, int count, int members, double seconds) {
      boolean several = members > 1;
      return new Evaluation(
          system,
          count,
          members,
          one2 / count,
          one1 / count,
          mean2 / count,
          mean1 / count,
          rms(count),
          physErr / count,
          physErrPhysical / count,
          misfit / count,
          several ? scores.crps() : Double.NaN,
          several ? level : Double.NaN,
          several ? scores.coverage(level) : Double.NaN,
          calibration == null ? Double.NaN : inside[inside.length - 1] / numbers,
          reliability(several),
          several ? scores.spreadSkillRatio() : Double.NaN,
          several ? scores.spreadErrorCorrelation() : Double.NaN,
          seconds);
    }
  }

  // pairs of level and share
  private List<List<Double>> levels() {
    return reliability.entrySet().stream().map(e -> List.of(e.getKey(), e.getValue())).toList();
  }

  /** The numbers by name, for files. */
  public Map<String, Object> toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("system", system);
    json.put("fields", fields);
    json.put("members", members);
    json.put("rel_l2", relativeL2);
    json.put("rel_l1", relativeL1);
    json.put("rel_l2_mean", meanL2);
    json.put("rel_l1_mean", meanL1);
    json.put("rms", rms);
    json.put("phys_err", physErr);
    json.put("phys_err_physical", physErrPhysical);
    json.put("sensor_misfit", misfit);
    json.put("crps", crps);
    json.put("coverage_level", level);
    json.put("coverage", coverage);
    json.put("coverage_calibrated", calibrated);
    json.put("reliability", levels());
    json.put("spread_skill", spreadSkill);
    json.put("spread_error_correlation", correlation);
    json.put("seconds_per_sample", seconds);
    // scores that need several samples are NaN for a single one, which JSON cannot express
    json.values().removeIf(value -> value instanceof Double number && number.isNaN());
    return json;
  }
}
