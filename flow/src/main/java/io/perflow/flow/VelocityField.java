package io.perflow.flow;

import io.perflow.tensor.Tensor;

/** The right-hand side of dx/dt = v(x, t). */
@FunctionalInterface
public interface VelocityField {
  /** Returns the velocity of every field of a batch at one time. */
  Tensor at(Tensor x, double t);

  /** Returns the velocity before its projection, for solvers that combine projection and step. */
  default Drift drift(Tensor x, double t) {
    return Drift.of(at(x, t));
  }
}
