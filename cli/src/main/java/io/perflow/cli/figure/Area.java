package io.perflow.cli.figure;

/**
 * A rectangle on a canvas, in points, y down.
 *
 * @param x the left edge
 * @param y the upper edge
 * @param width the extent to the right
 * @param height the extent downwards
 */
record Area(double x, double y, double width, double height) {
  double right() {
    return x + width;
  }

  double bottom() {
    return y + height;
  }
}
