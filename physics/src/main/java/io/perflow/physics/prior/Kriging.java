package io.perflow.physics.prior;

import io.perflow.tensor.Check;
import io.perflow.tensor.Cholesky;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;

/**
 * A {@link GaussianPrior} conditioned on the readings of given sensors, exactly.
 *
 * <p>The readings are y = H x + noise, and x = m + S z + nugget is a field of the prior. Let W = H
 * S, and let N be the variances of noise and nugget in the readings. Then K = W Wᵀ + N is the
 * covariance of the readings, and the mean of the fields that have these readings is m + S Wᵀ K⁻¹
 * (y - H m). A sample of them is made from a sample z of the prior by Matheron's rule: y in this
 * formula becomes y - W z - noise, and z is added to the coefficients.
 *
 * <p>The sensors alone determine K. It is factored once, for any number of values; where there are
 * more readings than modes, I + Wᵀ N⁻¹ W is factored instead, which is smaller. Values, means and
 * samples are in normalized units.
 *
 * <p>Means and samples are differentiable with respect to the readings; prior and sensors are
 * constants to a tape. It does not change, belongs to no scope, and may be used by any number of
 * threads at once.
 */
public final class Kriging {
  private static final int CHUNK = 4096; // grid points whose variances are computed at a time
  // This part of each variance is added to it, because readings may repeat or follow from others.
  private static final double JITTER = 1e-10;

  private final GaussianPrior prior;
  private final Sensing sensing;
  private final Tensor w; // [k, r], F64
  private final Tensor noise; // variances of noise and nugget, [k, 1], F64
  private final Tensor expected; // H m, [1, k], F64
  private final Cholesky factor; // of K, or of I + Wᵀ N⁻¹ W; null without readings
  private final boolean small; // whether K was factored

  private Kriging(GaussianPrior prior, Sensing sensing) {
    this.prior = prior;
    this.sensing = sensing;
    int k = sensing.size();
    w = prior.read(sensing);
    double[] variances = new double[k];
    for (int i = 0; i < k; i++) {
      double squares = 0;
      for (int e = sensing.start(i); e < sensing.start(i + 1); e++) {
        squares += sensing.weight(e) * sensing.weight(e);
      }
      double nugget = prior.nugget(sensing.channel(i));
      variances[i] = squares * nugget * nugget + sensing.sigma(i) * sensing.sigma(i);
    }
    noise = Tensor.of(variances, k, 1);
    expected = sensing.read(prior.mean());
    small = k <= prior.rank() || prior.rank() == 0 || !sensing.separate();
    factor = k == 0 ? null : Cholesky.of(small ? covariance(variances) : information());
    Scope.detach(w);
    Scope.detach(noise);
    Scope.detach(expected);
    if (factor != null) {
      Scope.detach(factor.factor());
    }
  }

  static Kriging of(GaussianPrior prior, Sensing sensing) {
    prior
        .problem()
        .difference(sensing.problem())
        .ifPresent(
            difference -> {
              throw new IllegalArgumentException(
                  "[kriging] prior and sensors are of different problems: " + difference);
            });
    try (Scope _ = Scope.open()) {
      return new Kriging(prior, sensing);
    }
  }

  // W Wᵀ + N. Rows that share grid points share their nuggets, too.
  private Tensor covariance(double[] variances) {
    int k = sensing.size();
    double[] c = w.matmul(w.transpose()).toDoubles();
    for (int i = 0; i < k; i++) {
      c[i * k + i] += variances[i];
      c[i * k + i] *= 1 + JITTER;
    }
    if (!sensing.separate()) {
      for (int i = 0; i < k; i++) {
        for (int j = 0; j < i; j++) {
          double shared = shared(i, j);
          c[i * k + j] += shared;
          c[j * k + i] += shared;
        }
      }
    }
    return Tensor.of(c, k, k);
  }

  private double shared(int i, int j) {
    double sum = 0;
    for (int a = sensing.start(i); a < sensing.start(i + 1); a++) {
      for (int b = sensing.start(j); b < sensing.start(j + 1); b++) {
        sum += sensing.entry(a) == sensing.entry(b) ? sensing.weight(a) * sensing.weight(b) : 0;
      }
    }
    double nugget = prior.nugget(sensing.channel(i));
    return sum * nugget * nugget;
  }

  private Tensor information() {
    int r = prior.rank();
    double[] m = w.transpose().matmul(w.div(noise)).toDoubles();
    for (int i = 0; i < r; i++) {
      m[i * r + i] += 1;
    }
    return Tensor.of(m, r, r);
  }

  /** Returns the sensors. */
  public Sensing sensing() {
    return sensing;
  }

  /** Returns the prior. */
  public GaussianPrior prior() {
    return prior;
  }

  // K⁻¹ b for b [k, m]
  private Tensor solve(Tensor b) {
    if (small) {
      return factor.solve(b);
    }
    return b.sub(w.matmul(weights(b))).div(noise);
  }

  // Wᵀ K⁻¹ b for b [k, m], as columns [r, m]
  private Tensor weights(Tensor b) {
    // The second form equals Wᵀ times solve(b), but is not a difference of large numbers.
    return small
        ? w.transpose().matmul(factor.solve(b))
        : factor.solve(w.transpose().matmul(b.div(noise)));
  }

  private void check(Tensor values) {
    Check.that(
        values.rank() == 2 && values.dim(1) == sensing.size(),
        "kriging",
        "values %s, expected [batch, %d], one for every reading",
        values.shape(),
        sensing.size());
  }

  // y - H m as columns, [k, batch]
  private Tensor misses(Tensor values) {
    return values.to(DataType.F64).sub(expected).transpose().contiguous();
  }

  /** Returns the coefficients of the mean for values [batch, readings]: [batch, rank], F64. */
  public Tensor meanCoefficients(Tensor values) {
    check(values);
    if (factor == null) {
      return Tensor.of(new double[values.dim(0) * prior.rank()], values.dim(0), prior.rank());
    }
    return gain(misses(values));
  }

  // Wᵀ K⁻¹ b as rows
  private Tensor gain(Tensor b) {
    return weights(b).transpose().contiguous();
  }

  /**
   * Returns the coefficients of a sample for each row of values [batch, readings]: [batch, rank],
   * F64.
   */
  public Tensor sampleCoefficients(Tensor values, Rng rng) {
    check(values);
    int batch = values.dim(0);
    Tensor z = rng.split("modes").normal(w.device(), Shape.of(batch, prior.rank()), DataType.F64);
    if (factor == null) {
      return z;
    }
    Tensor errors = errors(rng, batch);
    return z.add(gain(misses(values).sub(w.matmul(z.transpose())).sub(errors)));
  }

  /**
   * Returns x A for rows x [n, rank], where A is the covariance of the coefficients given the
   * sensors.
   */
  Tensor reduced(Tensor x) {
    if (factor == null) {
      return x;
    }
    // A = I - Wᵀ K⁻¹ W, and the inverse of I + Wᵀ N⁻¹ W
    return small
        ? x.sub(gain(w.matmul(x.transpose())))
        : factor.solve(x.transpose().contiguous()).transpose().contiguous();
  }

  // samples of noise and nugget in the readings, [k, batch]
  private Tensor errors(Rng rng, int batch) {
    Shape shape = Shape.of(sensing.size(), batch);
    Tensor white = rng.split("noise").normal(w.device(), shape, DataType.F64);
    if (sensing.separate()) {
      return white.mul(noise.sqrt());
    }
    // Readings that share grid points share their nuggets.
    Shape fields = prior.problem().batch(batch);
    Tensor nuggets = rng.split("nugget").normal(w.device(), fields, DataType.F64);
    Tensor read = sensing.read(nuggets.mul(nuggetVariances().sqrt()));
    double[] sigmas = new double[sensing.size()];
    Arrays.setAll(sigmas, sensing::sigma);
    return white.mul(Tensor.of(sigmas, sigmas.length, 1)).add(read.transpose());
  }

  /**
   * Returns the mean of the fields with these readings: the best estimate, [batch, channels, …].
   */
  public Tensor mean(Tensor values) {
    return prior.fields(meanCoefficients(values));
  }

  /**
   * Returns a sample of the fields with these readings for each row of values [batch, readings].
   */
  public Tensor samples(Tensor values, Rng rng) {
    return prior.fields(sampleCoefficients(values, rng));
  }

  /**
   * Returns the standard deviation of every entry of a field that has these readings, nugget
   * included, [1, channels, height, width]. It depends only on the sensors, not on their readings.
   * Single precision limits it: values below about a thousandth of the prior's own standard
   * deviation are rounding.
   */
  public Tensor deviation() {
    Shape shape = prior.problem().batch(1);
    int cells = prior.problem().grid().cells();
    float[] variances = new float[shape.size()];
    Tensor modes = prior.modes();
    Tensor root = root();
    for (int from = 0; from < variances.length; from += CHUNK) {
      int to = Math.min(variances.length, from + CHUNK);
      try (Scope _ = Scope.open()) {
        Tensor part = modes.slice(0, from, to);
        Tensor own = part.square().sum(1);
        Tensor known = root == null ? null : part.matmul(root).square().sum(1);
        Tensor left = root == null ? own : small ? own.sub(known) : known;
        System.arraycopy(left.toFloats(), 0, variances, from, to - from);
      }
    }
    for (int i = 0; i < variances.length; i++) {
      double nugget = prior.nugget(i / cells);
      variances[i] = (float) Math.sqrt(Math.max(0, variances[i]) + nugget * nugget);
    }
    return Tensor.of(variances, shape.toArray());
  }

  // The factor by which modes are multiplied, [r, k] or [r, r]: squares of the product are the
  // variance that the readings take away (K factored), or the one they leave.
  private Tensor root() {
    if (factor == null) {
      return null;
    }
    if (small) {
      return factor.lower(w).to(DataType.F32).transpose().contiguous();
    }
    return factor.lower(identity(prior.rank())).to(DataType.F32).transpose().contiguous();
  }

  private static Tensor identity(int n) {
    double[] one = new double[n * n];
    for (int i = 0; i < n; i++) {
      one[i * n + i] = 1;
    }
    return Tensor.of(one, n, n);
  }

  /**
   * Corrects fields so that they agree with the readings: x + C Hᵀ (H C Hᵀ + R)⁻¹ (y - H x), with
   * the prior's covariance C, nugget included, and the variances R of the noise. Of all fields that
   * agree with exact readings this is the nearest one in the metric of the prior, so that a
   * correction reaches as far as fields are correlated. The result agrees with exact readings up to
   * rounding; noisy ones are weighed against the prior as in Bayes' rule. The correction may
   * violate the constraints of the problem by the size of the nugget.
   *
   * @param fields [batch, channels, height, width]
   * @param values [batch, readings], or one row for all
   */
  public Tensor fit(Tensor fields, Tensor values) {
    check(values);
    Check.that(
        values.dim(0) == 1 || values.dim(0) == fields.dim(0),
        "kriging",
        "%d rows of values for %d fields: give one for all or one for each",
        values.dim(0),
        fields.dim(0));
    if (factor == null) {
      return fields;
    }
    Tensor misses = values.to(DataType.F64).sub(sensing.read(fields)).transpose().contiguous();
    Tensor smooth = prior.fields(gain(misses)).sub(prior.mean());
    Tensor forces = solve(misses).transpose().contiguous();
    Tensor spikes = sensing.spread(forces).mul(nuggetVariances());
    Tensor correction = smooth.to(DataType.F64).add(spikes).to(fields.type());
    return fields.add(correction.to(fields.device()));
  }

  private Tensor nuggetVariances() {
    int channels = prior.problem().channelCount();
    double[] squares = new double[channels];
    Arrays.setAll(squares, c -> prior.nugget(c) * prior.nugget(c));
    return Tensor.of(squares, 1, channels, 1, 1);
  }

  // ---- likelihood of readings

  /**
   * Returns the logarithm of the density of readings [batch, readings] under the prior, [batch].
   */
  public double[] logLikelihood(Tensor values) {
    check(values);
    int batch = values.dim(0);
    double[] result = new double[batch];
    if (factor == null) {
      return result;
    }
    double[] squares = squares(values);
    double determinant = factor.logDeterminant();
    if (!small) {
      determinant += noise.log().sum().item();
    }
    for (int b = 0; b < batch; b++) {
      result[b] = -0.5 * (squares[b] + determinant + sensing.size() * Math.log(2 * Math.PI));
    }
    return result;
  }

  /**
   * Returns the distance of readings [batch, readings] from the prior's expectation, in standard
   * deviations: the root of (y - H m)ᵀ K⁻¹ (y - H m) / readings, [batch]. It is about 1 for fields
   * like those of the training data, and 0 without readings. Readings in wrong units are far from
   * 1.
   */
  public double[] distance(Tensor values) {
    check(values);
    if (factor == null) {
      return new double[values.dim(0)];
    }
    return Arrays.stream(squares(values)).map(s -> Math.sqrt(s / sensing.size())).toArray();
  }

  private double[] squares(Tensor values) {
    Tensor misses = misses(values);
    return misses.mul(solve(misses)).sum(0).toDoubles();
  }

  /**
   * Returns, for each reading, its distance from the prediction of all other readings, in standard
   * deviations and with its sign: a single wrong reading stands out.
   *
   * @param values [1, readings]
   */
  public double[] outlying(Tensor values) {
    check(values);
    Check.that(values.dim(0) == 1, "kriging", "%d rows of values: give one", values.dim(0));
    if (factor == null) {
      return new double[0];
    }
    int k = sensing.size();
    double[] inverse = inverseDiagonal();
    double[] forces = solve(misses(values)).toDoubles();
    double[] result = new double[k];
    Arrays.setAll(result, i -> forces[i] / Math.sqrt(inverse[i]));
    return result;
  }

  // of K⁻¹
  private double[] inverseDiagonal() {
    try (Scope _ = Scope.open()) {
      if (small) {
        return factor.lower(identity(sensing.size())).square().sum(0).toDoubles();
      }
      // 1 - h, where h is the weight of a reading in its own prediction; h < 1, and rounding must
      // not make it 1.
      Tensor part = factor.lower(w.transpose().contiguous()).square().sum(true, 0).transpose();
      return part.div(noise).neg().add(1).maximum(1e-12).div(noise).toDoubles();
    }
  }
}
