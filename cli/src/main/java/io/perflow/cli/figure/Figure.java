package io.perflow.cli.figure;

import io.perflow.cli.figure.Canvas.Align;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;

/**
 * A figure of plots in rows and columns, aligned by their edges, as an image of two pixels to the
 * point.
 *
 * <pre>{@code
 * Figure.of(LineChart.of("training").axes("step", "loss").logY().line("RF", steps, losses))
 *     .png()
 *     .write(Path.of("loss.png"));
 * }</pre>
 */
public final class Figure {
  private static final double EDGE = 14;
  private static final double ACROSS = 16;
  private static final double DOWN = 14;

  private final List<Row> rows = new ArrayList<>();
  private String heading = "";

  private record Row(String name, List<Panel> panels) {}

  private Figure() {}

  /** Returns a figure that starts with one row of plots, or none. */
  public static Figure of(Panel... panels) {
    Figure figure = new Figure();
    return panels.length == 0 ? figure : figure.row("", panels);
  }

  /** Adds a line above everything. */
  public Figure heading(String text) {
    heading = text;
    return this;
  }

  /** Adds a row of plots; its name stands to the left, unless it is empty. */
  public Figure row(String name, Panel... panels) {
    if (panels.length == 0) {
      throw new IllegalArgumentException("a row of a figure needs at least one plot");
    }
    rows.add(new Row(name, List.of(panels)));
    return this;
  }

  /** Draws the figure on white. */
  public Png png() {
    return png(Theme.LIGHT);
  }

  /** Draws the figure in the colours of a theme. */
  public Png png(Theme theme) {
    return Png.of(image(theme));
  }

  private BufferedImage image(Theme theme) {
    Layout layout = layout();
    try (Canvas canvas = new Canvas(layout.width, layout.height, theme)) {
      draw(canvas);
      return canvas.image();
    }
  }

  /** Draws the figure on a canvas of the size of its layout. */
  void draw(Canvas canvas) {
    Layout layout = layout();
    double baseline = EDGE + Text.HEADING.capital();
    canvas.text(heading, layout.width / 2, baseline, Text.HEADING, Align.MIDDLE);
    drawRows(canvas, layout);
  }

  /** The places where plots start, and the room that the figure takes, in points. */
  record Layout(List<Double> left, double top, double width, double height) {}

  Layout layout() {
    if (rows.isEmpty()) {
      throw new IllegalStateException("the figure has no row; add one with row(…)");
    }
    double names = rows.stream().anyMatch(r -> !r.name.isEmpty()) ? Text.HEADING.size() + 8 : 0;
    int columns = rows.stream().mapToInt(r -> r.panels.size()).max().orElseThrow();
    List<Double> left = new ArrayList<>(); // edges of the plots
    double x = EDGE + names;
    for (int c = 0; c < columns; c++) {
      Insets most = insetsOfColumn(c);
      left.add(x + most.left());
      x = left.get(c) + widthOfColumn(c) + most.right() + ACROSS;
    }
    double top = EDGE + (heading.isEmpty() ? 0 : Text.HEADING.size() + 10);
    double headingWidth = Text.HEADING.width(heading);
    double width = Math.max(x - ACROSS, EDGE + headingWidth) + EDGE;
    double height = top + EDGE - DOWN;
    for (Row row : rows) {
      Insets most = insetsOfRow(row);
      height += most.top() + heightOfRow(row) + most.bottom() + DOWN;
    }
    return new Layout(left, top, width, height);
  }

  private void drawRows(Canvas canvas, Layout layout) {
    double y = layout.top;
    for (Row row : rows) {
      Insets most = insetsOfRow(row);
      y += most.top();
      double height = heightOfRow(row);
      double baseline = EDGE + Text.HEADING.capital();
      canvas.textUp(row.name, baseline, y + height / 2, Text.HEADING, Align.MIDDLE);
      for (int c = 0; c < row.panels.size(); c++) {
        Panel panel = row.panels.get(c);
        panel.draw(canvas, new Area(layout.left.get(c), y, panel.width(), panel.height()));
      }
      y += height + most.bottom() + DOWN;
    }
  }

  private List<Panel> column(int c) {
    return rows.stream().filter(r -> c < r.panels.size()).map(r -> r.panels.get(c)).toList();
  }

  private double widthOfColumn(int c) {
    return column(c).stream().mapToDouble(Panel::width).max().orElseThrow();
  }

  private static double heightOfRow(Row row) {
    return row.panels.stream().mapToDouble(Panel::height).max().orElseThrow();
  }

  private Insets insetsOfColumn(int c) {
    return column(c).stream().map(Panel::insets).reduce(Figure::most).orElseThrow();
  }

  private static Insets insetsOfRow(Row row) {
    return row.panels.stream().map(Panel::insets).reduce(Figure::most).orElseThrow();
  }

  private static Insets most(Insets a, Insets b) {
    return new Insets(
        Math.max(a.top(), b.top()),
        Math.max(a.right(), b.right()),
        Math.max(a.bottom(), b.bottom()),
        Math.max(a.left(), b.left()));
  }
}
