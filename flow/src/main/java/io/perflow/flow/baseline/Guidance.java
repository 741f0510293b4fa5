package io.perflow.flow.baseline;

import io.perflow.flow.Observations;
import io.perflow.physics.Normalization;
import io.perflow.physics.residual.PdeResidual;
import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;
import java.util.List;

/**
 * The loss that guides the samples of an unconditional diffusion to the readings and the equation:
 * Σ_c ζ_c ‖M (x - y)_c‖₂ + ζ_pde ‖r(x)‖₂ / n, with unsquared norms, in physical units, over the
 * components c of the field; r is the residual of the equation at n points.
 *
 * @param observation the weight ζ_c of each component
 * @param perReading whether the norms at the sensors are divided by the number of readings
 * @param pde the weight ζ_pde
 * @param residual the equation
 */
public record Guidance(
    List<Double> observation, boolean perReading, double pde, PdeResidual residual) {

  // Below the rounding of any norm here; a norm of exactly 0 has no derivative.
  private static final double TINY = 1e-30;

  /** Copies the weights. */
  public Guidance {
    observation = List.copyOf(observation);
  }

  /** Returns the same with all weights multiplied. */
  public Guidance scaled(double observations, double equation) {
    return new Guidance(
        observation.stream().map(weight -> weight * observations).toList(),
        perReading,
        pde * equation,
        residual);
  }

  /** Returns the number of terms of the loss: one for each component and one for the equation. */
  int terms() {
    return observation.size() + (pde == 0 ? 0 : 1);
  }

  /**
   * Returns the weight of a term at a step: at first only the readings count, later a tenth of
   * their weight and the equation.
   */
  double share(int term, boolean late) {
    if (term < observation.size()) {
      return late ? 0.1 : 1;
    }
    return late ? 1 : 0;
  }

  /**
   * Returns a weighted term, summed over the batch; its gradient is that of each field on its own.
   *
   * @param x the fields in physical units, F64
   * @param y the readings of one field in physical units
   * @param mask the mask of these readings
   */
  Tensor term(int index, Tensor x, Tensor y, Tensor mask) {
    if (index == observation.size()) {
      Tensor r = residual.residual(x);
      return norm(r).sum().mul(pde * r.dim(0) / r.size());
    }
    int channels = x.dim(1);
    int components = observation.size();
    Check.that(
        channels % components == 0,
        "guidance",
        "%d weights for fields of %d channels",
        components,
        channels);
    int from = index * (channels / components);
    int to = from + channels / components;
    Tensor seen = mask.slice(1, from, to);
    Tensor misfit = x.slice(1, from, to).sub(y.slice(1, from, to)).mul(seen);
    double readings = perReading ? Math.max(1, seen.sum().item()) : 1;
    return norm(misfit).sum().mul(observation.get(index) / readings);
  }

  /** Returns the sum of all terms with a weight. */
  Tensor loss(Tensor x, Tensor y, Tensor mask, boolean late) {
    Tensor total = null;
    for (int i = 0; i < terms(); i++) {
      double share = share(i, late);
      if (share != 0) {
        Tensor term = term(i, x, y, mask).mul(share);
        total = total == null ? term : total.add(term);
      }
    }
    return total;
  }

  // Returns ‖x‖₂ of each sample.
  private static Tensor norm(Tensor x) {
    return x.square().sum(1, 2, 3).add(TINY).sqrt();
  }

  /** Returns the readings of one field in physical units, F64, zero where there is no sensor. */
  static Tensor readings(Observations seen, Normalization units) {
    Tensor values = units.denormalize(seen.values().to(DataType.F64));
    return values.mul(seen.mask().to(DataType.F64));
  }
}
