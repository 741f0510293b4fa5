package io.perflow.flow;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.prior.GaussianPrior;
import io.perflow.physics.prior.Kriging;
import io.perflow.physics.prior.Sensing;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.stream.IntStream;

/**
 * The knowledge of a Gaussian prior about one field from its readings, in normalized units.
 *
 * @param kriging the prior conditioned on the sensors
 * @param values the readings, [1, readings], F64
 */
record Known(Kriging kriging, Tensor values) {
  /**
   * The error, in standard deviations of the fields, that readings are assumed to have when they
   * are checked for plausibility: a table omits digits, and a field may have details that no
   * training field had.
   */
  static final double TOLERANCE = 0.02;

  /**
   * Returns what is known from values and mask on the grid; the noise of all readings has the same
   * standard deviation.
   */
  static Known of(GaussianPrior prior, Problem problem, Observations seen, double sigma) {
    Sensing sensing = Sensing.of(problem, seen.planes(), sigma);
    return new Known(prior.given(sensing), sensing.read(seen.values()));
  }

  /** Returns what is known from a user's readings, at their places and with their noise. */
  static Known of(GaussianPrior prior, Readings readings, Normalization units) {
    return new Known(prior.given(Sensing.of(readings, units)), Sensing.values(readings, units));
  }

  /** Returns the best guess, [1, channels, height, width]. */
  Tensor mean() {
    return kriging.mean(values);
  }

  /** Returns a sample for each generator, [samples, channels, height, width]. */
  Tensor samples(Rng... rngs) {
    Tensor[] coefficients = new Tensor[rngs.length];
    for (int i = 0; i < rngs.length; i++) {
      coefficients[i] = kriging.sampleCoefficients(values, rngs[i]);
    }
    return kriging.prior().fields(Tensor.concat(0, coefficients));
  }

  /** Returns the distance of the readings from the prior's expectation, in standard deviations. */
  double distance() {
    return kriging.distance(values)[0];
  }

  /**
   * A reading's number and its distance, in standard deviations, from what all other readings
   * predict.
   */
  record Worst(int reading, double distance) {}

  /** Returns the reading that lies farthest from what all other readings predict. */
  Worst worst() {
    double[] distances = kriging.outlying(values);
    Worst worst = new Worst(0, 0);
    for (int i = 0; i < distances.length; i++) {
      double distance = Math.abs(distances[i]);
      worst = distance > worst.distance ? new Worst(i, distance) : worst;
    }
    return worst;
  }

  /** Returns what is known without one of the readings. */
  Known without(int reading) {
    int[] others = IntStream.range(0, kriging.sensing().size()).filter(i -> i != reading).toArray();
    return new Known(
        kriging.prior().given(kriging.sensing().select(others)), values.gather(1, others));
  }

  /**
   * Returns the typical standard deviation of the noise, [1, 1, 1, 1]; 0 for exact readings or
   * none.
   */
  Tensor noise() {
    double sum = 0;
    int count = kriging.sensing().size();
    for (int i = 0; i < count; i++) {
      sum += Math.pow(kriging.sensing().sigma(i), 2);
    }
    return Tensor.of(new float[] {(float) Math.sqrt(count == 0 ? 0 : sum / count)}, 1, 1, 1, 1);
  }
}
