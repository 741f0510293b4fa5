package io.perflow.cli.figure;

import java.awt.Color;

/**
 * Colours for numbers from 0 to 1, perceptually uniform: equal steps of the number are equal steps
 * in the space OKLab (Ottosson 2020).
 *
 * <p>Each map is a curve through control points given as lightness, chroma and hue, with straight
 * lines between them in these coordinates, walked at constant speed; colours outside sRGB lose
 * chroma, never lightness. The two arms of a diverging map are walked apart and meet in the middle.
 */
public enum ColorMap {
  /** Dark violet over green to light yellow, for numbers of one sign. */
  SEQUENTIAL(
      new double[][] {{0.25, 0.11, 310}, {0.44, 0.11, 262}, {0.64, 0.11, 184}, {0.93, 0.18, 106}}),
  /** Blue over white to red, for numbers around zero; both arms have the same lightness. */
  DIVERGING(
      new double[][] {{0.34, 0.12, 262}, {0.62, 0.135, 250}, {0.97, 0, 240}},
      new double[][] {{0.97, 0, 45}, {0.62, 0.15, 35}, {0.34, 0.13, 22}}),
  /** White over orange to dark purple, for errors and standard deviations: zero is white. */
  ERROR(
      new double[][] {
        {0.985, 0.01, 95}, {0.86, 0.12, 78}, {0.65, 0.19, 38}, {0.45, 0.16, 5}, {0.24, 0.09, -40}
      });

  /** The colour of places without a number. */
  static final Color MISSING = new Color(0xe4e6ea);

  private static final int STEPS = 256;
  private static final int FINE = 2048;

  private final int[] table = new int[STEPS + 1]; // sRGB, from 0 to 1

  ColorMap(double[][]... arms) {
    int part = STEPS / arms.length;
    for (int i = 0; i < arms.length; i++) {
      walk(arms[i], i * part, part);
    }
  }

  /**
   * Returns the colour of a number as 0xRRGGBB; numbers outside 0 … 1 have the colour of the nearer
   * end.
   */
  int rgb(double value) {
    return Double.isNaN(value)
        ? MISSING.getRGB() & 0xffffff
        : table[(int) Math.round(Math.clamp(value, 0, 1) * STEPS)];
  }

  /** Returns the colours of 0 to 1 in 257 equal steps, each 0xRRGGBB. */
  public int[] colors() {
    return table.clone();
  }

  // Fills the table from an entry on with this many steps of equal length.
  private void walk(double[][] points, int first, int steps) {
    double[] length = new double[FINE + 1];
    double[] last = along(points, 0);
    for (int i = 1; i <= FINE; i++) {
      double[] next = along(points, (double) i / FINE);
      length[i] = length[i - 1] + distance(last, next);
      last = next;
    }
    int at = 0;
    for (int i = 0; i <= steps; i++) {
      double wanted = length[FINE] * i / steps;
      while (at < FINE - 1 && length[at + 1] <= wanted) {
        at++;
      }
      double step = Math.min(1, (wanted - length[at]) / (length[at + 1] - length[at]));
      table[first + i] = OkLab.toRgb(along(points, (at + step) / FINE));
    }
  }

  private static double[] along(double[][] points, double t) {
    double at = t * (points.length - 1);
    int i = Math.min((int) at, points.length - 2);
    double f = at - i;
    double[] lch = new double[3];
    for (int k = 0; k < 3; k++) {
      lch[k] = (1 - f) * points[i][k] + f * points[i + 1][k];
    }
    return OkLab.inGamut(lch);
  }

  private static double distance(double[] p, double[] q) {
    return StrictMath.hypot(p[0] - q[0], StrictMath.hypot(p[1] - q[1], p[2] - q[2]));
  }
}
