package io.perflow.flow;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * The errors of a system's reconstructions of held-out fields, averaged over the fields.
 *
 * @param system the system's name
 * @param fields the number of fields
 * @param members the number of samples per field
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
 * @param calibrated the coverage of intervals around the mean with calibrated standard deviations;
 *     NaN for a system without calibration
 * @param reliability for each of several levels, the share of true values inside the interval (the
 *     calibrated interval if the system is calibrated)
 * @param spreadSkill ratio of spread to error of the mean; 1 if the samples are calibrated
 * @param correlation the correlation of the map of spread with the map of error
 * @param seconds the wall time per sample
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
   * Reconstructs every field from its sensors and averages the errors.
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
    boolean exact = Judge.exact(problem, fields, planes, readings);
    Judge judge = new Judge(system, problem, units, members, exact);
    Observations seen = new Observations(readings, planes);
    List<FieldErrors> errors = new ArrayList<>();
    for (int i = 0; i < fields.dim(0); i++) {
      Tensor truth = fields.slice(0, i, i + 1).contiguous();
      errors.add(judge.errors(truth, seen.select(i), rng.split(i)));
      done.accept(i + 1);
    }
    return judge.mean(errors);
  }

  // pairs of level and share
  private List<List<Double>> levels() {
    return reliability.entrySet().stream().map(e -> List.of(e.getKey(), e.getValue())).toList();
  }

  /** Returns the numbers by name, for files. */
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
