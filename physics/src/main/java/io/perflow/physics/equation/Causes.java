package io.perflow.physics.equation;

import io.perflow.physics.Normalization;
import io.perflow.physics.prior.GaussianPrior;
import io.perflow.tensor.Cholesky;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.factory.DecompositionFactory_DDRM;
import org.ejml.interfaces.decomposition.EigenDecomposition_F64;

/**
 * The Gaussian law of the causes of an equation's fields: z = m + B c with c ~ N(0, I), in physical
 * units.
 *
 * @param mean m, [1, causes], F64
 * @param modes B, [causes, rank], F64
 */
public record Causes(Tensor mean, Tensor modes) {
  private static final double NEGLIGIBLE = 1e-7; // part of the largest variance

  /**
   * The law that a prior of the fields implies: that of the causes of its mean and modes. Modes
   * that the causes share are joined, so that there are at most as many as causes.
   */
  public static Causes of(Equation equation, GaussianPrior prior, Normalization units) {
    try (Scope scope = Scope.open()) {
      Tensor mean = equation.cause(units.denormalize(prior.mean().to(DataType.F64)));
      int rank = prior.rank();
      Tensor modes = prior.modes().transpose().to(DataType.F64).contiguous();
      Tensor centre = prior.mean().to(DataType.F64);
      Tensor fields = modes.reshape(prior.problem().batch(rank)).add(centre);
      Tensor rows = equation.cause(units.denormalize(fields)).sub(mean); // [rank, causes]
      Tensor own = rank > equation.causes() ? joined(rows) : rows.transpose().contiguous();
      return new Causes(scope.keep(mean), scope.keep(own));
    }
  }

  // [causes, rank] with the same covariance, from its eigenvectors
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

  /** Number of modes. */
  public int rank() {
    return modes.dim(1);
  }

  /** The root mean square of the causes' deviations. */
  public double deviation() {
    return Math.sqrt(modes.square().sum(1).mean().item());
  }

  /** m + B c for coefficients [batch, rank]: causes [batch, causes]. */
  public Tensor at(Tensor coefficients) {
    return coefficients.matmul(modes.transpose()).add(mean);
  }

  /**
   * The likeliest coefficients [batch, rank] of causes [batch, causes] that are known up to an
   * error of this deviation.
   */
  public Tensor coefficients(Tensor causes, double error) {
    Tensor scaled = modes.div(error);
    int r = rank();
    double[] m = scaled.transpose().matmul(scaled).toDoubles();
    for (int i = 0; i < r; i++) {
      m[i * r + i] += 1;
    }
    Tensor right = causes.to(DataType.F64).sub(mean).div(error).matmul(scaled);
    Cholesky factor = Cholesky.of(Tensor.of(m, r, r));
    return factor.solve(right.transpose().contiguous()).transpose().contiguous();
  }
}
