package io.perflow.physics.residual;

import static io.perflow.physics.residual.Stencil.COLUMNS;
import static io.perflow.physics.residual.Stencil.ROWS;

import io.perflow.tensor.Tensor;

/**
 * The residual of Burgers' equation, u_t + u u_x - ν u_xx on a field [batch, 1, times, places], ν =
 * 0.01, periodic in space.
 *
 * <p>Corrected: over the unit of time (the first and the last row are 0 and 1) and the unit circle,
 * u_t by central differences, the flux as (u²/2)_x by central differences, u_xx by three points, at
 * all times but the first and the last: [batch, 1, times - 2, places]. It is of second order in
 * both steps.
 *
 * <p>Published: both steps count as 1, u u_x is not in conservation form, u_xx is the central
 * difference of the central difference, and all ends see zeros: [batch, 1, times, places].
 */
public final class BurgersResidual implements PdeResidual {
  private static final double VISCOSITY = 0.01;

  private final boolean published;

  private BurgersResidual(boolean published) {
    this.published = published;
  }

  /** Returns the residual of the code of DiffusionPDE. */
  public static BurgersResidual published() {
    return new BurgersResidual(true);
  }

  /** Returns the residual with the steps of the grid, periodic. */
  public static BurgersResidual corrected() {
    return new BurgersResidual(false);
  }

  @Override
  public String name() {
    return published ? "burgers-published" : "burgers-corrected";
  }

  @Override
  public Tensor residual(Tensor field) {
    Stencil.check(name(), field, 1);
    return published ? onUnitSteps(field) : onTheGrid(field);
  }

  private static Tensor onUnitSteps(Tensor u) {
    Tensor ux = Stencil.zeroPadded(u, COLUMNS);
    Tensor uxx = Stencil.zeroPadded(ux, COLUMNS);
    return Stencil.zeroPadded(u, ROWS).add(u.mul(ux)).addScaled(uxx, -VISCOSITY);
  }

  private static Tensor onTheGrid(Tensor u) {
    double dt = 1.0 / (u.dim(ROWS) - 1);
    double dx = 1.0 / u.dim(COLUMNS);
    Tensor around = Stencil.inner(u, ROWS).padCircular(COLUMNS, 1, 1);
    Tensor flux = Stencil.central(around.square(), COLUMNS, dx).mul(0.5);
    Tensor uxx = Stencil.second(around, COLUMNS, dx);
    return Stencil.central(u, ROWS, dt).add(flux).addScaled(uxx, -VISCOSITY);
  }
}
