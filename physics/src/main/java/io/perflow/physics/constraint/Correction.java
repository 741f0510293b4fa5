package io.perflow.physics.constraint;

import io.perflow.tensor.Tensor;

/**
 * A solver for the smallest change of a field, among those that keep the constraints of a base
 * projector, that has a given effect on further equations B x = q.
 *
 * <p>With P the base's projection, T = B P and K = T Tᵀ, the change with effect r is Tᵀ λ where K λ
 * = r. Fields are F64.
 */
interface Correction {
  /**
   * Returns the change d = P d with B d = r, or as near to r as possible.
   *
   * @param r the effect, of shape [batch, rows]
   * @param tolerance the fraction of r that an iterative solution may miss
   */
  Tensor of(Tensor r, double tolerance);

  /** Returns whether the solver works without reading numbers from the device to the host. */
  default boolean withoutReading(Tensor r) {
    return false;
  }
}
