package io.perflow.flow;

import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Axis;
import io.perflow.physics.Grid;
import io.perflow.tensor.Tensor;

/**
 * A padding that adds rows and columns around a field, so that a U-Net can halve a grid of any
 * size. An axis whose length is a multiple of the factor is left as it is. Any other axis is
 * continued at both ends, periodically or with the value at the wall.
 *
 * @param rows the indices of the rows of the larger field; null when none are added
 * @param columns the indices of its columns
 */
record Padding(int[] rows, int[] columns, Grid grid) {

  /** Returns the padding to multiples of a factor. */
  static Padding of(Grid grid, int factor) {
    return new Padding(indices(grid.rows(), factor), indices(grid.columns(), factor), grid);
  }

  private static int[] indices(Axis axis, int factor) {
    int size = axis.points();
    int padded = (size + factor - 1) / factor * factor;
    if (padded == size) {
      return null;
    }
    int[] indices = new int[padded];
    for (int i = 0; i < padded; i++) {
      int at = i - (padded - size) / 2;
      indices[i] = axis.periodic() ? Math.floorMod(at, size) : Math.clamp(at, 0, size - 1);
    }
    return indices;
  }

  /**
   * Returns the network's configuration with periodic convolutions along the axes that are periodic
   * and not padded.
   */
  UNetConfig fit(UNetConfig network) {
    return network.periodic(
        grid.rows().periodic() && rows == null, grid.columns().periodic() && columns == null);
  }

  /** Returns whether no row or column is added. */
  boolean isEmpty() {
    return rows == null && columns == null;
  }

  /** Returns the larger field. */
  Tensor pad(Tensor x) {
    Tensor tall = rows == null ? x : x.gather(2, rows);
    return columns == null ? tall : tall.gather(3, columns);
  }

  /** Returns the field inside a larger one. */
  Tensor crop(Tensor x) {
    Tensor cut = rows == null ? x : cut(x, 2, grid.height());
    Tensor both = columns == null ? cut : cut(cut, 3, grid.width());
    return isEmpty() ? x : both.contiguous();
  }

  private static Tensor cut(Tensor x, int axis, int size) {
    int first = (x.dim(axis) - size) / 2;
    return x.slice(axis, first, first + size);
  }
}
