package io.perflow.flow;

import io.perflow.tensor.Tensor;

/** The right-hand side of dx/dt = v(x, t). */
@FunctionalInterface
public interface VelocityField {
  /** The velocity of every field of a batch at a time. */
  Tensor at(Tensor x, double t);
}
