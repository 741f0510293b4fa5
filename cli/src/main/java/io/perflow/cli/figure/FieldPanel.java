package io.perflow.cli.figure;

import io.perflow.tensor.Check;
import io.perflow.tensor.Tensor;
import java.awt.Color;
import java.awt.image.BufferedImage;

/**
 * A map of a field, in which each number of a grid is a rectangle in its colour.
 *
 * <p>Fields are tensors [rows, columns]. Columns run to the right and rows upwards; {@link
 * #firstAxisAcross} exchanges the two, for fields over (x, y). Without a {@link #range} the colours
 * span the numbers of the field; a field that has both signs gets the diverging map, with white at
 * zero. Cells without a finite number stay grey.
 */
public final class FieldPanel extends Panel {
  static final Color HALO = new Color(0xfffffe); // around a reading
  private static final double SIDE = 192;
  private static final int MOST_CELLS = 1024;
  private static final double SENSOR = 2.1;

  private final String title;
  private final Tensor values;
  private Tensor sensors;
  private Tensor readings;
  private Extent range;
  private ColorMap map;
  private Axis x = new Axis(0, 1, false, "");
  private Axis y = new Axis(0, 1, false, "");
  private boolean drawX;
  private boolean drawY;
  private boolean transposed;
  private ColorBar bar;

  private FieldPanel(String title, Tensor values) {
    this.title = title;
    this.values = values;
  }

  /** Returns a map of a field of shape [rows, columns]. */
  public static FieldPanel of(String title, Tensor field) {
    Check.rank("field panel", "field", field, 2);
    Check.that(field.size() > 0, "field panel", "the field %s is empty", field.shape());
    return new FieldPanel(title, field);
  }

  /** Shows only the readings of the sensors, as discs in the colours of their numbers on grey. */
  public static FieldPanel readings(String title, Tensor field, Tensor mask) {
    FieldPanel panel = of(title, field);
    Check.sameShape("field panel", "mask", mask, field.shape());
    panel.readings = mask;
    return panel;
  }

  /** Marks the places where the mask is not zero. */
  public FieldPanel sensors(Tensor mask) {
    Check.sameShape("field panel", "mask", mask, values.shape());
    sensors = mask;
    return this;
  }

  /** Sets the numbers that have the first and the last colour. */
  public FieldPanel range(double low, double high) {
    if (!(low < high)) {
      throw new IllegalArgumentException(
          "colours need a range, but %s to %s is not one".formatted(low, high));
    }
    range = new Extent(low, high);
    return this;
  }

  /** Sets the colours. */
  public FieldPanel map(ColorMap colors) {
    map = colors;
    return this;
  }

  /**
   * Draws ticks and a label below; the axis goes from 0 to 1 unless {@link #extent} sets other
   * ends.
   */
  public FieldPanel xAxis(String label) {
    x = new Axis(x.low(), x.high(), false, label);
    drawX = true;
    return this;
  }

  /** Draws ticks and a label to the left. */
  public FieldPanel yAxis(String label) {
    y = new Axis(y.low(), y.high(), false, label);
    drawY = true;
    return this;
  }

  /** Sets the coordinates of the map's edges. */
  public FieldPanel extent(double left, double right, double bottom, double top) {
    x = new Axis(left, right, false, x.label());
    y = new Axis(bottom, top, false, y.label());
    return this;
  }

  /** Lets the first axis of the field run to the right and the second upwards. */
  public FieldPanel firstAxisAcross() {
    transposed = true;
    return this;
  }

  /** Adds a scale of the colours to the right, with a label unless that is empty. */
  public FieldPanel colorBar(String label) {
    bar = new ColorBar(label);
    return this;
  }

  @Override
  double width() {
    return side(grid(values).dim(1));
  }

  @Override
  double height() {
    return side(grid(values).dim(0));
  }

  // Each cell is a whole number of pixels, so that all look alike.
  private static double side(int cells) {
    int shown = cells / stride(cells);
    int pixels = Math.max(1, (int) Math.round(SIDE * Canvas.SCALE / shown));
    return (double) pixels * shown / Canvas.SCALE;
  }

  // Very fine grids show only every second cell, or every third …
  private static int stride(int cells) {
    return (cells + MOST_CELLS - 1) / MOST_CELLS;
  }

  @Override
  Insets insets() {
    Insets labels = axes().insets();
    if (bar == null) {
      return labels;
    }
    Extent span = colorRange();
    double top = Math.max(labels.top(), bar.roomAbove(span));
    return new Insets(top, bar.room(span), labels.bottom(), labels.left());
  }

  @Override
  void draw(Canvas canvas, Area plot) {
    Extent span = colorRange();
    ColorMap colors = map != null ? map : colorsFor(span);
    if (readings == null) {
      canvas.pixels(picture(span, colors), plot);
    } else {
      canvas.fill(plot, ColorMap.MISSING);
      drawReadings(canvas, plot, span, colors);
    }
    if (sensors != null) {
      drawSensors(canvas, plot);
    }
    canvas.frame(plot, 1, Axes.INK);
    axes().draw(canvas, plot);
    if (bar != null) {
      bar.draw(canvas, plot, span, colors);
    }
  }

  private Axes axes() {
    return new Axes(title, x, drawX ? 3 : 0, width(), y, drawY ? 3 : 0);
  }

  private Tensor grid(Tensor field) {
    return transposed ? field.transpose() : field;
  }

  private Extent colorRange() {
    if (range != null) {
      return range;
    }
    return colorRange(Extent.of(values.toDoubles(), false));
  }

  /** Returns a range that is symmetric about zero for numbers of both signs. */
  static Extent colorRange(Extent extent) {
    if (extent.isEmpty()) {
      return new Extent(0, 1);
    }
    if (isSigned(extent)) {
      double most = Math.max(-extent.low(), extent.high());
      return new Extent(-most, most);
    }
    return extent.low() < extent.high() ? extent : new Extent(extent.low(), extent.low() + 1);
  }

  static ColorMap colorsFor(Extent range) {
    return isSigned(range) ? ColorMap.DIVERGING : ColorMap.SEQUENTIAL;
  }

  // Returns whether there are both signs, and neither is a mere undershoot of the other.
  private static boolean isSigned(Extent extent) {
    double most = Math.max(-extent.low(), extent.high());
    return extent.low() < -0.1 * most && extent.high() > 0.1 * most;
  }

  private BufferedImage picture(Extent span, ColorMap colors) {
    Tensor grid = grid(values);
    int width = grid.dim(1);
    int dx = stride(width);
    int dy = stride(grid.dim(0));
    BufferedImage image =
        new BufferedImage(width / dx, grid.dim(0) / dy, BufferedImage.TYPE_INT_RGB);
    double[] numbers = grid.toDoubles();
    for (int row = 0; row < image.getHeight(); row++) {
      for (int column = 0; column < image.getWidth(); column++) {
        int rgb = rgb(numbers[row * dy * width + column * dx], span, colors);
        image.setRGB(column, image.getHeight() - 1 - row, rgb);
      }
    }
    return image;
  }

  private static int rgb(double value, Extent span, ColorMap colors) {
    double part = (value - span.low()) / (span.high() - span.low());
    return colors.rgb(Double.isFinite(value) ? part : Double.NaN);
  }

  private interface Marker {
    void at(double x, double y, int cell);
  }

  private void forEach(Tensor mask, Area plot, Marker marker) {
    Tensor grid = grid(mask);
    double[] observed = grid.toDoubles();
    int width = grid.dim(1);
    for (int i = 0; i < observed.length; i++) {
      if (observed[i] != 0) {
        double px = plot.x() + (i % width + 0.5) * plot.width() / width;
        double py = plot.bottom() - (i / width + 0.5) * plot.height() / grid.dim(0);
        marker.at(px, py, i);
      }
    }
  }

  private void drawReadings(Canvas canvas, Area plot, Extent span, ColorMap colors) {
    double[] numbers = grid(values).toDoubles();
    canvas.clip(plot);
    forEach(readings, plot, (px, py, cell) -> canvas.disc(px, py, SENSOR + 0.6, HALO));
    forEach(
        readings,
        plot,
        (px, py, cell) -> canvas.disc(px, py, SENSOR, new Color(rgb(numbers[cell], span, colors))));
    canvas.unclip();
  }

  private void drawSensors(Canvas canvas, Area plot) {
    canvas.clip(plot);
    forEach(sensors, plot, (px, py, cell) -> canvas.disc(px, py, 1.7, Color.WHITE));
    forEach(sensors, plot, (px, py, cell) -> canvas.disc(px, py, 1.1, Color.BLACK));
    canvas.unclip();
  }
}
