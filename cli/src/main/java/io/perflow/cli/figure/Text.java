package io.perflow.cli.figure;

import java.awt.Color;

/**
 * How text looks.
 *
 * @param size font size in points
 * @param weight width of the strokes as a part of the size
 * @param color of the strokes
 */
record Text(double size, double weight, Color color) {
  private static final double REGULAR = 0.085;
  private static final double BOLD = 0.125;
  static final Color INK = new Color(0x1f2328);

  /** Above a whole figure. */
  static final Text HEADING = new Text(18, BOLD, INK);

  /** Above a plot. */
  static final Text TITLE = new Text(15.5, REGULAR, INK);

  /** Along an axis, and in legends. */
  static final Text LABEL = new Text(14, REGULAR, INK);

  /** At a tick. */
  static final Text TICK = new Text(12, REGULAR, Axes.INK);

  double width(String text) {
    return size * StrokeFont.width(text);
  }

  /** Returns the height of a capital. */
  double capital() {
    return size * StrokeFont.CAPITAL;
  }
}
