package io.perflow.flow;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.constraint.Certificate;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.Projector;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A field made from readings, all in physical units and double precision.
 *
 * @param problem what the field is of
 * @param fields the samples, after a last projection in double precision
 * @param deviation entry-wise standard deviation, [1, channels, height, width]: that of the samples
 *     with the model's calibration applied, and wider when the readings are unlike all training
 *     data
 * @param distance how far the readings lie from what training data let expect, in standard
 *     deviations, about 1 as a rule; NaN for a model without a Gaussian prior
 * @param certificate the residual of every constraint of every sample, after that projection; what
 *     the sampler holds is met within {@link Certificate#TOLERANCE}
 * @param misfits for each quantity that was read, how far the mean of the samples is from the
 *     readings
 * @param warnings in what the readings differ from those the flow was trained with, one line each;
 *     a result with warnings should not be trusted without a look at them
 */
public record Reconstruction(
    Problem problem,
    Ensemble fields,
    Tensor deviation,
    double distance,
    Certificate certificate,
    List<Readings.Misfit> misfits,
    List<String> warnings) {
  private static final double LARGE_MISFIT = 0.25;

  /** Copies the lists. */
  public Reconstruction {
    misfits = List.copyOf(misfits);
    warnings = List.copyOf(warnings);
  }

  /**
   * Reconstructs.
   *
   * @param sampler what draws the fields; what it holds exactly is certified
   * @param readings of one field
   * @param count samples
   * @throws IllegalArgumentException when samples are not finite or miss a constraint that they
   *     should hold
   */
  public static Reconstruction of(FieldSampler sampler, Readings readings, int count, Rng rng) {
    begin(sampler, readings);
    return judged(sampler, readings, sampler.draw(readings, count, rng));
  }

  /**
   * Refuses what no draw could mend: readings of another problem, and readings that contradict the
   * constraints. {@link #of} does so by itself.
   *
   * @throws IllegalArgumentException naming the difference or the contradiction
   */
  public static void begin(FieldSampler sampler, Readings readings) {
    Problem problem = sampler.problem();
    readings
        .problem()
        .difference(problem)
        .ifPresent(
            difference -> {
              throw new IllegalArgumentException(
                  "the readings are of %s, the model is for %s: %s"
                      .formatted(readings.problem().name(), problem.name(), difference));
            });
    requireAgreement(problem, sampler.held(readings));
  }

  /**
   * Judges samples that were drawn already, as {@link #of} judges its own: for programs that draw
   * some, show them, and draw more.
   *
   * @param drawn in the normalized units of the sampler, as {@link FieldSampler#draw} gives them
   */
  public static Reconstruction judged(FieldSampler sampler, Readings readings, Ensemble drawn) {
    Problem problem = sampler.problem();
    Normalization units = sampler.units();
    List<Constraint> held = sampler.held(readings);
    Trust trust = Trust.of(sampler, readings);
    Tensor fields = units.denormalize(drawn.samples().to(DataType.F64));
    fields = held.isEmpty() ? fields : Certificate.polished(fields, held);
    requireHeld(fields, held, units, problem);
    List<Readings.Misfit> misfits = readings.misfit(fields);
    List<String> unlike = readings.unlike(units);
    boolean usual = unlike.isEmpty() && readings.all().stream().allMatch(r -> r.sigma() == 0);
    List<String> warnings = new ArrayList<>(unlike);
    warnings.addAll(trust.warnings());
    warnings.addAll(sampler.warnings(readings, drawn));
    warnings.addAll(missed(misfits, problem, units));
    warnings.addAll(unheld(fields, held, units, problem));
    return new Reconstruction(
        problem,
        new Ensemble(fields),
        deviation(sampler, drawn, usual, trust.widening()),
        trust.distance(),
        Certificate.of(fields, sampler.measured(readings), units, problem),
        misfits,
        warnings);
  }

  // in physical units: differences have the scale of the fields and no mean
  private static Tensor deviation(
      FieldSampler sampler, Ensemble drawn, boolean usual, double widening) {
    Tensor normalized =
        sampler
            .calibration()
            .map(found -> usual ? found : found.cautious())
            .map(found -> found.deviation(drawn))
            .orElseGet(drawn::deviation);
    Tensor wide = normalized.to(DataType.F64).mul(widening);
    Normalization units = sampler.units();
    return units.denormalize(wide).sub(units.denormalize(wide.zerosLike()));
  }

  // Contradictions are told before the samples are drawn, and in the units of the readings. Curved
  // constraints depend on the field and must wait for one.
  private static void requireAgreement(Problem problem, List<Constraint> held) {
    Projector all = Projector.onto(held);
    if (all.convex()) {
      try (Scope _ = Scope.open()) {
        all.project(Tensor.zeros(problem.batch(1).toArray()).to(DataType.F64));
      }
    }
  }

  private static void requireHeld(
      Tensor fields, List<Constraint> held, Normalization units, Problem problem) {
    List<String> broken = Certificate.broken(fields, held, units, problem);
    if (!broken.isEmpty()) {
      throw new IllegalArgumentException(
          ("[certificate] the samples do not satisfy their constraints: %s; the readings or the"
                  + " constraints lie too far outside the training data to be met in double"
                  + " precision: check their values and units")
              .formatted(String.join("; ", broken)));
    }
  }

  // constraints of the problem that a flow without its physics does not hold
  private static List<String> unheld(
      Tensor fields, List<Constraint> held, Normalization units, Problem problem) {
    List<Constraint> free =
        problem.constraints().stream().filter(constraint -> !held.contains(constraint)).toList();
    return Certificate.broken(fields, free, units, problem).stream()
        .map(line -> line + ": the model does not hold this constraint")
        .toList();
  }

  // A mean that leaves its readings by a good part of what the field varies anyway knows little.
  private static List<String> missed(
      List<Readings.Misfit> misfits, Problem problem, Normalization units) {
    List<String> warnings = new ArrayList<>();
    for (Readings.Misfit misfit : misfits) {
      int channel = problem.channel(problem.quantity(misfit.quantity().name()), 0);
      double share = misfit.rms() / units.scale().get(channel);
      if (share > LARGE_MISFIT) {
        warnings.add(
            String.format(
                Locale.ROOT,
                "%s, which is %.0f %% of its usual deviation: the flow has not learnt to follow"
                    + " such readings; train it longer, or demand agreement (--exact-sensors,"
                    + " Agreement.EXACT)",
                misfit,
                100 * share));
      }
    }
    return warnings;
  }

  /**
   * What the samples say about a quantity at a place, linear between grid points.
   *
   * @param place coordinates along the first and the second axis of the grid; with frames the
   *     frame's coordinate before them
   */
  public Estimate at(String quantity, double... place) {
    Readings.Reading row = Readings.of(problem).at(quantity, 0, place).build().all().getFirst();
    double[] values = fields.samples().toDoubles();
    int cells = problem.grid().cells();
    double[] samples = new double[fields.size()];
    double[] bars = deviation.toDoubles();
    double wanted = 0;
    for (int i = 0; i < row.cells().length; i++) {
      int cell = row.channel() * cells + row.cells()[i];
      wanted += row.weights()[i] * bars[cell];
      for (int s = 0; s < samples.length; s++) {
        int sample = s * problem.channelCount() * cells;
        samples[s] += row.weights()[i] * values[sample + cell];
      }
    }
    return Estimate.of(problem.quantities().get(problem.quantity(quantity)), samples, wanted);
  }
}
