package io.perflow.physics.equation;

import io.perflow.physics.prior.Kriging;
import io.perflow.physics.prior.Sensing;
import io.perflow.tensor.Check;
import io.perflow.tensor.Tensor;

/**
 * The prior distribution of the causes of an equation's fields. A cause is a function of
 * independent standard normal coefficients, so that a likely cause is one with small coefficients.
 */
public interface Causes {
  /** Returns the number of coefficients of a cause. */
  int rank();

  /**
   * Returns likely coefficients [batch, rank] of causes whose fields are near given ones, which
   * need not solve the equation.
   *
   * @param fields [batch, channels, height, width] in normalized units
   */
  Tensor coefficients(Tensor fields);

  /**
   * Returns coefficients [1, rank] near those that fit readings, from which to search for them.
   *
   * @param known the prior of the fields, conditioned on the sensors
   * @param values the readings, [1, readings], in normalized units
   */
  default Tensor start(Kriging known, Tensor values) {
    return coefficients(known.mean(values));
  }

  /**
   * Returns the inverse problem of finding the coefficients whose fields agree with readings.
   *
   * @param sensing the sensors, each with its noise
   * @param values the readings, [1, readings], in normalized units
   * @param accuracy the smallest error that is assumed of a reading, in normalized units
   */
  Inversion given(Sensing sensing, Tensor values, double accuracy);

  /**
   * Returns the standard deviation, for each channel, of the part of a field that no cause of this
   * distribution can produce; 0 if it is unknown.
   */
  default double rest(int channel) {
    return 0;
  }

  /**
   * Returns the errors of readings, [1, readings]: their noise and the {@linkplain #rest rest}; if
   * the rest is unknown, their noise, but at least the accuracy.
   */
  default Tensor errors(Sensing sensing, double accuracy) {
    Check.that(
        accuracy > 0 && accuracy < Double.POSITIVE_INFINITY,
        "assimilation",
        "accuracy %s: it must be positive",
        accuracy);
    double[] s = new double[sensing.size()];
    for (int i = 0; i < s.length; i++) {
      double rest = rest(sensing.channel(i));
      s[i] = rest > 0 ? Math.hypot(sensing.sigma(i), rest) : Math.max(sensing.sigma(i), accuracy);
    }
    return Tensor.of(s, 1, s.length);
  }
}
