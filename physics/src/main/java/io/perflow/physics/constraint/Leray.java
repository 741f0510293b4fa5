package io.perflow.physics.constraint;

import io.perflow.tensor.Fourier;
import io.perflow.tensor.Tensor;
import java.util.List;

/**
 * The Leray projector onto incompressible flow: every Fourier mode loses its component along the
 * wave, û ↦ û - s (s·û) / |s|².
 *
 * <p>The mean flow has no wave vector and is kept, as are the Nyquist corners, whose divergence the
 * grid cannot see. One forward and one inverse transform per velocity component.
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

  // The gradient part is subtracted in physical space, so that what has none passes unchanged but
  // for round-off.
  @Override
  Tensor linear(Tensor v) {
    constraint.check(v);
    Tensor normal = constraint.derivative().on(v).normal();
    Tensor parts = Fourier.complexMul(DivergenceFree.modes(v), normal);
    Tensor along = Fourier.complexMul(parts.slice(1, 0, 1).add(parts.slice(1, 1, 2)), normal);
    return v.sub(Fourier.irfft(along, v.dim(2), v.dim(3)).reshape(v.shape()));
  }
}
