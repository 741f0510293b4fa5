package io.perflow.physics.interpolation;

/**
 * The grid that an {@link Interpolation} fills.
 *
 * <p>The point in row i and column j lies at (i rowSpacing, j columnSpacing). Along a periodic axis
 * of n points, i and i + n are the same place.
 *
 * @param height number of rows
 * @param width number of columns
 * @param rowSpacing physical distance between neighbouring rows
 * @param columnSpacing physical distance between neighbouring columns, in the same unit
 * @param periodicRows whether the row after the last one is the first
 * @param periodicColumns whether the column after the last one is the first
 */
public record Lattice(
    int height,
    int width,
    double rowSpacing,
    double columnSpacing,
    boolean periodicRows,
    boolean periodicColumns) {
  private static final int LONGEST = 1 << 15; // Readings.QUANTUM depends on this limit

  /**
   * Checks sizes and spacings.
   *
   * @throws IllegalArgumentException when the grid has no point or more than 32,768 along an axis,
   *     or when a spacing is not a positive number
   */
  public Lattice {
    if (height < 1 || width < 1) {
      throw new IllegalArgumentException(
          "[lattice] a grid of %d x %d has no point: both must be at least 1"
              .formatted(height, width));
    }
    if (height > LONGEST || width > LONGEST) {
      throw new IllegalArgumentException(
          "[lattice] a grid of %d x %d is too large: both may be at most %d"
              .formatted(height, width, LONGEST));
    }
    // Written so that NaN fails too.
    if (!(rowSpacing > 0 && columnSpacing > 0 && rowSpacing + columnSpacing < Double.MAX_VALUE)) {
      throw new IllegalArgumentException(
          "[lattice] spacings %s and %s must be positive, finite numbers"
              .formatted(rowSpacing, columnSpacing));
    }
  }

  /** Returns the smaller one of the two spacings. */
  double spacing() {
    return Math.min(rowSpacing, columnSpacing);
  }

  /** Evaluates a function of row and column at all points, row by row. */
  double[] map(Function function) {
    double[] field = new double[height * width];
    for (int i = 0; i < field.length; i++) {
      field[i] = function.at(i / width, i % width);
    }
    return field;
  }

  /** A function of row and column. */
  @FunctionalInterface
  interface Function {
    double at(int row, int column);
  }
}
