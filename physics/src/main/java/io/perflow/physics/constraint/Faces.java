package io.perflow.physics.constraint;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/**
 * The cells and faces of a staggered grid: which cells are fluid, and which faces are open because
 * both cells beside them are.
 *
 * <p>Face (0, i, j) lies between the cells (i - 1, j) and (i, j), face (1, i, j) between (i, j - 1)
 * and (i, j). Velocities are [batch, 2 frames, height, width], those across the first kind before
 * those across the second.
 */
final class Faces {
  private final Side rows;
  private final Side columns;
  private final boolean[] solid; // by cell
  private final boolean[] closed; // by component and cell
  private final Constant fluidMask; // [height, width]; null when all cells are fluid
  private final Constant closedMask; // [2, 1, height, width]; null when all faces are open

  /**
   * Creates a grid with walls at the ends of axes that are not periodic, and where {@code solid}
   * says so.
   */
  Faces(Side rows, Side columns, boolean[] solid) {
    this.rows = rows;
    this.columns = columns;
    this.solid = solid;
    int count = rows.cells() * columns.cells();
    closed = new boolean[2 * count];
    double[] fluid = new double[count];
    double[] shut = new double[2 * count];
    boolean anySolid = false;
    boolean anyClosed = false;
    for (int cell = 0; cell < count; cell++) {
      fluid[cell] = solid[cell] ? 0 : 1;
      anySolid |= solid[cell];
      for (int component = 0; component < 2; component++) {
        int face = component * count + cell;
        int before = before(component, cell);
        closed[face] = before < 0 || solid[cell] || solid[before];
        shut[face] = closed[face] ? 1 : 0;
        anyClosed |= closed[face];
      }
    }
    int h = rows.cells();
    int w = columns.cells();
    fluidMask = anySolid ? Constant.of(Tensor.of(fluid, h, w)) : null;
    closedMask = anyClosed ? Constant.of(Tensor.of(shut, 2, 1, h, w)) : null;
  }

  Side rows() {
    return rows;
  }

  Side columns() {
    return columns;
  }

  /** Returns the grid with its axes exchanged, without its obstacles. */
  Faces turned() {
    return new Faces(columns, rows, new boolean[solid.length]);
  }

  /** Returns the cell on the other side of a cell's face, or -1 when the face is closed. */
  int neighbour(int component, int cell) {
    return closed[component * solid.length + cell] ? -1 : before(component, cell);
  }

  // Returns the cell before another one along an axis, or -1 when there is a wall between them.
  private int before(int component, int cell) {
    int w = columns.cells();
    Side side = component == 0 ? rows : columns;
    int at = component == 0 ? cell / w : cell % w;
    if (at == 0 && !side.periodic()) {
      return -1;
    }
    int step = component == 0 ? w : 1;
    return at == 0 ? cell + (side.cells() - 1) * step : cell - step;
  }

  /**
   * Returns the number of fluid cells and closed faces: the equations that each frame has to
   * satisfy.
   */
  int equations() {
    int count = 0;
    for (int face = 0; face < closed.length; face++) {
      count += closed[face] ? 1 : 0;
      count += face < solid.length && !solid[face] ? 1 : 0;
    }
    return count;
  }

  /** Returns the divergence of each cell, of shape [batch, frames, height, width]. */
  Tensor divergence(Tensor x) {
    Tensor pairs = pairs(x);
    return rows.difference(pairs.select(1, 0), 2).add(columns.difference(pairs.select(1, 1), 3));
  }

  /** Returns the transpose of {@link #divergence}. */
  Tensor transposedDivergence(Tensor r) {
    return Tensor.concat(1, rows.transposedDifference(r, 2), columns.transposedDifference(r, 3));
  }

  /** Returns the numbers of fluid cells, with 0 in solid ones. */
  Tensor inFluid(Tensor r) {
    return fluidMask == null ? r : fluidMask.like(r).where(r, zero(r));
  }

  /** Returns the velocities with 0 on closed faces. */
  Tensor open(Tensor x) {
    return closedMask == null ? x : closedMask.like(x).where(zero(x), pairs(x)).reshape(x.shape());
  }

  /** Returns the velocities with 0 on open faces. */
  Tensor closed(Tensor x) {
    return closedMask == null
        ? x.zerosLike()
        : closedMask.like(x).where(pairs(x), zero(x)).reshape(x.shape());
  }

  private static Tensor pairs(Tensor x) {
    return x.reshape(x.dim(0), 2, x.dim(1) / 2, x.dim(2), x.dim(3));
  }

  private static Tensor zero(Tensor x) {
    return Tensor.full(x.device(), Shape.of(), x.type(), 0);
  }
}
