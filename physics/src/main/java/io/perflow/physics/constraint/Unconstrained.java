package io.perflow.physics.constraint;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Advance;
import java.util.List;

/** The projector onto the whole space, which changes nothing. */
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
  public Tensor advance(Tensor x, Tensor to, Tensor from, double weight) {
    Tensor one = Tensor.full(x.device(), Shape.of(), x.type(), 1);
    return new Advance(weight).apply(x, to, from, one, one);
  }

  @Override
  public Tensor tangent(Tensor velocity, Tensor at) {
    return velocity;
  }
}
