package io.perflow.physics.prior;

import io.perflow.tensor.Check;
import io.perflow.tensor.Cholesky;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * A record of the remaining covariance of a field as sensors are added, and of the gain of each
 * candidate.
 *
 * <p>Let P = S A Sᵀ be the covariance given the sensors so far, where A = I - U Uᵀ is that of the
 * coefficients of the modes. A sensor with rows H of readings and noise N (nugget included) has K =
 * H P Hᵀ + N and lowers the total variance, the trace of P, by trace(K⁻¹ Q) with Q = H P P Hᵀ. With
 * L Lᵀ = K and C = P Hᵀ L⁻ᵀ, the new covariance is P - C Cᵀ, and U gets the columns A Sᵀ Hᵀ L⁻ᵀ.
 * Both H P Hᵀ and Q of every other candidate follow from C and P C at its own grid points, so a
 * sensor costs three products with S for any number of candidates.
 *
 * <p>All computations are in double precision. Q is a square of a covariance and loses twice as
 * many digits, so it is computed anew from time to time. Where readings of one sensor almost
 * determine each other, gains still err by about 1e-16 / N of the total variance, too little to
 * matter.
 */
final class SensorSearch {
  private static final int CHUNK = 4096; // rows of S that are converted at a time
  private static final long MOST_ENTRIES = 1L << 25; // of all K, 268 MB
  private static final double FALL = 1e-4; // of the total variance until Q is computed anew

  private final GaussianPrior prior;
  private final Candidates candidates;
  private final boolean gains; // whether Q is wanted
  private final int block; // readings of a sensor, b
  private final int[] entries; // of all candidates, one after another
  private final double[] noise; // variances of noise and nugget, as entries
  private final boolean[] used;
  private final double[] variances; // of every grid point, without the nugget
  private final Tensor gram; // Sᵀ S, [r, r]; null unless Q is wanted
  private Tensor known; // U, [r, readings so far]; null without sensors
  private Tensor own; // H P Hᵀ of each candidate, [candidates, b, b]
  private Tensor squared; // Q, [candidates, b, b]
  private double totalBefore; // when own and squared were last computed anew

  SensorSearch(GaussianPrior prior, Candidates candidates, double sigma, boolean gains) {
    this.prior = prior;
    this.candidates = candidates;
    this.gains = gains;
    block = candidates.readings();
    long size = (long) candidates.size() * block * block;
    Check.that(
        size <= MOST_ENTRIES,
        "placement",
        "%d candidates with %d readings each need %d covariances, more than %d; give fewer"
            + " candidates, or let a sensor read fewer channels",
        candidates.size(),
        block,
        size,
        MOST_ENTRIES);
    int[] all = IntStream.range(0, candidates.size()).toArray();
    entries = candidates.sensing(all, 0).entries();
    noise = new double[entries.length];
    int cells = prior.problem().grid().cells();
    Arrays.setAll(noise, i -> sigma * sigma + Math.pow(prior.nugget(entries[i] / cells), 2));
    used = new boolean[candidates.size()];
    variances = new double[prior.modes().dim(0)];
    gram = gains ? gram() : null;
    computeVariances();
    computeCandidates();
  }

  // ---- products with S, part by part, because all of it in F64 may be too much

  private interface Part {
    void take(Tensor rows, int from, int to);
  }

  private void parts(Part part) {
    int rows = prior.modes().dim(0);
    for (int from = 0; from < rows; from += CHUNK) {
      int to = Math.min(rows, from + CHUNK);
      try (Scope _ = Scope.open()) {
        part.take(prior.modes().slice(0, from, to).to(DataType.F64), from, to);
      }
    }
  }

  private Tensor gram() {
    int r = prior.rank();
    double[] sum = new double[r * r];
    parts((rows, _, _) -> add(rows.transpose().matmul(rows), sum));
    return Tensor.of(sum, r, r);
  }

  private static void add(Tensor numbers, double[] sum) {
    double[] more = numbers.toDoubles();
    Arrays.setAll(sum, i -> sum[i] + more[i]);
  }

  // S x for x [r, n]: [D, n]
  private Tensor times(Tensor x) {
    int n = x.dim(1);
    double[] out = new double[variances.length * n];
    parts(
        (rows, from, _) -> {
          double[] part = rows.matmul(x).toDoubles();
          System.arraycopy(part, 0, out, from * n, part.length);
        });
    return Tensor.of(out, variances.length, n);
  }

  // Sᵀ y for y [D, n]: [r, n]
  private Tensor transposedTimes(Tensor y) {
    double[] out = new double[prior.rank() * y.dim(1)];
    parts((rows, from, to) -> add(rows.transpose().matmul(y.slice(0, from, to)), out));
    return Tensor.of(out, prior.rank(), y.dim(1));
  }

  // x A for x [n, r]
  private Tensor reduced(Tensor x) {
    return known == null ? x : x.sub(x.matmul(known).matmul(known.transpose()));
  }

  private void computeVariances() {
    parts(
        (rows, from, to) ->
            System.arraycopy(rows.square().sum(1).toDoubles(), 0, variances, from, to - from));
  }

  // ---- candidates

  private void computeCandidates() {
    double[] k = new double[candidates.size() * block * block];
    double[] q = new double[gains ? k.length : 0];
    int step = Math.max(1, CHUNK / block);
    for (int from = 0; from < candidates.size(); from += step) {
      int to = Math.min(candidates.size(), from + step);
      try (Scope _ = Scope.open()) {
        int[] part = Arrays.copyOfRange(entries, from * block, to * block);
        Tensor w = prior.modes().gather(0, part).to(DataType.F64);
        Tensor v = reduced(w);
        copy(products(v, w), k, from);
        if (gains) {
          copy(products(v.matmul(gram), v), q, from);
        }
      }
    }
    own = Tensor.of(k, candidates.size(), block, block);
    squared = gains ? Tensor.of(q, candidates.size(), block, block) : null;
    totalBefore = total();
  }

  // of the rows of each candidate: [n · b, r] and the same to [n, b, b]
  private Tensor products(Tensor a, Tensor b) {
    if (block == 1) {
      return a.mul(b).sum(1);
    }
    int n = a.dim(0) / block;
    Tensor left = a.reshape(n, block, a.dim(1));
    return left.matmul(b.reshape(n, block, b.dim(1)).transpose());
  }

  private void copy(Tensor from, double[] to, int candidate) {
    double[] numbers = from.toDoubles();
    System.arraycopy(numbers, 0, to, candidate * block * block, numbers.length);
  }

  /** Returns the unused candidate that lowers the total variance most; the first of equals. */
  int mostGain() {
    double[] k = own.toDoubles();
    double[] q = squared.toDoubles();
    return best(i -> gain(k, q, i));
  }

  /**
   * Returns the unused candidate whose readings have the largest total variance; the first of
   * equals.
   */
  int mostVariance() {
    double[] k = own.toDoubles();
    return best(i -> trace(k, i));
  }

  private interface Score {
    double of(int candidate);
  }

  private int best(Score score) {
    int best = -1;
    double most = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < used.length; i++) {
      double value = used[i] ? Double.NEGATIVE_INFINITY : score.of(i);
      if (value > most) {
        best = i;
        most = value;
      }
    }
    return best;
  }

  private double trace(double[] k, int candidate) {
    double sum = 0;
    for (int i = 0; i < block; i++) {
      sum += k[(candidate * block + i) * block + i];
    }
    return sum;
  }

  // trace((K + N)⁻¹ Q)
  private double gain(double[] k, double[] q, int candidate) {
    int from = candidate * block;
    if (block == 1) {
      return q[from] / (Math.max(0, k[from]) + noise[from]);
    }
    try (Scope _ = Scope.open()) {
      Tensor squares = Tensor.of(slice(q, candidate), block, block);
      Tensor covariance = covariance(slice(k, candidate), candidate);
      return trace(Cholesky.of(covariance).solve(squares).toDoubles(), 0);
    }
  }

  // H P Hᵀ + N
  private Tensor covariance(double[] k, int candidate) {
    for (int i = 0; i < block; i++) {
      k[i * block + i] = Math.max(0, k[i * block + i]) + noise[candidate * block + i];
    }
    return Tensor.of(k, block, block);
  }

  private double[] slice(double[] numbers, int candidate) {
    int length = block * block;
    return Arrays.copyOfRange(numbers, candidate * length, (candidate + 1) * length);
  }

  // ---- sensors

  /** Adds a sensor. */
  void add(int candidate) {
    used[candidate] = true;
    try (Scope scope = Scope.open()) {
      int[] read = Arrays.copyOfRange(entries, candidate * block, (candidate + 1) * block);
      Tensor w = prior.modes().gather(0, read).to(DataType.F64);
      Tensor v = reduced(w);
      Tensor k = covariance(v.matmul(w.transpose()).toDoubles(), candidate);
      Tensor columns = Cholesky.of(k).lower(v).transpose().contiguous(); // of U, [r, b]
      Tensor c = times(columns); // [D, b]
      double[] less = c.square().sum(1).toDoubles();
      Arrays.setAll(variances, i -> Math.max(0, variances[i] - less[i]));
      update(scope, c);
      known = scope.keep(known == null ? columns : Tensor.concat(1, known, columns));
    }
    if (gains && total() < FALL * totalBefore) {
      computeCandidates();
    }
  }

  /** Removes a sensor and returns the candidate that is best in its place, perhaps the same one. */
  int instead(int candidate) {
    used[candidate] = false;
    int[] left =
        IntStream.range(0, used.length)
            .filter(i -> used[i])
            .flatMap(i -> IntStream.range(i * block, (i + 1) * block))
            .toArray();
    known = left.length == 0 ? null : known(left);
    computeCandidates();
    int best = mostGain();
    used[best] = true;
    return best;
  }

  // U of the readings whose places in entries are given.
  private Tensor known(int[] readings) {
    try (Scope scope = Scope.open()) {
      int[] read = Arrays.stream(readings).map(i -> entries[i]).toArray();
      Tensor w = prior.modes().gather(0, read).to(DataType.F64);
      double[] k = w.matmul(w.transpose()).toDoubles();
      for (int i = 0; i < read.length; i++) {
        k[i * read.length + i] += noise[readings[i]];
      }
      Cholesky factor = Cholesky.of(Tensor.of(k, read.length, read.length));
      return scope.keep(factor.lower(w).transpose().contiguous());
    }
  }

  // P becomes P - C Cᵀ, and P P becomes P P - F Cᵀ - C Fᵀ with F = P C - C Cᵀ C / 2.
  private void update(Scope scope, Tensor c) {
    Tensor at = ofCandidates(c);
    own = scope.keep(own.sub(at.matmul(at.transpose())));
    if (gains) {
      Tensor pc = times(reduced(transposedTimes(c).transpose()).transpose().contiguous());
      Tensor f = ofCandidates(pc.sub(c.matmul(c.transpose().matmul(c)).mul(0.5)));
      Tensor half = f.matmul(at.transpose());
      squared = scope.keep(squared.sub(half).sub(half.transpose()));
    }
  }

  // The rows of [D, b] at the grid points of each candidate, [candidates, b, b].
  private Tensor ofCandidates(Tensor x) {
    return x.gather(0, entries).reshape(candidates.size(), block, block);
  }

  private double total() {
    return Arrays.stream(variances).sum();
  }

  /** Returns the mean of the variance over each channel, nugget included. */
  double[] meanVariances() {
    int cells = prior.problem().grid().cells();
    double[] means = new double[prior.problem().channelCount()];
    for (int c = 0; c < means.length; c++) {
      double nugget = prior.nugget(c);
      double sum = Arrays.stream(variances, c * cells, (c + 1) * cells).sum();
      means[c] = sum / cells + nugget * nugget;
    }
    return means;
  }
}
