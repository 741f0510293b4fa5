package io.perflow.cli.figure;

import io.perflow.cli.figure.Canvas.Align;
import java.awt.Color;
import java.awt.geom.Line2D;
import java.util.ArrayList;
import java.util.List;

/**
 * Bars over named categories, several side by side when there are several series. Linear axes start
 * at zero.
 */
public final class BarChart extends Panel {
  private static final double FILLED = 0.76; // of the room of a category
  private static final double GAP = 5;
  private static final int[] STRIDES = {1, 2, 5, 10, 20, 50, 100};

  private record Series(String name, double[] values) {}

  private record Level(String name, double value) {}

  private final String title;
  private final List<String> categories;
  private final List<Series> series = new ArrayList<>();
  private Level level;
  private String xLabel = "";
  private String yLabel = "";
  private boolean log;
  private double width = 330;
  private double height = 220;

  private BarChart(String title, List<String> categories) {
    this.title = title;
    this.categories = List.copyOf(categories);
  }

  /** A chart without bars; the title may be empty. */
  public static BarChart of(String title, List<String> categories) {
    if (categories.isEmpty()) {
      throw new IllegalArgumentException("a bar chart needs categories");
    }
    return new BarChart(title, categories);
  }

  /** A number for each category, NaN for none. */
  public BarChart bars(String name, double... values) {
    if (values.length != categories.size()) {
      throw new IllegalArgumentException(
          "series '%s' has %d bars for %d categories"
              .formatted(name, values.length, categories.size()));
    }
    series.add(new Series(name, values.clone()));
    return this;
  }

  /** What is along the axes. */
  public BarChart axes(String x, String y) {
    xLabel = x;
    yLabel = y;
    return this;
  }

  /** Makes the vertical axis logarithmic. */
  public BarChart log() {
    log = true;
    return this;
  }

  /** The size of the plot in points, 330 x 220 unless set. */
  public BarChart size(double plotWidth, double plotHeight) {
    width = plotWidth;
    height = plotHeight;
    return this;
  }

  /** A dashed line across, such as the height all bars should have. */
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
    return height;
  }

  @Override
  Insets insets() {
    Insets labels = axes().insets();
    double below = upright() ? widestCategory() : Text.TICK.size();
    double bottom = GAP + below + (xLabel.isEmpty() ? GAP : 2 * GAP + Text.LABEL.size());
    double right = Math.max(labels.right(), legend().room());
    return new Insets(labels.top(), right, bottom, labels.left());
  }

  private double slot() {
    return width / categories.size();
  }

  private double widestCategory() {
    return categories.stream().mapToDouble(Text.TICK::width).max().orElseThrow();
  }

  // Names that have no room beside each other are turned, numbers are left out instead.
  private boolean upright() {
    boolean numbers = categories.stream().allMatch(c -> c.matches("[0-9]+"));
    return !numbers && widestCategory() > slot() - 4;
  }

  private int stride() {
    for (int stride : STRIDES) {
      if (widestCategory() <= stride * slot() - 4) {
        return stride;
      }
    }
    return categories.size();
  }

  private Axes axes() {
    Extent y = log ? Extent.NOTHING : new Extent(0, 0);
    for (Series s : series) {
      y = y.and(Extent.of(s.values, log));
    }
    if (level != null) {
      y = y.and(Extent.of(new double[] {level.value}, log));
    }
    Axis around = Axis.around(y, log, yLabel);
    // bars stand on zero, or on the next lower power of ten
    double low =
        log ? Math.pow(10, Math.floor(Math.log10(around.low()))) : y.low() < 0 ? around.low() : 0;
    Axis axis = new Axis(low, around.high(), log, yLabel);
    return new Axes(title, new Axis(0, categories.size(), false, ""), 0, width, axis, 5);
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
      entries.add(new Legend.Entry(level.name, (c, x, y, w) -> dashed(c, x, x + w, y)));
    }
    return new Legend(entries);
  }

  private static void dashed(Canvas canvas, double x1, double x2, double y) {
    canvas.stroke(new Line2D.Double(x1, y, x2, y), 1.4, Axes.INK, 5, 4);
  }

  @Override
  void draw(Canvas canvas, Area plot) {
    Axes axes = axes();
    axes.drawGrid(canvas, plot);
    canvas.clip(plot);
    for (int i = 0; i < series.size(); i++) {
      drawBars(canvas, plot, axes, i);
    }
    if (level != null) {
      dashed(canvas, plot.x(), plot.right(), axes.y(plot, level.value));
    }
    canvas.unclip();
    canvas.frame(plot, 1, Axes.INK);
    axes.draw(canvas, plot);
    drawCategories(canvas, plot);
    legend().draw(canvas, plot);
  }

  private void drawBars(Canvas canvas, Area plot, Axes axes, int index) {
    double bar = FILLED * slot() / series.size();
    double[] values = series.get(index).values;
    for (int c = 0; c < values.length; c++) {
      if (Double.isFinite(values[c]) && (!log || values[c] > 0)) {
        double base = log ? plot.bottom() : axes.y(plot, 0);
        double end = axes.y(plot, values[c]);
        double x = plot.x() + (c + (1 - FILLED) / 2) * slot() + index * bar;
        Area area = new Area(x, Math.min(base, end), 0.96 * bar, Math.abs(base - end));
        canvas.fill(area, Legend.color(index));
      }
    }
  }

  private void drawCategories(Canvas canvas, Area plot) {
    double top = plot.bottom() + GAP;
    for (int c = 0; c < categories.size(); c += upright() ? 1 : stride()) {
      double middle = plot.x() + (c + 0.5) * slot();
      if (upright()) {
        double baseline = middle + Text.TICK.capital() / 2;
        canvas.textUp(categories.get(c), baseline, top, Text.TICK, Align.END);
      } else {
        double baseline = top + Text.TICK.capital();
        canvas.text(categories.get(c), middle, baseline, Text.TICK, Align.MIDDLE);
      }
    }
    double below = top + (upright() ? widestCategory() : Text.TICK.capital()) + 2 * GAP;
    double middle = plot.x() + plot.width() / 2;
    canvas.text(xLabel, middle, below + Text.LABEL.capital(), Text.LABEL, Align.MIDDLE);
  }
}
