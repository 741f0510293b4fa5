package io.perflow.physics.equation;

import io.perflow.physics.Normalization;
import io.perflow.physics.prior.GaussianPrior;
import io.perflow.physics.prior.Sensing;
import io.perflow.tensor.Cholesky;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.factory.DecompositionFactory_DDRM;
import org.ejml.interfaces.decomposition.EigenDecomposition_F64;

/** The Gaussian distribution of causes z = m + B c with c ~ N(0, I), in physical units. */
public final class GaussianCauses implements Causes {
  private static final double NEGLIGIBLE = 1e-7; // part of the largest variance
  private static final double GUESS_ERROR = 0.1; // of a guess, in standard deviations
  private static final int CHUNK = 64; // directions whose fields are held at a time

  private final Equation equation;
  private final Normalization normalization;
  private final Tensor mean;
  private final Tensor modes;
  private final List<Double> rests;
  private volatile Regression guess; // null until it is needed

  /**
   * A regression of coefficients on causes with this variance of their errors: I + BᵀB / variance.
   */
  private record Regression(double variance, Cholesky factor) {}

  /**
   * Creates a distribution of causes.
   *
   * @param equation the equation of the causes
   * @param normalization the normalization of its fields
   * @param mean the mean m, [1, causes], F64
   * @param modes the modes B, [causes, rank], F64
   * @param rests the part of each channel that the modes do not represent, in normalized units
   */
  public GaussianCauses(
      Equation equation,
      Normalization normalization,
      Tensor mean,
      Tensor modes,
      List<Double> rests) {
    this.equation = equation;
    this.normalization = normalization;
    this.mean = mean;
    this.modes = modes;
    this.rests = List.copyOf(rests);
  }

  /**
   * Returns the distribution that a prior of the fields implies, with the causes of its mean and
   * modes. Linearly dependent modes are combined, so that there are at most as many modes as
   * numbers in a cause.
   */
  public static GaussianCauses of(
      Equation equation, GaussianPrior prior, Normalization normalization) {
    try (Scope scope = Scope.open()) {
      Tensor mean = equation.cause(normalization.denormalize(prior.mean().to(DataType.F64)));
      int rank = prior.rank();
      Tensor[] parts = new Tensor[(rank + CHUNK - 1) / CHUNK];
      for (int i = 0; i < parts.length; i++) {
        Tensor some = prior.modes().slice(1, i * CHUNK, Math.min(rank, (i + 1) * CHUNK));
        parts[i] = causes(equation, prior, normalization, some).sub(mean);
      }
      Tensor rows = Tensor.concat(0, parts); // [rank, causes]
      Tensor own = rank > equation.causes() ? joined(rows) : rows.transpose().contiguous();
      // A linear equation adds what the modes leave of a cause; for other equations the rest is
      // unknown.
      List<Double> rests =
          IntStream.range(0, prior.problem().channelCount())
              .mapToObj(c -> equation.linear() ? prior.nugget(c) : 0.0)
              .toList();
      return new GaussianCauses(equation, normalization, scope.keep(mean), scope.keep(own), rests);
    }
  }

  // The causes of the mean with one mode added, [count, causes], for modes [channels · cells,
  // count].
  private static Tensor causes(
      Equation equation, GaussianPrior prior, Normalization normalization, Tensor modes) {
    try (Scope scope = Scope.open()) {
      Tensor rows = modes.transpose().contiguous();
      Tensor fields = rows.reshape(prior.problem().batch(rows.dim(0))).to(DataType.F64);
      Tensor centre = prior.mean().to(DataType.F64);
      return scope.keep(equation.cause(normalization.denormalize(fields.add(centre))));
    }
  }

  // Returns modes [causes, rank] with the same covariance, from its eigenvectors.
  private static Tensor joined(Tensor rows) {
    int n = rows.dim(1);
    DMatrixRMaj covariance =
        DMatrixRMaj.wrap(n, n, rows.transpose().matmul(rows).contiguous().toDoubles());
    EigenDecomposition_F64<DMatrixRMaj> eigen = DecompositionFactory_DDRM.eig(n, true, true);
    if (!eigen.decompose(covariance)) {
      throw new ArithmeticException("the covariance of the causes has no eigenvectors");
    }
    double largest = 0;
    for (int i = 0; i < n; i++) {
      largest = Math.max(largest, eigen.getEigenvalue(i).getReal());
    }
    int rank = 0;
    double[] columns = new double[n * n]; // (rank, causes)
    for (int i = 0; i < n; i++) {
      double variance = eigen.getEigenvalue(i).getReal();
      if (variance > NEGLIGIBLE * largest) {
        DMatrixRMaj vector = eigen.getEigenVector(i);
        for (int j = 0; j < n; j++) {
          columns[rank * n + j] = Math.sqrt(variance) * vector.get(j);
        }
        rank++;
      }
    }
    return Tensor.of(Arrays.copyOf(columns, rank * n), rank, n).transpose().contiguous();
  }

  /** Returns the equation whose causes they are. */
  public Equation equation() {
    return equation;
  }

  /** Returns m, [1, causes]. */
  public Tensor mean() {
    return mean;
  }

  /** Returns B, [causes, rank]. */
  public Tensor modes() {
    return modes;
  }

  @Override
  public double rest(int channel) {
    return rests.get(channel);
  }

  @Override
  public int rank() {
    return modes.dim(1);
  }

  /** Returns m + B c for coefficients [batch, rank]: causes [batch, causes]. */
  public Tensor at(Tensor coefficients) {
    return coefficients.matmul(modes.transpose()).add(mean);
  }

  /**
   * Returns the most likely coefficients for causes that are known up to a tenth of their standard
   * deviation.
   */
  @Override
  public Tensor coefficients(Tensor fields) {
    double deviation = Math.sqrt(modes.square().sum(1).mean().item());
    Tensor causes = equation.cause(normalization.denormalize(fields.to(DataType.F64)));
    return coefficients(causes, GUESS_ERROR * deviation);
  }

  /**
   * Returns the most likely coefficients [batch, rank] of causes [batch, causes] that are known up
   * to an error of this standard deviation.
   */
  Tensor coefficients(Tensor causes, double error) {
    double variance = error * error;
    Regression known = guess;
    if (known == null || known.variance != variance) {
      known = Scope.outside(() -> regression(variance));
      guess = known;
    }
    Tensor right = causes.sub(mean).matmul(modes).div(variance);
    return known.factor.solve(right.transpose().contiguous()).transpose().contiguous();
  }

  private Regression regression(double variance) {
    int r = rank();
    double[] m = modes.transpose().matmul(modes).div(variance).toDoubles();
    for (int i = 0; i < r; i++) {
      m[i * r + i] += 1;
    }
    return new Regression(variance, Cholesky.of(Tensor.of(m, r, r)));
  }

  @Override
  public Inversion given(Sensing sensing, Tensor values, double accuracy) {
    return new Given(this, sensing, values.to(DataType.F64), errors(sensing, accuracy));
  }

  private static final class Given implements Inversion {
    private final GaussianCauses causes;
    private final Sensing sensing;
    private final Tensor values;
    private final Tensor errors;
    private volatile Slopes slopes; // of a linear equation, where they are the same everywhere

    Given(GaussianCauses causes, Sensing sensing, Tensor values, Tensor errors) {
      this.causes = causes;
      this.sensing = sensing;
      this.values = values;
      this.errors = errors;
    }

    @Override
    public Tensor values() {
      return values;
    }

    @Override
    public Tensor errors() {
      return errors;
    }

    @Override
    public Tensor read(Tensor c) {
      try (Scope scope = Scope.open()) {
        return scope.keep(sensing.read(causes.normalization.normalize(fields(c))));
      }
    }

    @Override
    public Slopes slopes(Tensor c) {
      if (!causes.equation.linear()) {
        return alongModes(c);
      }
      Slopes known = slopes;
      if (known == null) {
        known = Scope.outside(() -> alongModes(c));
        slopes = known;
      }
      return known;
    }

    // Some modes are processed at a time.
    private Slopes alongModes(Tensor c) {
      try (Scope scope = Scope.open()) {
        Tensor cause = causes.at(c);
        Tensor directions = causes.modes.transpose().contiguous();
        Tensor[] parts = new Tensor[(directions.dim(0) + CHUNK - 1) / CHUNK];
        for (int i = 0; i < parts.length; i++) {
          int to = Math.min(directions.dim(0), (i + 1) * CHUNK);
          parts[i] = along(cause, directions.slice(0, i * CHUNK, to).contiguous());
        }
        Tensor rows = scope.keep(Tensor.concat(0, parts).transpose().contiguous());
        return new Slopes(IntStream.range(0, sensing.size()).toArray(), rows);
      }
    }

    // Returns H F′(z) d for directions d, [count, readings].
    private Tensor along(Tensor cause, Tensor directions) {
      try (Scope scope = Scope.open()) {
        Tensor fields = causes.equation.tangent(cause, directions);
        Tensor zero = causes.normalization.normalize(fields.slice(0, 0, 1).zerosLike());
        return scope.keep(sensing.read(causes.normalization.normalize(fields).sub(zero)));
      }
    }

    @Override
    public Tensor fields(Tensor c) {
      return causes.equation.fields(causes.at(c));
    }
  }
}
