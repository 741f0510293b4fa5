package io.perflow.cli.figure;

import java.awt.Color;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A chart of lines and points over two axes, each linear or logarithmic; colours follow the order
 * of the series, and a legend appears when there are several.
 *
 * <p>Numbers that are not finite, or not positive on a logarithmic axis, leave a gap.
 */
public final class LineChart extends Panel {
  private static final float[] DASHES = {5, 4};
  private static final float[][] STROKES = {{}, {9, 5}, {1, 5}, {9, 5, 1, 5}, {15, 6}, {4, 4}};
  private static final Color REFERENCE = new Color(0x8b929c);

  private enum Style {
    LINE,
    MARKED,
    POINTS,
    NOISY
  }

  private record Series(String name, double[] x, double[] y, Style style) {}

  private record Level(String name, double y) {}

  private final String title;
  private final List<Series> series = new ArrayList<>();
  private final List<Level> levels = new ArrayList<>();
  private String xLabel = "";
  private String yLabel = "";
  private boolean logX;
  private boolean logY;
  private boolean fromZero;
  private boolean diagonal;
  private double width = 330;
  private double height = 220;

  private LineChart(String title) {
    this.title = title;
  }

  /** Returns an empty chart; the title may be empty. */
  public static LineChart of(String title) {
    return new LineChart(title);
  }

  /** Sets the labels of the axes. */
  public LineChart axes(String x, String y) {
    xLabel = x;
    yLabel = y;
    return this;
  }

  /** Makes the horizontal axis logarithmic. */
  public LineChart logX() {
    logX = true;
    return this;
  }

  /** Makes the vertical axis logarithmic. */
  public LineChart logY() {
    logY = true;
    return this;
  }

  /** Gives a linear vertical axis room down to 0, so that small differences look small. */
  public LineChart fromZero() {
    fromZero = true;
    return this;
  }

  /** Sets the size of the plot in points, 330 x 220 by default. */
  public LineChart size(double plotWidth, double plotHeight) {
    width = plotWidth;
    height = plotHeight;
    return this;
  }

  /** Adds a line. */
  public LineChart line(String name, double[] x, double[] y) {
    return add(name, x, y, Style.LINE);
  }

  /** Adds a line with a dot at each of its points, for a few measurements. */
  public LineChart markedLine(String name, double[] x, double[] y) {
    return add(name, x, y, Style.MARKED);
  }

  /** Adds dots, translucent so that many can be seen. */
  public LineChart points(String name, double[] x, double[] y) {
    return add(name, x, y, Style.POINTS);
  }

  /** Adds a pale line and its running mean over a fiftieth of the points, for losses. */
  public LineChart noisyLine(String name, double[] x, double[] y) {
    return add(name, x, y, Style.NOISY);
  }

  /** Adds a dashed line across the chart. */
  public LineChart level(String name, double y) {
    levels.add(new Level(name, y));
    return this;
  }

  /** Adds a dashed line where both axes have the same number; both get the same range. */
  public LineChart diagonal() {
    diagonal = true;
    return this;
  }

  private LineChart add(String name, double[] x, double[] y, Style style) {
    if (x.length != y.length) {
      throw new IllegalArgumentException(
          "series '%s' has %d numbers along x and %d along y".formatted(name, x.length, y.length));
    }
    series.add(new Series(name, x.clone(), y.clone(), style));
    return this;
  }

  @Override
  double width() {
    return width;
  }

  @Override
  double height() {
    return height;
  }

  @Override
  Insets insets() {
    Insets labels = axes().insets();
    double right = Math.max(labels.right(), legend().room());
    return new Insets(labels.top(), right, labels.bottom(), labels.left());
  }

  private Axes axes() {
    Extent x = Extent.NOTHING;
    Extent y = Extent.NOTHING;
    for (Series s : series) {
      x = x.and(Extent.of(s.x, logX));
      y = y.and(Extent.of(s.y, logY));
    }
    for (Level level : levels) {
      y = y.and(Extent.of(new double[] {level.y}, logY));
    }
    if (fromZero && !logY) {
      y = y.with(0);
    }
    if (diagonal) {
      x = x.and(y);
      y = x;
    }
    Axis across = Axis.around(x, logX, xLabel);
    return new Axes(title, across, 6, width, Axis.around(y, logY, yLabel), 5);
  }

  private Legend legend() {
    List<Legend.Entry> entries = new ArrayList<>();
    for (int i = 0; i < series.size(); i++) {
      Series s = series.get(i);
      Color color = Legend.color(i);
      int number = i;
      if (!s.name.isEmpty()) {
        entries.add(
            new Legend.Entry(s.name, (c, x, y, w) -> sample(c, s.style, number, color, x, y, w)));
      }
    }
    for (Level level : levels) {
      if (!level.name.isEmpty()) {
        entries.add(new Legend.Entry(level.name, (c, x, y, w) -> dashed(c, x, y, x + w, y)));
      }
    }
    return new Legend(entries);
  }

  private static void sample(
      Canvas c, Style style, int number, Color color, double x, double y, double w) {
    if (style != Style.POINTS) {
      c.stroke(new Line2D.Double(x + 1, y, x + w - 1, y), 2, color, strokes(number));
    }
    if (style == Style.POINTS || style == Style.MARKED) {
      c.disc(x + w / 2, y, 3, color);
    }
  }

  private static void dashed(Canvas canvas, double x1, double y1, double x2, double y2) {
    canvas.stroke(new Line2D.Double(x1, y1, x2, y2), 1.4, REFERENCE, DASHES);
  }

  @Override
  void draw(Canvas canvas, Area plot) {
    Axes axes = axes();
    axes.drawGrid(canvas, plot);
    canvas.clip(plot);
    for (Level level : levels) {
      double at = axes.y(plot, level.y);
      dashed(canvas, plot.x(), at, plot.right(), at);
    }
    if (diagonal) {
      dashed(canvas, plot.x(), plot.bottom(), plot.right(), plot.y());
    }
    canvas.unclip();
    for (int i = 0; i < series.size(); i++) {
      drawNoise(canvas, plot, axes, series.get(i), Legend.color(i));
    }
    for (int i = 0; i < series.size(); i++) {
      draw(canvas, plot, axes, series.get(i), i);
    }
    canvas.frame(plot, 1, Axes.INK);
    axes.draw(canvas, plot);
    legend().draw(canvas, plot);
  }

  // First for all series, so that the noise of one hides no mean of another.
  private void drawNoise(Canvas canvas, Area plot, Axes axes, Series s, Color color) {
    if (s.style == Style.NOISY) {
      canvas.stroke(path(plot, axes, s.x, s.y), 0.75, translucent(color, 90));
    }
  }

  // Curves after the first are dashed, each in its own way, so that a curve that lies on another
  // leaves it visible.
  private static float[] strokes(int number) {
    return STROKES[number % STROKES.length];
  }

  private void draw(Canvas canvas, Area plot, Axes axes, Series s, int number) {
    Color color = Legend.color(number);
    float[] strokes = strokes(number);
    switch (s.style) {
      case LINE -> canvas.stroke(path(plot, axes, s.x, s.y), 2, color, strokes);
      case NOISY -> canvas.stroke(path(plot, axes, s.x, runningMean(s.y)), 2, color, strokes);
      case POINTS -> dots(canvas, plot, axes, s, 2, translucent(color, 120));
      case MARKED -> {
        canvas.stroke(path(plot, axes, s.x, s.y), 2, color, strokes);
        dots(canvas, plot, axes, s, 3, color);
      }
    }
  }

  private void dots(Canvas canvas, Area plot, Axes axes, Series s, double radius, Color color) {
    for (int i = 0; i < s.x.length; i++) {
      if (drawable(s.x[i], s.y[i])) {
        canvas.disc(axes.x(plot, s.x[i]), axes.y(plot, s.y[i]), radius, color);
      }
    }
  }

  private Path2D path(Area plot, Axes axes, double[] x, double[] y) {
    Path2D path = new Path2D.Double();
    boolean down = false;
    for (int i = 0; i < x.length; i++) {
      boolean drawn = drawable(x[i], y[i]);
      if (drawn && down) {
        path.lineTo(axes.x(plot, x[i]), axes.y(plot, y[i]));
      } else if (drawn) {
        path.moveTo(axes.x(plot, x[i]), axes.y(plot, y[i]));
      }
      down = drawn;
    }
    return path;
  }

  private boolean drawable(double x, double y) {
    return Double.isFinite(x) && Double.isFinite(y) && (!logX || x > 0) && (!logY || y > 0);
  }

  private static Color translucent(Color color, int alpha) {
    return new Color(color.getRed(), color.getGreen(), color.getBlue(), alpha);
  }

  // The mean of the finite numbers in a window of a fiftieth of the points, cut off at the ends.
  static double[] runningMean(double[] y) {
    int reach = y.length / 100;
    double[] mean = new double[y.length];
    for (int i = 0; i < y.length; i++) {
      int from = Math.max(0, i - reach);
      int to = Math.min(y.length, i + reach + 1);
      mean[i] = Arrays.stream(y, from, to).filter(Double::isFinite).average().orElse(Double.NaN);
    }
    return mean;
  }
}
