package io.perflow.physics.interpolation;

/**
 * The ways to fill a grid from scattered readings, without any knowledge of the physics.
 *
 * <p>Readings may lie between the points of the grid. Distances are physical ones, and along
 * periodic axes they are measured around the torus. Readings less than a thousandth of a cell apart
 * count as one reading with their mean value. The result depends neither on the order of the
 * readings nor on threads: each call computes on the thread that makes it.
 *
 * <pre>{@code
 * Lattice lattice = new Lattice(128, 128, 1.0 / 127, 1.0 / 128, false, true);
 * double[] field = Interpolation.THIN_PLATE.fill(rows, columns, values, lattice);
 * }</pre>
 */
public enum Interpolation {
  /**
   * Takes the value of the nearest reading. Among equally near readings, the first one in row-major
   * order counts.
   */
  NEAREST,

  /**
   * Interpolates linearly on the triangles of the Delaunay triangulation of the readings, and takes
   * the nearest reading outside their convex hull.
   *
   * <p>Where four readings lie on one circle, the diagonal that avoids the last of them in
   * row-major order is taken. Readings on a single line, one or two included, give a field that is
   * linear along the line, constant across it and constant beyond its ends. Along periodic axes the
   * readings are repeated on both sides of the grid, so there is nothing outside the hull.
   */
  LINEAR,

  /**
   * Uses the thin-plate spline Σ wᵢ r² log r + a + b x + c y: of all functions through the
   * readings, the one with the least bending energy (Duchon 1977).
   *
   * <p>Readings on a single line determine no slope across it, which is then taken as 0; a single
   * reading gives a constant. Along periodic axes the readings are repeated on both sides of the
   * grid. Up to 2000 readings, repeated ones included, are solved at once: all repetitions if they
   * fit, otherwise those nearest to the grid if they reach at least a quarter of a period beyond
   * it. With more readings, each point of the grid gets the spline through the 64 readings that are
   * nearest to it; such a field has small jumps where the 64 change.
   */
  THIN_PLATE;

  /**
   * Fills a grid.
   *
   * @param rows positions of the readings along the first axis, in units of one row; any number on
   *     a periodic axis, otherwise at most half a row outside the grid
   * @param columns positions along the second axis, in units of one column
   * @param values the readings
   * @param lattice the grid
   * @return the field, height * width numbers row by row
   * @throws IllegalArgumentException when there is no reading, when the three arrays differ in
   *     length, when a number is not finite, when a position is outside the grid, or when readings
   *     are too close together for a thin-plate spline, about 1e-7 of the extent of the grid
   */
  public double[] fill(double[] rows, double[] columns, double[] values, Lattice lattice) {
    Readings readings = Readings.of(rows, columns, values, lattice);
    return switch (this) {
      case NEAREST -> nearest(readings.tiled());
      case LINEAR -> PiecewiseLinear.fill(readings.tiled());
      case THIN_PLATE -> ThinPlate.fill(readings);
    };
  }

  private static double[] nearest(Readings readings) {
    Neighbours neighbours = new Neighbours(readings, 1);
    return readings.lattice().map((row, column) -> readings.value(neighbours.of(row, column)[0]));
  }
}
