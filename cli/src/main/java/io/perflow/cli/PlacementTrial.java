package io.perflow.cli;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.prior.Candidates;
import io.perflow.physics.prior.GaussianPrior;
import io.perflow.physics.prior.Placement;
import io.perflow.physics.prior.Sensing;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A trial that reconstructs fields that the prior has not seen from the first sensors of a
 * placement, and from as many sensors of simple layouts.
 *
 * @param prior the prior of the fields
 * @param placement the placement that is tried
 * @param sigma the standard deviation of the readings' noise, normalized
 * @param fields the true fields, normalized, [fields, channels, height, width]
 */
record PlacementTrial(GaussianPrior prior, Placement placement, double sigma, Tensor fields) {
  private static final int LAYOUTS = 5; // random layouts, whose errors are averaged

  /**
   * The errors from this number of sensors.
   *
   * @param sensors the number of sensors
   * @param placed the root mean square error of each quantity in its unit, with the placed sensors
   * @param even the error with evenly spread sensors
   * @param random the error with random sensors, averaged over several layouts
   */
  record Row(int sensors, double[] placed, double[] even, double[] random) {}

  /** Returns the errors from 1, 2, 5, 10, 20 … sensors and from all. */
  List<Row> rows(Normalization units, long seed, Progress progress) {
    Candidates from = placement.candidates();
    Rng rng = Rng.of(seed);
    List<Row> rows = new ArrayList<>();
    int[] counts = counts(placement.size());
    for (int n : counts) {
      double[] placed = errors(placement.sensing(n), rng);
      double[] even = errors(from.sensing(from.even(n), sigma), rng);
      double[] random = new double[placed.length];
      for (int i = 0; i < LAYOUTS; i++) {
        int[] layout = from.random(rng.split("layouts").split(n).split(i), n);
        double[] errors = errors(from.sensing(layout, sigma), rng);
        Arrays.setAll(random, q -> random[q] + errors[q] / LAYOUTS);
      }
      rows.add(new Row(n, scaled(placed, units), scaled(even, units), scaled(random, units)));
      progress.at(rows.size());
    }
    return rows;
  }

  static int[] counts(int most) {
    List<Integer> counts = new ArrayList<>();
    for (int decade = 1; decade <= most && decade > 0; decade *= 10) {
      for (int factor : new int[] {1, 2, 5}) {
        if ((long) factor * decade < most) {
          counts.add(factor * decade);
        }
      }
    }
    counts.add(most);
    return counts.stream().mapToInt(n -> n).toArray();
  }

  // The error of each quantity, normalized.
  private double[] errors(Sensing sensing, Rng rng) {
    try (Scope _ = Scope.open()) {
      Tensor read = sensing.read(fields);
      Tensor noise = rng.split("noise").normal(Shape.of(read.dim(0), read.dim(1)));
      Tensor values = read.add(noise.to(DataType.F64).mul(sigma));
      Tensor misses = prior.given(sensing).mean(values).sub(fields.to(DataType.F32));
      double[] squares = misses.square().mean(0, 2, 3).toDoubles();
      Problem problem = prior.problem();
      double[] result = new double[problem.quantities().size()];
      for (int c = 0; c < squares.length; c++) {
        result[c / problem.frameCount()] += squares[c] / problem.frameCount();
      }
      Arrays.setAll(result, q -> Math.sqrt(result[q]));
      return result;
    }
  }

  private double[] scaled(double[] errors, Normalization units) {
    double[] result = new double[errors.length];
    Arrays.setAll(result, q -> errors[q] * units.scale().get(prior.problem().channel(q, 0)));
    return result;
  }
}
