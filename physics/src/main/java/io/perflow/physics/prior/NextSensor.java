package io.perflow.physics.prior;

import io.perflow.tensor.Check;
import io.perflow.tensor.Cholesky;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * A search for the best place for one more sensor, given the existing sensors.
 *
 * <pre>{@code
 * NextSensor search = NextSensor.of(prior, rng);       // once for a prior
 * int best = search.best(prior.given(sensing), candidates, 0.02);
 * }</pre>
 *
 * <p>As in {@link Placement#greedy(GaussianPrior, Candidates, double, int)}, the value of a sensor
 * with rows H is the total variance that it removes: the trace of K⁻¹ Q with K = H P Hᵀ + N and Q =
 * H P P Hᵀ, where P is the covariance given the existing sensors. A user waits for the answer, so Q
 * is estimated: with normal numbers z, P P is the mean of P z zᵀ P. The products of 128 such z with
 * the modes are computed once for a prior. The relative error of a gain is then about an eighth,
 * and the place found is nearly as good as the best.
 */
public final class NextSensor {
  private static final int PROBES = 128;
  private static final int CHUNK = 4096; // rows of modes at a time

  private final GaussianPrior prior;
  private final Tensor probes; // zᵀ S, [probes, rank], F64

  private NextSensor(GaussianPrior prior, Tensor probes) {
    this.prior = prior;
    this.probes = probes;
  }

  /** Prepares the search: a product of random numbers with all modes. */
  public static NextSensor of(GaussianPrior prior, Rng rng) {
    double[] sum = new double[PROBES * prior.rank()];
    int rows = prior.modes().dim(0);
    for (int from = 0; from < rows; from += CHUNK) {
      int to = Math.min(rows, from + CHUNK);
      try (Scope _ = Scope.open()) {
        Tensor normal = rng.split(from).normal(Shape.of(PROBES, to - from));
        double[] part = normal.matmul(prior.modes().slice(0, from, to)).toDoubles();
        Arrays.setAll(sum, i -> sum[i] + part[i]);
      }
    }
    return new NextSensor(prior, Tensor.of(sum, PROBES, prior.rank()));
  }

  /**
   * Returns the number of the candidate that removes the largest part of the total variance; all
   * channels count equally, in normalized units.
   *
   * @param known the prior given the existing sensors
   * @param candidates what each sensor would read, as channel · cells + cell; all have the same
   *     number
   * @param sigma the standard deviation of the noise of a reading, in normalized units
   */
  public int best(Kriging known, List<int[]> candidates, double sigma) {
    Check.that(!candidates.isEmpty(), "next sensor", "there is no candidate to choose from");
    int block = candidates.getFirst().length;
    int step = Math.max(1, CHUNK / block);
    int best = 0;
    double most = Double.NEGATIVE_INFINITY;
    for (int from = 0; from < candidates.size(); from += step) {
      List<int[]> part = candidates.subList(from, Math.min(candidates.size(), from + step));
      double[] gains = gains(known, part, block, sigma);
      for (int i = 0; i < gains.length; i++) {
        if (gains[i] > most) {
          most = gains[i];
          best = from + i;
        }
      }
    }
    return best;
  }

  private double[] gains(Kriging known, List<int[]> part, int block, double sigma) {
    int[] entries = part.stream().flatMapToInt(Arrays::stream).toArray();
    Check.that(
        entries.length == part.size() * block,
        "next sensor",
        "candidates read different numbers of entries; all must read %d as the first does",
        block);
    int cells = prior.problem().grid().cells();
    try (Scope _ = Scope.open()) {
      Tensor w = prior.modes().gather(0, entries).to(DataType.F64); // [n · b, r]
      Tensor reduced = known.reduced(w);
      Tensor own = products(reduced, w, part.size(), block); // H P Hᵀ, [n, b, b]
      Tensor seen = reduced.matmul(probes.transpose()); // H P z, [n · b, probes]
      double[] k = own.toDoubles();
      double[] q = products(seen, seen, part.size(), block).toDoubles();
      double[] gains = new double[part.size()];
      for (int c = 0; c < gains.length; c++) {
        int at = c * block * block;
        for (int i = 0; i < block; i++) {
          double nugget = prior.nugget(entries[c * block + i] / cells);
          k[at + i * block + i] += sigma * sigma + nugget * nugget;
        }
        gains[c] = gain(k, q, at, block);
      }
      return gains;
    }
  }

  private static Tensor products(Tensor a, Tensor b, int n, int block) {
    Tensor left = a.reshape(n, block, a.dim(1));
    return left.matmul(b.reshape(n, block, b.dim(1)).transpose());
  }

  // trace(K⁻¹ Q), with a little more on the diagonal for readings that follow from each other.
  private static double gain(double[] k, double[] q, int at, int b) {
    if (b == 1) {
      return k[at] > 0 ? q[at] / k[at] : 0;
    }
    double[] own = Arrays.copyOfRange(k, at, at + b * b);
    double largest = 0;
    for (int i = 0; i < b; i++) {
      largest = Math.max(largest, own[i * b + i]);
    }
    if (largest == 0) {
      return 0;
    }
    for (int i = 0; i < b; i++) {
      own[i * b + i] += 1e-6 * largest;
    }
    Tensor squared = Tensor.of(Arrays.copyOfRange(q, at, at + b * b), b, b);
    double[] ratio = Cholesky.of(Tensor.of(own, b, b)).solve(squared).toDoubles();
    double trace = 0;
    for (int i = 0; i < b; i++) {
      trace += ratio[i * b + i];
    }
    return trace;
  }
}
