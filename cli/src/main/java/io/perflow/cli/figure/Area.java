package io.perflow.cli.figure;

/**
 * A rectangle on a canvas, in points, y down.
 *
 * @param x its left edge
 * @param y its upper edge
 * @param width how far it extends to the right
 * @param height how far it extends down
 */
record Area(double x, double y, double width, double height) {
  double right() {
    return x + width;
  }

  double bottom() {
    return y + height;
  }
}
