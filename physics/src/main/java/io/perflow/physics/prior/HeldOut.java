package io.perflow.physics.prior;

import io.perflow.physics.Problem;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.Cholesky;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A rating of covariances by the likelihood of readings of held-out fields. The sensors are drawn
 * from the problem's distribution of sensors.
 */
final class HeldOut {
  /** The smallest nugget: rounding of single precision. */
  static final double FLOOR = 1e-5;

  private static final double[] SHRINKAGES = {0, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.75, 1};
  private static final int MASKS = 3;
  private static final int MOST = 600; // readings of a mask
  // With fewer readings than this, the problem's sensors say too little about correlations, so
  // random grid points are added; held-out fields are known everywhere.
  private static final int FEWEST = 64;

  private final Problem problem;
  private final Tensor fields;
  private final List<Sensing> sensors = new ArrayList<>();

  private HeldOut(Problem problem, Tensor fields) {
    this.problem = problem;
    this.fields = fields;
    Rng rng = Rng.of(1).split("prior");
    for (int m = 0; m < MASKS; m++) {
      sensors.add(draw(rng));
    }
  }

  /** Creates a rating by fields [fields, channels, height, width]. */
  static HeldOut of(Problem problem, Tensor fields) {
    return new HeldOut(problem, fields);
  }

  private Sensing draw(Rng rng) {
    Sensing all = Sensing.of(problem, problem.masks().draw(rng, 1), 0);
    int[] some = rng.choice(all.size(), Math.min(all.size(), MOST));
    Arrays.sort(some);
    if (some.length >= FEWEST) {
      return all.select(some);
    }
    int length = problem.batch(1).size();
    IntStream more = Arrays.stream(rng.choice(length, Math.min(length, FEWEST - some.length)));
    IntStream both = IntStream.concat(Arrays.stream(all.entries()), more);
    return Sensing.at(problem, both.distinct().sorted().toArray(), 0);
  }

  /** A choice and the log-likelihood that it gives to a reading, summed over masks. */
  record Choice(Candidate candidate, double shrinkage, double likelihood) {}

  /** Returns the best candidate and the best amount of shrinkage. */
  Choice best(List<Candidate> candidates, Tensor mean) {
    Choice best = new Choice(candidates.getFirst(), 0, Double.NEGATIVE_INFINITY);
    for (Candidate candidate : candidates) {
      Cancellation.check();
      double[] likelihoods = likelihoods(candidate, mean);
      for (int i = 0; i < likelihoods.length; i++) {
        if (likelihoods[i] > best.likelihood) {
          // A candidate that has no entries to shrink is as good as a completely shrunk one.
          best = new Choice(candidate, candidate.shrinks() ? SHRINKAGES[i] : 1, likelihoods[i]);
        }
      }
    }
    return best;
  }

  // One number for each shrinkage, or a single one where there is no choice.
  private double[] likelihoods(Candidate candidate, Tensor mean) {
    double[] result = new double[candidate.shrinks() ? SHRINKAGES.length : 1];
    for (Sensing sensing : sensors) {
      try (Scope _ = Scope.open()) {
        Tensor full = candidate.ofReadings(sensing, 0);
        Tensor least = candidate.shrinks() ? candidate.ofReadings(sensing, 1) : full;
        Tensor y = sensing.read(fields).sub(sensing.read(mean));
        double[] nuggets = new double[sensing.size()];
        Arrays.setAll(nuggets, i -> Math.max(candidate.lost()[sensing.channel(i)], FLOOR * FLOOR));
        for (int i = 0; i < result.length; i++) {
          double a = SHRINKAGES[i];
          Tensor mixed = result.length == 1 ? full : full.mul(1 - a).add(least.mul(a));
          result[i] += logLikelihood(mixed, nuggets, y);
        }
      }
    }
    return result;
  }

  /**
   * Returns the factor of a prior's nuggets that makes the readings most likely.
   *
   * @param from the first channel whose nugget is multiplied
   * @param factors the factors to choose from
   */
  double nuggetFactor(GaussianPrior prior, int from, double... factors) {
    double[] sums = new double[factors.length];
    for (Sensing sensing : sensors) {
      try (Scope _ = Scope.open()) {
        Tensor w = prior.modes().gather(0, sensing.entries()).to(DataType.F64);
        Tensor covariance = w.matmul(w.transpose());
        Tensor y = sensing.read(fields).sub(sensing.read(prior.mean()));
        for (int i = 0; i < sums.length; i++) {
          double[] nuggets = new double[sensing.size()];
          for (int s = 0; s < nuggets.length; s++) {
            int channel = sensing.channel(s);
            double factor = channel < from ? 1 : factors[i];
            nuggets[s] = Math.pow(factor * prior.nugget(channel), 2);
          }
          sums[i] += logLikelihood(covariance, nuggets, y);
        }
      }
    }
    double best = Double.NEGATIVE_INFINITY;
    double chosen = 1;
    for (int i = 0; i < sums.length; i++) {
      chosen = sums[i] > best ? factors[i] : chosen;
      best = Math.max(best, sums[i]);
    }
    return chosen;
  }

  // The log-likelihood of a reading, without the constant, averaged over the fields y [fields, k].
  private static double logLikelihood(Tensor covariance, double[] nuggets, Tensor y) {
    int k = nuggets.length;
    double[] c = covariance.toDoubles();
    for (int i = 0; i < k; i++) {
      c[i * k + i] += nuggets[i];
    }
    try {
      Cholesky factor = Cholesky.of(Tensor.of(c, k, k));
      double squares = factor.lower(y.transpose().contiguous()).square().sum().item() / y.dim(0);
      return -0.5 * (squares + factor.logDeterminant()) / k;
    } catch (IllegalArgumentException e) { // not positive definite up to rounding: a bad choice
      return Double.NEGATIVE_INFINITY;
    }
  }
}
