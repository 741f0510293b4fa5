package io.perflow.tensor;

import io.perflow.tensor.backend.Backend;
import io.perflow.tensor.cpu.gemm.Triangular;
import io.perflow.tensor.op.Op;
import io.perflow.tensor.op.Saved;
import io.perflow.tensor.op.Vjp;

/**
 * The Cholesky factorization A = L Lᵀ of a symmetric positive definite matrix in double precision.
 *
 * <p>The factorization and the triangular solves are blocked, and their off-diagonal blocks are
 * matrix products that use all threads. A factorization takes about n³/3 operations, and a solve 2
 * n² for each right-hand side. Results do not depend on the number of threads.
 *
 * <p>Solutions are differentiable with respect to their right-hand sides. The factorization is not:
 * a tape treats the matrix as a constant. The tensors belong to the scope in which they were made,
 * like all others; to use a factorization beyond a scope, keep its {@link #factor}.
 */
public final class Cholesky {
  private static final String NAME = "cholesky";

  private final Tensor factor;

  private Cholesky(Tensor factor) {
    this.factor = factor;
  }

  /**
   * Factorizes a matrix.
   *
   * @param a a symmetric positive definite matrix [n, n] of type F64 on the CPU, of any layout;
   *     only its lower triangle is read
   * @throws ShapeException when a has another shape, type or device
   * @throws IllegalArgumentException when a is not positive definite; the message names the first
   *     pivot that is not positive, counted from 0, and its value
   */
  public static Cholesky of(Tensor a) {
    Check.rank(NAME, "the matrix", a, 2);
    Check.that(a.dim(0) == a.dim(1), NAME, "the matrix %s is not square", a.shape());
    Check.that(
        a.type() == DataType.F64,
        NAME,
        "the matrix %s is %s; convert it with to(DataType.F64)",
        a.shape(),
        a.type());
    Check.that(
        Triangular.reads(a),
        NAME,
        "the matrix %s is on %s; move it with to(Device.cpu())",
        a.shape(),
        a.device());
    return new Cholesky(Triangular.cholesky(a));
  }

  /** Returns the number n of rows and columns. */
  public int size() {
    return factor.dim(0);
  }

  /** Returns the lower triangular factor L [n, n], with zeros above the diagonal. */
  public Tensor factor() {
    return factor;
  }

  /** Returns the natural logarithm of the determinant of A: twice the sum of log L(i, i). */
  public double logDeterminant() {
    double sum = 0;
    int n = size();
    double[] diagonal =
        factor
            .view(Layout.of(Shape.of(n), new int[] {n + 1}, factor.layout().offset()))
            .toDoubles();
    for (double pivot : diagonal) {
      sum += Math.log(pivot);
    }
    return 2 * sum;
  }

  /**
   * Solves A x = b.
   *
   * @param b right-hand sides [n, m] of type F64 on the device of the factor
   * @return x = A⁻¹ b [n, m]
   * @throws ShapeException when b has another shape, type or device
   */
  public Tensor solve(Tensor b) {
    return upper(lower(b));
  }

  /** Solves L x = b for right-hand sides as in {@link #solve}: x = L⁻¹ b. */
  public Tensor lower(Tensor b) {
    return new Solve(factor, false).apply(b);
  }

  /** Solves Lᵀ x = b for right-hand sides as in {@link #solve}: x = L⁻ᵀ b. */
  public Tensor upper(Tensor b) {
    return new Solve(factor, true).apply(b);
  }

  /** An operation that applies L⁻¹ or L⁻ᵀ to b; each is the gradient of the other. */
  private record Solve(Tensor factor, boolean transposed) implements Op {
    @Override
    public String name() {
      return NAME;
    }

    @Override
    public Shape outputShape(Tensor... inputs) {
      Tensor b = inputs[0];
      Check.rank(NAME, "the right-hand side", b, 2);
      Check.size(NAME, "rows of the right-hand side", b, b.dim(0), factor.dim(0));
      Check.compatible(NAME, factor, b);
      return b.shape();
    }

    @Override
    public Tensor[] forward(Backend backend, Tensor... inputs) {
      return Op.only(
          transposed ? Triangular.upper(factor, inputs[0]) : Triangular.lower(factor, inputs[0]));
    }

    @Override
    public Saved saved() {
      return Saved.NOTHING;
    }

    @Override
    public Tensor[] vjp(Vjp v) {
      return Op.only(new Solve(factor, !transposed).apply(v.grad()));
    }
  }
}
