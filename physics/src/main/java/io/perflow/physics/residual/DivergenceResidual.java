package io.perflow.physics.residual;

import static io.perflow.physics.residual.Stencil.COLUMNS;
import static io.perflow.physics.residual.Stencil.ROWS;

import io.perflow.tensor.Check;
import io.perflow.tensor.Tensor;

/**
 * The residual of incompressible flow, ∂u/∂x + ∂v/∂y of each frame by central differences on the
 * unit torus.
 *
 * <p>Fields are velocities u1 … uF, v1 … vF of shape [batch, 2F, height, width], the first axis of
 * the grid being x; the residual is [batch, F, height, width]. It is of second order: velocities
 * that are divergence-free in the spectral sense, such as those of the benchmark, leave a residual
 * of the order h².
 */
public final class DivergenceResidual implements PdeResidual {
  private DivergenceResidual() {}

  /** Returns the residual with the steps of the grid, periodic. */
  public static DivergenceResidual corrected() {
    return new DivergenceResidual();
  }

  @Override
  public String name() {
    return "ns-corrected";
  }

  @Override
  public Tensor residual(Tensor field) {
    Stencil.checkGrid(name(), field);
    int channels = field.dim(1);
    Check.that(
        channels > 0 && channels % 2 == 0,
        name(),
        "velocities come in pairs u, v; %s has %d channels",
        field.shape(),
        channels);
    Tensor u = field.slice(1, 0, channels / 2);
    Tensor v = field.slice(1, channels / 2, channels);
    return derivative(u, ROWS).add(derivative(v, COLUMNS));
  }

  private static Tensor derivative(Tensor x, int axis) {
    return Stencil.central(x.padCircular(axis, 1, 1), axis, 1.0 / x.dim(axis));
  }
}
