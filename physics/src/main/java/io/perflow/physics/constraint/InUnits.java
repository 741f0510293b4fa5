package io.perflow.physics.constraint;

import io.perflow.physics.Normalization;
import io.perflow.tensor.Tensor;

/** A condition on physical fields that is applied to normalized ones: g(x' scale + mean). */
record InUnits(Constraint physical, Normalization normalization) implements Constraint {
  @Override
  public String name() {
    return physical.name();
  }

  @Override
  public Tensor residual(Tensor x) {
    return physical.residual(normalization.denormalize(x));
  }

  @Override
  public Constraint normalized(Normalization more) {
    return new InUnits(physical, normalization.then(more));
  }
}
