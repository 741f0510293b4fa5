package io.perflow.physics.constraint;

import io.perflow.physics.Normalization;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/**
 * A condition A x = p with a linear map A, whose residual is A x - p.
 *
 * <p>To satisfy it together with others, {@link Projector#onto} needs products with A and with its
 * transpose, never the matrix.
 */
public interface AffineConstraint extends Constraint {

  /** Returns a x, of the shape of the residual: [batch, …]. */
  Tensor linear(Tensor x);

  /**
   * Returns Aᵀ r for r of the shape of the residual.
   *
   * @param field the shape [batch, channels, height, width] of the result
   */
  Tensor adjoint(Tensor r, Shape field);

  /**
   * Returns an approximation of (AAᵀ)⁻¹ r, symmetric and positive, which conjugate gradients use as
   * their preconditioner; r itself when there is nothing better.
   */
  default Tensor precondition(Tensor r, Shape field) {
    return r;
  }

  /** The same condition on normalized fields, which is linear as well. */
  @Override
  default Constraint normalized(Normalization units) {
    return new AffineInUnits(this, units);
  }
}
