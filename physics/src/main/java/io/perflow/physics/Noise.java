package io.perflow.physics;

import io.perflow.tensor.Check;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;

/**
 * The errors of sensors: y = M ⊙ (x + level · σ · ξ) with standard normal ξ.
 *
 * <p>σ is the standard deviation of the values that the sensors of a channel see in a sample, so
 * that a level of 0.05 is five per cent of this number in any units of the channel: noise added
 * before or after {@linkplain Normalization normalization} is the same noise.
 *
 * @param level the size of the errors relative to σ; 0 for perfect sensors
 */
public record Noise(double level) {

  public Noise {
    Check.that(
        level >= 0 && Double.isFinite(level),
        "noise",
        "the level %s must be a finite number from 0 on; 0.05 means five per cent",
        level);
  }

  /** Returns the noise of perfect sensors, which is none. */
  public static Noise none() {
    return new Noise(0);
  }

  /**
   * Returns the readings of sensors.
   *
   * @param fields x, of shape [batch, channels, height, width]
   * @param mask M, of the same shape, ones at the sensors and zeros elsewhere
   * @param rng source of the errors; not used for perfect sensors
   * @return y, zero where there is no sensor
   */
  public Tensor observe(Tensor fields, Tensor mask, Rng rng) {
    Check.sameShape("noise", "the mask", mask, fields.shape());
    Tensor seen = fields.mul(mask);
    if (level == 0) {
      return seen;
    }
    Tensor count = mask.sum(true, 2, 3).clamp(1, mask.size()); // no sensor: no division by 0
    Tensor mean = seen.sum(true, 2, 3).div(count);
    Tensor deviation = fields.sub(mean).square().mul(mask).sum(true, 2, 3).div(count).sqrt();
    Tensor errors = rng.normal(fields.device(), fields.shape(), fields.type());
    return seen.add(errors.mul(mask).mul(deviation).mul(level));
  }
}
