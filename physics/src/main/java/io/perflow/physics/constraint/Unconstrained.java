package io.perflow.physics.constraint;

import io.perflow.tensor.Tensor;
import java.util.List;

/** The whole space as a manifold. */
enum Unconstrained implements Projector {
  INSTANCE;

  @Override
  public List<Constraint> constraints() {
    return List.of();
  }

  @Override
  public Tensor project(Tensor x) {
    return x;
  }

  @Override
  public Tensor tangent(Tensor velocity, Tensor at) {
    return velocity;
  }
}
