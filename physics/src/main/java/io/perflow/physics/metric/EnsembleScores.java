package io.perflow.physics.metric;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.Serializable;
import java.util.Arrays;

/**
 * Scores of the uncertainty of ensembles of K reconstructions, over any number of fields.
 *
 * <pre>{@code
 * EnsembleScores scores = EnsembleScores.of(0.5, 0.9);
 * for (…) scores.add(members, truth); // [K, C, H, W] and [C, H, W]
 * scores.crps(); scores.coverage(0.9); scores.spreadSkillRatio(); …
 * }</pre>
 *
 * <p>All entries of all fields count equally, so channels of different units should be scored
 * apart. An ensemble is reliable when its members and the truth are draws of the same distribution:
 * then coverage equals its level, the spread-skill ratio is 1 and the rank histogram is flat.
 */
public final class EnsembleScores implements Serializable {
  private static final long serialVersionUID = 1;

  private final double[] levels;
  private final double[] covered;
  private double[] ranks = {};
  private int members;
  private long entries;
  private double distance; // Σ over entries of the mean of |x_i - y|
  private double pairs; // Σ over entries of Σ_{i<j} |x_i - x_j|
  private double variance; // Σ over entries of Σ_i (x_i - mean)² / (K - 1)
  private double squaredError; // Σ over entries of (mean - y)²
  private double correlation; // the number of maps that have one
  private int correlations;

  private EnsembleScores(double[] levels) {
    this.levels = levels;
    this.covered = new double[levels.length];
  }

  /**
   * Creates scores that count the coverage of central intervals of these levels, each between 0 and
   * 1.
   */
  public static EnsembleScores of(double... levels) {
    for (double level : levels) {
      if (!(level > 0 && level < 1)) {
        throw new IllegalArgumentException(
            "a central interval has a level between 0 and 1, not " + level);
      }
    }
    return new EnsembleScores(levels.clone());
  }

  /**
   * Adds one field.
   *
   * @param ensemble K reconstructions of it, [K, channels, height, width], K at least 2 and the
   *     same in every call
   * @param truth the field, [channels, height, width] or with an axis of 1 before
   * @throws IllegalArgumentException when a number is not finite, or when K is too small for a
   *     level: an interval of level q needs K &ge; (1 + q) / (1 - q)
   */
  public void add(Tensor ensemble, Tensor truth) {
    check(ensemble, truth);
    double[] x = finite("the ensemble", ensemble);
    double[] y = finite("the truth", truth);
    if (members == 0) {
      members = ensemble.dim(0);
      ranks = new double[members + 1];
    }
    double[] spread = new double[y.length];
    double[] error = new double[y.length];
    double[] anomaly = new double[members]; // x_i - y, sorted
    for (int e = 0; e < y.length; e++) {
      double mean = 0;
      for (int i = 0; i < members; i++) {
        anomaly[i] = x[i * y.length + e] - y[e];
        mean += anomaly[i] / members;
      }
      double squares = 0;
      for (double a : anomaly) {
        squares += (a - mean) * (a - mean);
      }
      Arrays.sort(anomaly);
      countDistances(anomaly);
      countRank(anomaly);
      countCoverage(anomaly);
      variance += squares / (members - 1);
      squaredError += mean * mean;
      spread[e] = Math.sqrt(squares);
      error[e] = Math.abs(mean);
    }
    entries += y.length;
    correlate(spread, error, y.length / ensemble.dim(1));
  }

  /**
   * Adds the fields of other scores, such as those of another process.
   *
   * @throws IllegalArgumentException when they count other levels or have other ensemble sizes
   */
  public void add(EnsembleScores other) {
    String op = "ensemble scores";
    Check.that(
        Arrays.equals(levels, other.levels),
        op,
        "levels %s cannot be added to %s",
        Arrays.toString(other.levels),
        Arrays.toString(levels));
    if (other.members == 0) {
      return;
    }
    Check.that(
        members == 0 || other.members == members,
        op,
        "%d members after ensembles of %d",
        other.members,
        members);
    members = other.members;
    ranks = ranks.length == 0 ? new double[members + 1] : ranks;
    Arrays.setAll(ranks, i -> ranks[i] + other.ranks[i]);
    Arrays.setAll(covered, i -> covered[i] + other.covered[i]);
    entries += other.entries;
    distance += other.distance;
    pairs += other.pairs;
    variance += other.variance;
    squaredError += other.squaredError;
    correlation += other.correlation;
    correlations += other.correlations;
  }

  /**
   * Returns the continuous ranked probability score of the ensemble as it is, mean|x_i - y| -
   * Σ_{ij}|x_i - x_j| / 2K²: the mean absolute error when all members agree. Smaller is better.
   */
  public double crps() {
    return (distance - pairs / ((double) members * members)) / some();
  }

  /**
   * Returns the CRPS that an ensemble of the same distribution with infinitely many members is
   * expected to have: pairs are divided by 2K(K - 1) (Ferro 2014). It is comparable between
   * ensembles of different size.
   */
  public double fairCrps() {
    return (distance - pairs / (members * (members - 1.0))) / some();
  }

  /**
   * Returns the fraction of entries where the truth lies in the central interval of a level, ends
   * included.
   *
   * <p>The ends are the quantiles at (1 ∓ level)/2, where the j-th smallest of K members counts as
   * the quantile j/(K + 1), with a straight line between: the probability that a draw of the same
   * distribution lies below it. Other conventions, NumPy's default among them, give intervals that
   * are too narrow for small ensembles.
   */
  public double coverage(double level) {
    for (int i = 0; i < levels.length; i++) {
      if (levels[i] == level) {
        return covered[i] / some();
      }
    }
    throw new IllegalArgumentException(
        "level %s is not counted; counted: %s".formatted(level, Arrays.toString(levels)));
  }

  /** Returns the root of the mean ensemble variance (divided by K - 1) over all entries. */
  public double spread() {
    return Math.sqrt(variance / some());
  }

  /** Returns the root of the mean square error of the ensemble mean. */
  public double skill() {
    return Math.sqrt(squaredError / some());
  }

  /**
   * Returns √((K + 1)/K) · spread / skill, which is 1 for a reliable ensemble of any size (Fortin
   * et al. 2014); below 1 the ensemble is overconfident. 2014); below 1 it is overconfident.
   */
  public double spreadSkillRatio() {
    return Math.sqrt((members + 1.0) / members) * spread() / skill();
  }

  /**
   * Returns how often 0, 1, … K members lie below the truth, as fractions that sum to 1. Entries
   * where members equal the truth are shared evenly among the ranks in question.
   */
  public double[] rankHistogram() {
    double n = some();
    return Arrays.stream(ranks).map(count -> count / n).toArray();
  }

  /**
   * Returns Pearson's correlation of the map of standard deviations with the map of |mean - truth|,
   * averaged over all channels of all fields. Constant maps have no correlation and are left out;
   * without any other map the result is NaN.
   */
  public double spreadErrorCorrelation() {
    some();
    return correlation / correlations;
  }

  private void countDistances(double[] sorted) {
    double sum = 0;
    for (int i = 0; i < members; i++) {
      sum += Math.abs(sorted[i]);
      pairs += (2 * i - members + 1) * sorted[i];
    }
    distance += sum / members;
  }

  private void countRank(double[] sorted) {
    int below = 0;
    int equal = 0;
    for (double a : sorted) {
      below += a < 0 ? 1 : 0;
      equal += a == 0 ? 1 : 0;
    }
    for (int r = below; r <= below + equal; r++) {
      ranks[r] += 1.0 / (equal + 1);
    }
  }

  private void countCoverage(double[] sorted) {
    for (int i = 0; i < levels.length; i++) {
      double tail = (1 - levels[i]) / 2;
      if (quantile(sorted, tail) <= 0 && quantile(sorted, 1 - tail) >= 0) {
        covered[i]++;
      }
    }
  }

  private static double quantile(double[] sorted, double p) {
    double at = Math.clamp(p * (sorted.length + 1) - 1, 0, sorted.length - 1.0);
    int low = (int) at;
    int high = Math.min(low + 1, sorted.length - 1);
    return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
  }

  private void correlate(double[] spread, double[] error, int pixels) {
    for (int start = 0; start < spread.length; start += pixels) {
      double r =
          pearson(
              Arrays.copyOfRange(spread, start, start + pixels),
              Arrays.copyOfRange(error, start, start + pixels));
      if (!Double.isNaN(r)) {
        correlation += r;
        correlations++;
      }
    }
  }

  private static double pearson(double[] a, double[] b) {
    double meanA = Arrays.stream(a).average().orElseThrow();
    double meanB = Arrays.stream(b).average().orElseThrow();
    double ab = 0;
    double aa = 0;
    double bb = 0;
    for (int i = 0; i < a.length; i++) {
      ab += (a[i] - meanA) * (b[i] - meanB);
      aa += (a[i] - meanA) * (a[i] - meanA);
      bb += (b[i] - meanB) * (b[i] - meanB);
    }
    return ab / Math.sqrt(aa * bb);
  }

  private double some() {
    if (entries == 0) {
      throw new IllegalStateException("no field has been added yet");
    }
    return entries;
  }

  private void check(Tensor ensemble, Tensor truth) {
    String op = "ensemble scores";
    Check.rank(op, "ensemble", ensemble, 4);
    Shape one = ensemble.shape().with(0, 1);
    if (!truth.shape().equals(one)) {
      Check.sameShape(op, "truth", truth, one.remove(0));
    }
    int k = ensemble.dim(0);
    Check.that(truth.size() > 0, op, "fields of shape %s are empty", truth.shape());
    Check.that(k >= 2, op, "an ensemble needs at least 2 members, %s has %d", ensemble.shape(), k);
    Check.that(members == 0 || k == members, op, "%d members after ensembles of %d", k, members);
    for (double level : levels) {
      // A little slack, because 0.9 with 19 members is exact only up to rounding.
      double needed = (1 + level) / (1 - level) - 1e-9;
      Check.that(
          k >= needed,
          op,
          "a central interval of level %s needs %d members, %d given",
          level,
          (int) Math.ceil(needed),
          k);
    }
  }

  private static double[] finite(String what, Tensor x) {
    double[] values = x.toDoubles();
    for (int i = 0; i < values.length; i++) {
      if (!Double.isFinite(values[i])) {
        throw new IllegalArgumentException(
            "entry %d of %s %s is %s: leave out what diverged"
                .formatted(i, what, x.shape(), values[i]));
      }
    }
    return values;
  }
}
