package io.perflow.physics;

import io.perflow.tensor.Check;

/**
 * The points at which a field is given: a grid of two named axes.
 *
 * @param rows the axis along the height of a field
 * @param columns the axis along its width
 */
public record Grid(Axis rows, Axis columns) {

  /** Checks that the axes have different names and that the number of points fits an int. */
  public Grid {
    Check.that(!rows.name().equals(columns.name()), "grid", "both axes are named %s", rows.name());
    Check.that(
        (long) rows.points() * columns.points() <= Integer.MAX_VALUE,
        "grid",
        "%d x %d points are too many",
        rows.points(),
        columns.points());
  }

  /** Returns the number of points along the first axis. */
  public int height() {
    return rows.points();
  }

  /** Returns the number of points along the second axis. */
  public int width() {
    return columns.points();
  }

  /** Returns the total number of points. */
  public int cells() {
    return height() * width();
  }

  /** Returns the same grid with other numbers of points. */
  public Grid resized(int height, int width) {
    return new Grid(rows.points(height), columns.points(width));
  }

  /**
   * Returns the axis with a name.
   *
   * @throws IllegalArgumentException naming the existing axes
   */
  public Axis axis(String name) {
    return dimension(name) == 2 ? rows : columns;
  }

  /** Returns the axis of fields [batch, channels, height, width] that a name stands for: 2 or 3. */
  public int dimension(String name) {
    if (name.equals(rows.name())) {
      return 2;
    }
    if (name.equals(columns.name())) {
      return 3;
    }
    throw new IllegalArgumentException(
        "there is no axis '%s'; there are %s and %s".formatted(name, rows.name(), columns.name()));
  }

  @Override
  public String toString() {
    return rows + "; " + columns;
  }
}
