package io.perflow.physics.residual;

import static io.perflow.physics.residual.Stencil.COLUMNS;
import static io.perflow.physics.residual.Stencil.ROWS;

import io.perflow.tensor.Tensor;

/**
 * The residual of Darcy's equation, ∇·(a ∇p) + 1 on fields (a, p), [batch, 2, height, width], on
 * the unit square.
 *
 * <p>Corrected: differences of the fluxes through the faces, a on a face being the mean of its two
 * sides, at the interior points, [batch, 1, height - 2, width - 2]. It is of second order where a
 * is smooth, and zero to round-off on the solutions of the same scheme for any a. Points are nodes
 * with the boundary among them, h = 1/(n - 1), or centres of cells, h = 1/n.
 *
 * <p>Published: central differences of a times central differences, with step 1 and zeros beyond
 * the ends, [batch, 1, height, width]. Without 1/h the first term is of size h² and the residual of
 * any solution nearly 1 everywhere.
 */
public final class DarcyResidual implements PdeResidual {
  private enum Form {
    PUBLISHED("darcy-published"),
    NODES("darcy-corrected"),
    CELLS("darcy-cells-corrected");

    final String label;

    Form(String label) {
      this.label = label;
    }
  }

  private final Form form;

  private DarcyResidual(Form form) {
    this.form = form;
  }

  /** Returns the residual of the code of DiffusionPDE. */
  public static DarcyResidual published() {
    return new DarcyResidual(Form.PUBLISHED);
  }

  /** Returns the residual for fields at nodes. */
  public static DarcyResidual corrected() {
    return new DarcyResidual(Form.NODES);
  }

  /** Returns the residual for fields at the centres of cells. */
  public static DarcyResidual correctedOnCells() {
    return new DarcyResidual(Form.CELLS);
  }

  @Override
  public String name() {
    return form.label;
  }

  @Override
  public Tensor residual(Tensor field) {
    Stencil.check(name(), field, 2);
    Tensor a = field.slice(1, 0, 1);
    Tensor p = field.slice(1, 1, 2);
    if (form == Form.PUBLISHED) {
      Tensor rows = Stencil.zeroPadded(a.mul(Stencil.zeroPadded(p, ROWS)), ROWS);
      Tensor columns = Stencil.zeroPadded(a.mul(Stencil.zeroPadded(p, COLUMNS)), COLUMNS);
      return rows.add(columns).add(1);
    }
    return outflow(a, p, ROWS, COLUMNS).add(outflow(a, p, COLUMNS, ROWS)).add(1);
  }

  // The flow through the faces along one axis, at the interior points.
  private Tensor outflow(Tensor a, Tensor p, int axis, int other) {
    int n = a.dim(axis);
    double h = 1.0 / (form == Form.CELLS ? n : n - 1);
    Tensor a0 = Stencil.inner(a, other);
    Tensor p0 = Stencil.inner(p, other);
    Tensor sides = a0.slice(axis, 1, n).add(a0.slice(axis, 0, n - 1));
    Tensor step = p0.slice(axis, 1, n).sub(p0.slice(axis, 0, n - 1));
    Tensor flux = sides.mul(step).mul(0.5 / (h * h));
    return flux.slice(axis, 1, n - 1).sub(flux.slice(axis, 0, n - 2));
  }
}
