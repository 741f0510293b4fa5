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
 * A field reconstructed from readings, in physical units and double precision.
 *
 * @param problem the problem of the field
 * @param fields the samples, after a last projection in double precision
 * @param deviation entry-wise standard deviation, [1, channels, height, width]: that of the samples
 *     with the model's calibration applied, and larger when the readings are unlike all training
 *     data
 * @param distance the distance of the readings from what the training data suggest, in standard
 *     deviations(usually about 1); NaN for a model without a Gaussian prior
 * @param certificate the residual of every constraint of every sample, after that projection; the
 *     constraints that the sampler holds are satisfied within {@link Certificate#TOLERANCE}
 * @param misfits for each quantity that was read, the distance of the samples' mean from the
 *     readings
 * @param warnings how the readings differ from those of the flow's training, one line each; read
 *     them before you trust the result
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
   * Draws samples from readings and certifies them.
   *
   * @param sampler the sampler of the fields; the constraints that it holds are certified
   * @param readings the readings of one field
   * @param count the number of samples
   * @throws IllegalArgumentException when samples are not finite or miss a constraint that they
   *     should hold
   */
  public static Reconstruction of(FieldSampler sampler, Readings readings, int count, Rng rng) {
    begin(sampler, readings);
    return judged(sampler, readings, sampler.draw(readings, count, rng));
  }

  /**
   * Checks the readings before a draw: they must belong to the sampler's problem and must not
   * contradict the constraints. {@link #of} does this by itself.
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
   * Returns a reconstruction from samples that were drawn before, for programs that draw some
   * samples, show them, and draw more.
   *
   * @param drawn the samples in the normalized units of the sampler, as {@link FieldSampler#draw}
   *     returns them
   */
  public static Reconstruction judged(FieldSampler sampler, Readings readings, Ensemble drawn) {
    Problem problem = sampler.problem();
    Normalization units = sampler.normalization();
    List<Constraint> held = sampler.held(readings);
    Trust trust = Trust.of(sampler, readings);
    Tensor fields = units.denormalize(drawn.samples().to(DataType.F64));
    fields = held.isEmpty() ? fields : Certificate.polished(fields, held);
    requireHeld(fields, held, units, problem);
    List<Readings.Misfit> misfits = readings.misfit(fields);
    List<String> unlike = readings.unlike(units);
    boolean usual = unlike.isEmpty() && readings.all().stream().allMatch(r -> r.sigma() == 0);
    List<String> warnings = new ArrayList<>(readings.warnings());
    warnings.addAll(unlike);
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

  // In physical units: differences have the scale of the fields and no mean.
  private static Tensor deviation(
      FieldSampler sampler, Ensemble drawn, boolean usual, double widening) {
    Tensor normalized =
        sampler
            .calibration()
            .map(found -> usual ? found : found.cautious())
            .map(found -> found.deviation(drawn))
            .orElseGet(drawn::deviation);
    Tensor wide = normalized.to(DataType.F64).mul(widening);
    Normalization units = sampler.normalization();
    return units.denormalize(wide).sub(units.denormalize(wide.zerosLike()));
  }

  // Contradictions are reported before samples are drawn, in the units of the readings. Curved
  // constraints depend on the field and can be checked only when there is one.
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

  // Constraints of the problem that a flow without its physics does not hold.
  private static List<String> unheld(
      Tensor fields, List<Constraint> held, Normalization units, Problem problem) {
    List<Constraint> free =
        problem.constraints().stream().filter(constraint -> !held.contains(constraint)).toList();
    return Certificate.broken(fields, free, units, problem).stream()
        .map(line -> line + ": the model does not hold this constraint")
        .toList();
  }

  // A mean that misses the readings by a large part of the field's variation shows that the model
  // knows little.
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
   * Returns the samples' estimate of a quantity at a place, linear between grid points.
   *
   * @param place coordinates along the first and the second axis of the grid, preceded by the
   *     frame's coordinate if there are frames
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
