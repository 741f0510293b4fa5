package io.perflow.physics.constraint;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.AdvanceTransverse;
import java.util.List;

/**
 * The Leray projector onto incompressible flow: every Fourier mode loses its component along the
 * wave, û ↦ û - s (s·û) / |s|².
 *
 * <p>The mean flow has no wave vector and is kept, as are the Nyquist corners, whose divergence the
 * grid cannot see. It takes one forward and one inverse transform per velocity component.
 */
final class Leray extends OrthogonalProjector {
  private final DivergenceFree constraint;

  Leray(DivergenceFree constraint) {
    super(List.of(constraint));
    this.constraint = constraint;
  }

  @Override
  Tensor nearest(Tensor x) {
    return linear(x);
  }

  @Override
  Tensor linear(Tensor v) {
    return new AdvanceTransverse(1).apply(v, normal(v));
  }

  @Override
  Tensor step(Tensor x, Tensor to, Tensor from, double weight) {
    Tensor v = difference(to, from);
    return new AdvanceTransverse(weight).apply(x, v, normal(v));
  }

  @Override
  boolean uniform() {
    return true;
  }

  private Tensor normal(Tensor v) {
    constraint.check(v);
    return constraint.derivative().on(v).normal();
  }
}
