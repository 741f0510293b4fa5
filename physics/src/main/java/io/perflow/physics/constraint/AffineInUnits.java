package io.perflow.physics.constraint;

import io.perflow.physics.Normalization;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Collections;

/** A linear condition on physical fields, applied to normalized ones: A (x' scale + mean) = p. */
record AffineInUnits(AffineConstraint physical, Normalization units) implements AffineConstraint {
  @Override
  public String name() {
    return physical.name();
  }

  @Override
  public Tensor residual(Tensor x) {
    return physical.residual(units.denormalize(x));
  }

  @Override
  public Tensor linear(Tensor x) {
    return physical.linear(scaled(x));
  }

  @Override
  public Tensor adjoint(Tensor r, Shape field) {
    return scaled(physical.adjoint(r, field));
  }

  private Tensor scaled(Tensor x) {
    return new Normalization(Collections.nCopies(units.channels(), 0.0), units.scale())
        .denormalize(x);
  }

  @Override
  public Constraint normalized(Normalization more) {
    return new AffineInUnits(physical, units.then(more));
  }
}
