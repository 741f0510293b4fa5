package io.perflow.cli.figure;

import java.awt.Color;

/**
 * The look of a text.
 *
 * @param size the font size in points
 * @param weight the width of the strokes as a part of the size
 * @param color the colour of the strokes
 */
record Text(double size, double weight, Color color) {
  private static final double REGULAR = 0.085;
  private static final double BOLD = 0.125;
  static final Color INK = new Color(0x1f2328);

  /** The text above a whole figure. */
  static final Text HEADING = new Text(18, BOLD, INK);

  /** The text above a plot. */
  static final Text TITLE = new Text(15.5, REGULAR, INK);

  /** The text along an axis, and in legends. */
  static final Text LABEL = new Text(14, REGULAR, INK);

  /** The text at a tick. */
  static final Text TICK = new Text(12, REGULAR, Axes.INK);

  double width(String text) {
    return size * StrokeFont.width(text);
  }

  /** Returns the height of a capital. */
  double capital() {
    return size * StrokeFont.CAPITAL;
  }
}
