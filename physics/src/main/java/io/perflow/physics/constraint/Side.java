package io.perflow.physics.constraint;

import io.perflow.tensor.Tensor;

/**
 * Cells in a row along one axis, with a face before each of them; the one behind the last cell is
 * the first face if the axis is periodic, otherwise a wall.
 *
 * @param cells the number of cells
 * @param spacing the length of a cell
 * @param periodic whether the last cell is a neighbour of the first
 */
record Side(int cells, double spacing, boolean periodic) {

  /**
   * Returns (u(i + 1) - u(i)) / spacing for u on faces; nothing passes the wall behind the last
   * cell.
   */
  Tensor difference(Tensor u, int axis) {
    return following(u, axis).sub(u).mul(1 / spacing);
  }

  /** Returns the transpose of {@link #difference}: (r(i - 1) - r(i)) / spacing for r in cells. */
  Tensor transposedDifference(Tensor r, int axis) {
    return preceding(r, axis).sub(r).mul(1 / spacing);
  }

  /** Returns the means of the two faces of each cell. */
  Tensor toCells(Tensor u, int axis) {
    return following(u, axis).add(u).mul(0.5);
  }

  /** Returns the means of the two cells at each face; at a wall, half of the one. */
  Tensor toFaces(Tensor c, int axis) {
    return preceding(c, axis).add(c).mul(0.5);
  }

  private Tensor following(Tensor u, int axis) {
    Tensor more = periodic ? u.padCircular(axis, 0, 1) : u.pad(axis, 0, 1);
    return more.slice(axis, 1, cells + 1);
  }

  private Tensor preceding(Tensor r, int axis) {
    Tensor more = periodic ? r.padCircular(axis, 1, 0) : r.pad(axis, 1, 0);
    return more.slice(axis, 0, cells);
  }

  /**
   * Returns the factor by which {@link #difference} of open faces after its transpose multiplies
   * mode k: a wave on a periodic axis, the cosine cos(pi k (2i + 1) / 2n) between walls.
   */
  double eigenvalue(int k) {
    double s = 2 / spacing * Math.sin(Math.PI * k / (periodic ? cells : 2 * cells));
    return s * s;
  }
}
