package io.perflow.physics.constraint;

import io.perflow.tensor.Tensor;

/**
 * The Poisson problem of {@link StaggeredLeray}: D Dᵀ q = d, where D takes the divergence of the
 * open faces of each cell. That nothing flows through closed faces is Neumann's condition.
 */
interface Pressure {
  /**
   * Returns the solution, which is unique up to a constant in every connected part of the fluid.
   *
   * @param divergence the divergence d, F64, of shape [batch, frames, height, width], with the sum
   *     0 over each connected part of the fluid
   */
  Tensor of(Tensor divergence);
}
