package io.perflow.physics.prior;

import io.perflow.physics.Normalization;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.Check;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/**
 * The best places for sensors, in the order of their importance, and the expected error of a
 * reconstruction from the first n of them.
 *
 * <pre>{@code
 * Placement best = Placement.greedy(prior, 30);
 * Sensors law = Sensors.at(best.places());
 * double[] expected = best.errors(); // before any sensor, after the first, after the second …
 * }</pre>
 *
 * <p>For a Gaussian, the remaining uncertainty depends on where the sensors are and not on what
 * they read, so it is known before the first measurement. Finding the best n places together is not
 * feasible; repeatedly adding the best next place comes close (Krause, Singh and Guestrin, 2008).
 */
public final class Placement {
  private static final int ROUNDS = 3; // of exchange; further ones gain a few per cent

  private final GaussianPrior prior;
  private final Candidates candidates;
  private final double sigma;
  private final int[] chosen;
  private final double[][] variances; // [0 … chosen][channels], mean over the grid

  private Placement(
      GaussianPrior prior,
      Candidates candidates,
      double sigma,
      int[] chosen,
      double[][] variances) {
    this.prior = prior;
    this.candidates = candidates;
    this.sigma = sigma;
    this.chosen = chosen;
    this.variances = variances;
  }

  /** Chooses among all {@link Candidates} of the prior's problem, for exact readings. */
  public static Placement greedy(GaussianPrior prior, int count) {
    return greedy(prior, Candidates.of(prior.problem()), 0, count);
  }

  /**
   * Repeatedly adds the sensor that lowers the total variance of the field most (A-optimal). All
   * channels count equally, in normalized units.
   *
   * @param sigma standard deviation of the readings' noise in normalized units
   * @throws io.perflow.tensor.ShapeException when there are fewer candidates than sensors
   */
  public static Placement greedy(
      GaussianPrior prior, Candidates candidates, double sigma, int count) {
    check(prior, candidates, sigma, count);
    return of(
        prior,
        candidates,
        sigma,
        count,
        new SensorSearch(prior, candidates, sigma, true),
        SensorSearch::mostGain);
  }

  /**
   * Chooses by {@link #pivoted(GaussianPrior, Candidates, double, int) pivots}, for exact readings.
   */
  public static Placement pivoted(GaussianPrior prior, int count) {
    return pivoted(prior, Candidates.of(prior.problem()), 0, count);
  }

  /**
   * Repeatedly adds the sensor whose readings have the largest remaining variance, the pivots of a
   * QR factorization of Sᵀ (Manohar, Brunton, Kutz and Brunton, 2018). It is several times faster
   * than {@link #greedy(GaussianPrior, Candidates, double, int)} and puts more sensors at the
   * boundary.
   *
   * @param sigma standard deviation of the readings' noise in normalized units
   * @throws io.perflow.tensor.ShapeException when there are fewer candidates than sensors
   */
  public static Placement pivoted(
      GaussianPrior prior, Candidates candidates, double sigma, int count) {
    check(prior, candidates, sigma, count);
    return of(
        prior,
        candidates,
        sigma,
        count,
        new SensorSearch(prior, candidates, sigma, false),
        SensorSearch::mostVariance);
  }

  /**
   * Chooses by {@link #exchanged(GaussianPrior, Candidates, double, int) exchange}, for exact
   * readings.
   */
  public static Placement exchanged(GaussianPrior prior, int count) {
    return exchanged(prior, Candidates.of(prior.problem()), 0, count);
  }

  /**
   * Starts from {@link #greedy(GaussianPrior, Candidates, double, int)} and moves each sensor in
   * turn to where it lowers the total variance most given all the others, until none moves (at most
   * 3 rounds). All sensors together are then better than greedy ones, while the first few of them
   * may be worse. The most important one is still first.
   *
   * @param sigma standard deviation of the readings' noise in normalized units
   * @throws io.perflow.tensor.ShapeException when there are fewer candidates than sensors
   */
  public static Placement exchanged(
      GaussianPrior prior, Candidates candidates, double sigma, int count) {
    check(prior, candidates, sigma, count);
    SensorSearch search = new SensorSearch(prior, candidates, sigma, true);
    int[] chosen = of(prior, candidates, sigma, count, search, SensorSearch::mostGain).chosen;
    boolean moved = true;
    for (int round = 0; round < ROUNDS && moved; round++) {
      moved = false;
      for (int i = 0; i < count; i++) {
        Cancellation.check();
        int better = search.instead(chosen[i]);
        moved |= better != chosen[i];
        chosen[i] = better;
      }
    }
    Placement ordered = greedy(prior, candidates.select(chosen), sigma, count);
    int[] order = Arrays.stream(ordered.chosen).map(i -> chosen[i]).toArray();
    return new Placement(prior, candidates, sigma, order, ordered.variances);
  }

  private static void check(GaussianPrior prior, Candidates candidates, double sigma, int count) {
    prior
        .problem()
        .difference(candidates.problem())
        .ifPresent(
            difference -> {
              throw new IllegalArgumentException(
                  "[placement] prior and candidates are of different problems: " + difference);
            });
    candidates.checkCount(count);
    Check.that(
        sigma >= 0 && Double.isFinite(sigma),
        "placement",
        "noise of deviation %s: it must be finite and not negative",
        sigma);
  }

  private static Placement of(
      GaussianPrior prior,
      Candidates candidates,
      double sigma,
      int count,
      SensorSearch search,
      ToIntFunction<SensorSearch> next) {
    int[] chosen = new int[count];
    double[][] variances = new double[count + 1][];
    variances[0] = search.meanVariances();
    for (int i = 0; i < count; i++) {
      Cancellation.check();
      chosen[i] = next.applyAsInt(search);
      search.add(chosen[i]);
      variances[i + 1] = search.meanVariances();
    }
    return new Placement(prior, candidates, sigma, chosen, variances);
  }

  // ---- places

  /** Returns the number of sensors. */
  public int size() {
    return chosen.length;
  }

  /** Returns the candidates from which sensors were chosen. */
  public Candidates candidates() {
    return candidates;
  }

  /** Returns the numbers of the chosen candidates, the most important one first. */
  public int[] chosen() {
    return chosen.clone();
  }

  /**
   * Returns the coordinates along the two axes of the grid points that the sensors read, the most
   * important sensor first, as {@link io.perflow.physics.Sensors#at} takes them. A sensor that
   * reads a line has all points of the line.
   */
  public List<List<Double>> places() {
    List<List<Double>> places = new ArrayList<>();
    for (int candidate : chosen) {
      places.addAll(candidates.places(candidate));
    }
    return places;
  }

  /** Returns the readings of the first sensors. */
  public Sensing sensing(int first) {
    Check.that(
        first >= 0 && first <= size(),
        "placement",
        "the first %d of %d sensors; ask for 0 to %d",
        first,
        size(),
        size());
    return candidates.sensing(Arrays.copyOf(chosen, first), sigma);
  }

  // ---- expected errors

  /**
   * Returns the expected error in normalized units: the root of the mean variance of all channels,
   * nugget included, without sensors and after each of them, [sensors + 1].
   */
  public double[] errors() {
    return errors(IntStream.range(0, variances[0].length).toArray());
  }

  /** Returns the expected error of a quantity, counted from 0, in its own unit, [sensors + 1]. */
  public double[] errors(int quantity, Normalization units) {
    int frames = prior.problem().frameCount();
    int first = prior.problem().channel(quantity, 0);
    double scale = units.scale().get(first); // frames share it
    double[] errors = errors(IntStream.range(first, first + frames).toArray());
    return Arrays.stream(errors).map(error -> error * scale).toArray();
  }

  private double[] errors(int[] channels) {
    return Arrays.stream(variances)
        .mapToDouble(
            v -> Math.sqrt(Arrays.stream(channels).mapToDouble(c -> v[c]).average().orElseThrow()))
        .toArray();
  }

  /**
   * Returns the expected error relative to that without sensors, which is the first entry, 1:
   * [sensors + 1].
   */
  public double[] relativeErrors() {
    double[] errors = errors();
    return Arrays.stream(errors).map(error -> error / errors[0]).toArray();
  }
}
