package io.perflow.physics.constraint;

import io.perflow.physics.Normalization;
import io.perflow.tensor.Tensor;

/**
 * Exact agreement with readings: x = y at the sensors of each sample.
 *
 * <p>Its residual is the sensor misfit. Noisy readings may contradict the other constraints; for
 * them, see {@link Projector#fitting}.
 */
public final class Measured extends Prescribed {

  private Measured(Region region, Tensor readings) {
    super(region, readings);
  }

  /**
   * Prescribes readings at the places of a mask.
   *
   * @param mask the mask, 1 at a sensor, otherwise 0; of shape [height, width], [channels, height,
   *     width] or [batch, channels, height, width], extents of 1 standing for all
   * @param readings the readings, of any shape that broadcasts likewise; only those under the mask
   *     matter
   * @throws IllegalArgumentException when the mask is not of 0 and 1, or a reading is not finite
   */
  public static Measured of(Tensor mask, Tensor readings) {
    Masked masked = Masked.of("sensors", mask, readings);
    return new Measured(masked.region(), masked.values());
  }

  @Override
  public String name() {
    return "sensors";
  }

  /** Returns the readings (y - mean) / scale at the same places. */
  @Override
  public Measured normalized(Normalization units) {
    return new Measured(region(), Broadcasting.normalize(values(), units));
  }
}
