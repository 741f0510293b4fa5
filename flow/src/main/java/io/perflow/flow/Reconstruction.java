package io.perflow.flow;

import io.perflow.physics.Benchmark;
import io.perflow.physics.Normalization;
import io.perflow.physics.constraint.Certificate;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.metric.SensorMisfit;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.List;

/**
 * A field made from readings, all in physical units and double precision.
 *
 * @param fields the samples, after a last projection in double precision
 * @param certificate the residual of every constraint of every sample, after that projection
 * @param misfit root mean square of what the mean misses the readings by
 */
public record Reconstruction(Ensemble fields, Certificate certificate, double misfit) {

  /**
   * Reconstructs.
   *
   * @param sampler draws from {@code flow}; what it holds exactly is certified
   * @param readings of one field
   * @param count samples
   */
  public static Reconstruction of(
      RectifiedFlow flow, FlowSampler sampler, Observations readings, int count, Rng rng) {
    Normalization units = flow.config().units();
    Observations seen = Observations.of(units.normalize(readings.values()), readings.planes());
    Tensor drawn = sampler.reconstruct(seen, count, rng).samples().to(DataType.F64);
    List<Constraint> held = sampler.held(readings);
    Tensor fields = units.denormalize(drawn);
    fields = held.isEmpty() ? fields : Certificate.polished(fields, held);
    List<Constraint> measured = held.isEmpty() ? physics(flow) : held;
    Ensemble result = new Ensemble(fields);
    double misfit = SensorMisfit.rms(result.mean(), readings.values(), readings.mask()).item();
    return new Reconstruction(result, Certificate.of(fields, measured, units), misfit);
  }

  private static List<Constraint> physics(RectifiedFlow flow) {
    return Benchmark.of(flow.config().benchmark()).constraints();
  }
}
