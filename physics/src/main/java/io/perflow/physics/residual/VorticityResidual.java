package io.perflow.physics.residual;

import static io.perflow.physics.residual.Stencil.COLUMNS;
import static io.perflow.physics.residual.Stencil.ROWS;

import io.perflow.tensor.Tensor;

/**
 * The residual that guides periodic Navier-Stokes samples in the code of DiffusionPDE: ∂w/∂x +
 * ∂w/∂y of the vorticity w at the last time, by central differences with step 1, zero on the ring.
 *
 * <p>It is called a divergence there, but vorticity is a scalar and no equation makes this sum
 * vanish; it serves only to reproduce the publication. Fields are vorticities [batch, frames,
 * height, width], of which only the last frame counts; the residual is [batch, 1, height, width].
 */
public final class VorticityResidual implements PdeResidual {
  private VorticityResidual() {}

  /** Returns the residual of the code of DiffusionPDE. */
  public static VorticityResidual published() {
    return new VorticityResidual();
  }

  @Override
  public String name() {
    return "ns-published";
  }

  @Override
  public Tensor residual(Tensor field) {
    Stencil.checkGrid(name(), field);
    Tensor w = field.slice(1, field.dim(1) - 1, field.dim(1));
    Tensor x = Stencil.central(Stencil.inner(w, COLUMNS), ROWS, 1);
    Tensor y = Stencil.central(Stencil.inner(w, ROWS), COLUMNS, 1);
    return Stencil.ring(x.add(y));
  }
}
