package io.perflow.physics.constraint;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.function.UnaryOperator;

/**
 * A solver for many equations by conjugate gradients on K λ = r, preconditioned constraint by
 * constraint. If the equations need not be consistent, it solves TᵀT d = Tᵀ r, whose solution is
 * the least-squares answer.
 */
final class IterativeCorrection implements Correction {
  private final OrthogonalProjector base;
  private final Rows rows;
  private final boolean leastSquares;

  IterativeCorrection(OrthogonalProjector base, Rows rows, boolean leastSquares) {
    this.base = base;
    this.rows = rows;
    this.leastSquares = leastSquares;
  }

  @Override
  public Tensor of(Tensor r, double tolerance) {
    if (leastSquares) {
      Tensor start = base.linear(rows.adjoint(r));
      UnaryOperator<Tensor> normal = d -> base.linear(rows.adjoint(rows.linear(base.linear(d))));
      return solve(normal, d -> d, start, tolerance);
    }
    UnaryOperator<Tensor> k = l -> rows.linear(base.linear(rows.adjoint(l)));
    var iteration =
        new ConjugateGradients(onHost(k, r), onHost(rows::precondition, r), r.dim(0), tolerance)
            .below(onHost(l -> rows.adjoint(l).square().sum(1, 2, 3), r)); // K is at most B Bᵀ
    Tensor multipliers = upload(iteration.solve(r.toDoubles()), r);
    return base.linear(rows.adjoint(multipliers));
  }

  /** Solves a system with K by conjugate gradients up to a given fraction of r. */
  static Tensor solve(
      UnaryOperator<Tensor> matrix,
      UnaryOperator<Tensor> preconditioner,
      Tensor r,
      double tolerance) {
    var iteration =
        new ConjugateGradients(onHost(matrix, r), onHost(preconditioner, r), r.dim(0), tolerance);
    return upload(iteration.solve(r.toDoubles()), r);
  }

  // The vectors of the iteration live on the host, where their sums have one fixed order.
  private static UnaryOperator<double[]> onHost(UnaryOperator<Tensor> map, Tensor like) {
    return vector -> {
      try (Scope _ = Scope.open()) {
        Tensor in = upload(vector, like);
        Tensor out = map.apply(in);
        return out == in ? vector.clone() : out.toDoubles();
      }
    };
  }

  private static Tensor upload(double[] vector, Tensor like) {
    return like.device().backend().memory().upload(vector, like.shape());
  }
}
