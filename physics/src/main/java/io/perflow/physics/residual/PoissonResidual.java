package io.perflow.physics.residual;

import static io.perflow.physics.residual.Stencil.COLUMNS;
import static io.perflow.physics.residual.Stencil.ROWS;

import io.perflow.tensor.Tensor;

/**
 * The residual of Poisson's equation, ∇²u - f by the five-point stencil on fields (f, u), [batch,
 * 2, height, width], at nodes of the unit square including its boundary.
 *
 * <p>Corrected: at the interior nodes, [batch, 1, height - 2, width - 2]; zero to round-off on
 * five-point solutions. Published: the same numbers with zeros for the ring, [batch, 1, height,
 * width]; here the code of DiffusionPDE divides by h² as it should.
 */
public final class PoissonResidual implements PdeResidual {
  private final boolean published;

  private PoissonResidual(boolean published) {
    this.published = published;
  }

  /** Returns the residual of the code of DiffusionPDE. */
  public static PoissonResidual published() {
    return new PoissonResidual(true);
  }

  /** Returns the residual without the ring, where there is no equation. */
  public static PoissonResidual corrected() {
    return new PoissonResidual(false);
  }

  @Override
  public String name() {
    return published ? "poisson-published" : "poisson-corrected";
  }

  @Override
  public Tensor residual(Tensor field) {
    Stencil.check(name(), field, 2);
    Tensor f = field.slice(1, 0, 1);
    Tensor u = field.slice(1, 1, 2);
    Tensor xx = Stencil.second(Stencil.inner(u, COLUMNS), ROWS, 1.0 / (u.dim(ROWS) - 1));
    Tensor yy = Stencil.second(Stencil.inner(u, ROWS), COLUMNS, 1.0 / (u.dim(COLUMNS) - 1));
    Tensor inside = xx.add(yy).sub(Stencil.interior(f));
    return published ? Stencil.ring(inside) : inside;
  }
}
