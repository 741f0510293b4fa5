package io.perflow.cli.figure;

import io.perflow.cli.figure.Canvas.Align;
import java.awt.Color;
import java.awt.geom.Line2D;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;

/**
 * A chart of bars to the right of named categories, one below the other, so that long names stay
 * readable. With several series each category has several bars. Linear axes start at zero.
 */
public final class BarChart extends Panel {
  private static final double BAR = 13;
  private static final double BETWEEN = 8; // categories
  private static final double GAP = 5;

  private record Series(String name, double[] values) {}

  private record Level(String name, double value) {}

  private final String title;
  private final List<String> categories;
  private final List<Series> series = new ArrayList<>();
  private Level level;
  private String label = "";
  private DoubleFunction<String> numbers = _ -> "";
  private boolean log;
  private double width = 330;

  private BarChart(String title, List<String> categories) {
    this.title = title;
    this.categories = List.copyOf(categories);
  }

  /** Returns a chart without bars; the title may be empty. */
  public static BarChart of(String title, List<String> categories) {
    if (categories.isEmpty()) {
      throw new IllegalArgumentException("a bar chart needs categories");
    }
    return new BarChart(title, categories);
  }

  /** Adds a number for each category, NaN for none. */
  public BarChart bars(String name, double... values) {
    if (values.length != categories.size()) {
      throw new IllegalArgumentException(
          "series '%s' has %d bars for %d categories"
              .formatted(name, values.length, categories.size()));
    }
    series.add(new Series(name, values.clone()));
    return this;
  }

  /** Sets the label of the axis, which says what the bars show. */
  public BarChart axis(String what) {
    label = what;
    return this;
  }

  /** Writes its number at the end of each bar. */
  public BarChart numbers(DoubleFunction<String> text) {
    numbers = text;
    return this;
  }

  /** Makes the axis logarithmic. */
  public BarChart log() {
    log = true;
    return this;
  }

  /** Sets the width of the plot in points, 330 by default; the height follows from the bars. */
  public BarChart width(double points) {
    width = points;
    return this;
  }

  /** Adds a dashed line, such as the length that all bars should have. */
  public BarChart level(String name, double value) {
    level = new Level(name, value);
    return this;
  }

  @Override
  double width() {
    return width;
  }

  @Override
  double height() {
    return categories.size() * slot();
  }

  private double slot() {
    return BAR * Math.max(1, series.size()) + BETWEEN;
  }

  @Override
  Insets insets() {
    Insets labels = axes().insets();
    double names = categories.stream().mapToDouble(Text.TICK::width).max().orElseThrow();
    double left = Math.max(labels.left(), names + 2 * GAP);
    double right = Math.max(labels.right(), legend().room());
    return new Insets(labels.top(), right, labels.bottom(), left);
  }

  private Axes axes() {
    Extent x = log ? Extent.NOTHING : new Extent(0, 0);
    double text = 0;
    for (Series s : series) {
      x = x.and(Extent.of(s.values, log));
      for (double value : s.values) {
        text = Math.max(text, isDrawn(value) ? Text.TICK.width(numbers.apply(value)) : 0);
      }
    }
    if (level != null) {
      x = x.and(Extent.of(new double[] {level.value}, log));
    }
    Axis around = Axis.around(x, log, label);
    // Bars start at zero, or at the next lower power of ten.
    double low =
        log ? Math.pow(10, Math.floor(Math.log10(around.low()))) : x.low() < 0 ? around.low() : 0;
    // The longest bar leaves room for its number.
    double room = 1 / Math.max(0.3, 1 - (text + GAP) / width);
    double high =
        log ? low * Math.pow(around.high() / low, room) : low + (around.high() - low) * room;
    Axis axis = new Axis(low, high, log, label);
    return new Axes(title, axis, 5, width, new Axis(0, categories.size(), false, ""), 0);
  }

  private Legend legend() {
    List<Legend.Entry> entries = new ArrayList<>();
    for (int i = 0; i < series.size(); i++) {
      Color color = Legend.color(i);
      entries.add(
          new Legend.Entry(
              series.get(i).name,
              (c, x, y, w) -> c.fill(new Area(x + w / 2 - 5, y - 5, 10, 10), color)));
    }
    if (level != null && !level.name.isEmpty()) {
      entries.add(new Legend.Entry(level.name, (c, x, y, w) -> dashed(c, x, y, x + w, y)));
    }
    return new Legend(entries);
  }

  private static void dashed(Canvas canvas, double x1, double y1, double x2, double y2) {
    canvas.stroke(new Line2D.Double(x1, y1, x2, y2), 1.4, Axes.INK, 5, 4);
  }

  private boolean isDrawn(double value) {
    return Double.isFinite(value) && (!log || value > 0);
  }

  @Override
  void draw(Canvas canvas, Area plot) {
    Axes axes = axes();
    axes.drawGrid(canvas, plot);
    canvas.clip(plot);
    for (int c = 0; c < categories.size(); c++) {
      drawBars(canvas, plot, axes, c);
    }
    if (level != null) {
      double at = axes.x(plot, level.value);
      dashed(canvas, at, plot.y(), at, plot.bottom());
    }
    canvas.unclip();
    canvas.frame(plot, 1, Axes.INK);
    axes.draw(canvas, plot);
    for (int c = 0; c < categories.size(); c++) {
      double baseline = plot.y() + (c + 0.5) * slot() + Text.TICK.capital() / 2;
      canvas.text(categories.get(c), plot.x() - GAP, baseline, Text.TICK, Align.END);
    }
    legend().draw(canvas, plot);
  }

  // The bars of a category; missing ones leave no gap.
  private void drawBars(Canvas canvas, Area plot, Axes axes, int category) {
    long count = series.stream().filter(s -> isDrawn(s.values[category])).count();
    double y = plot.y() + (category + 0.5) * slot() - 0.5 * count * BAR;
    for (int i = 0; i < series.size(); i++) {
      double value = series.get(i).values[category];
      if (isDrawn(value)) {
        double base = log ? plot.x() : axes.x(plot, 0);
        double end = axes.x(plot, value);
        Area area = new Area(Math.min(base, end), y, Math.abs(end - base), 0.94 * BAR);
        canvas.fill(area, Legend.color(i));
        double baseline = y + BAR / 2 + Text.TICK.capital() / 2;
        canvas.text(
            numbers.apply(value), Math.max(base, end) + GAP, baseline, Text.TICK, Align.START);
        y += BAR;
      }
    }
  }
}
