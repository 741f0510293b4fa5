package io.perflow.physics.constraint;

import io.perflow.tensor.Tensor;
import java.util.List;

/**
 * The Leray projector in three dimensions: every Fourier mode loses its component along the wave.
 * As in a plane, the mean flow and waves whose divergence the grid cannot see are kept.
 */
final class Leray3d extends OrthogonalProjector {
  private final DivergenceFree3d constraint;

  Leray3d(DivergenceFree3d constraint) {
    super(List.of(constraint));
    this.constraint = constraint;
  }

  @Override
  int axes() {
    return 5;
  }

  @Override
  boolean uniform() {
    return true;
  }

  @Override
  Tensor nearest(Tensor x) {
    return linear(x);
  }

  // The part that is lost is transformed back, not the part that is kept: a field without
  // divergence then keeps its bits except for a small difference.
  @Override
  Tensor linear(Tensor v) {
    Tensor modes = constraint.modes(name(), v);
    Tensor normal = constraint.derivative().on(v).normal().slice(-1, 0, 1); // its numbers are real
    Tensor along = modes.mul(normal).sum(true, 1).mul(normal);
    return v.sub(DivergenceFree3d.fields(along, v.shape()));
  }
}
