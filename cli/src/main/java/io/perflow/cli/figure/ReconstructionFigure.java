package io.perflow.cli.figure;

import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * A figure of the readings and the reconstruction: a row of maps for each field.
 *
 * <p>With a known truth a row is sensors, truth, mean, error and standard deviation, without it
 * sensors, mean and standard deviation. The first three share one scale of colours, that of the
 * truth, and the last two another one that starts at zero: where the standard deviation is as dark
 * as the error, the ensemble knows how wrong it is.
 */
public final class ReconstructionFigure {
  private final List<Field> fields = new ArrayList<>();
  private String xLabel = "x";
  private String yLabel = "y";
  private Extent across = new Extent(0, 1);
  private Extent upwards = new Extent(0, 1);
  private boolean transposed;
  private String heading = "";

  // truth is null when it is not known
  private record Field(
      String name, Tensor readings, Tensor mask, Tensor truth, Tensor mean, Tensor deviation) {}

  private ReconstructionFigure() {}

  /** Returns a figure without fields. */
  public static ReconstructionFigure create() {
    return new ReconstructionFigure();
  }

  /** Sets the labels of the axes to the right and upwards; x and y by default. */
  public ReconstructionFigure axes(String x, String y) {
    xLabel = x;
    yLabel = y;
    return this;
  }

  /** Sets the coordinates of the maps' edges; 0 and 1 by default. */
  public ReconstructionFigure extent(double left, double right, double bottom, double top) {
    across = new Extent(left, right);
    upwards = new Extent(bottom, top);
    return this;
  }

  /** Lets the first axis of the fields run to the right and the second upwards. */
  public ReconstructionFigure firstAxisAcross() {
    transposed = true;
    return this;
  }

  /** Adds a line above everything. */
  public ReconstructionFigure heading(String text) {
    heading = text;
    return this;
  }

  /** Adds a field whose truth is known; all tensors are [rows, columns]. */
  public ReconstructionFigure field(
      String name, Tensor readings, Tensor mask, Tensor truth, Tensor mean, Tensor deviation) {
    fields.add(new Field(name, readings, mask, truth, mean, deviation));
    return this;
  }

  /** Adds a field whose truth is not known. */
  public ReconstructionFigure field(
      String name, Tensor readings, Tensor mask, Tensor mean, Tensor deviation) {
    fields.add(new Field(name, readings, mask, null, mean, deviation));
    return this;
  }

  /** Returns the figure. */
  public Figure figure() {
    Figure figure = Figure.of().heading(heading);
    for (int i = 0; i < fields.size(); i++) {
      figure.row("", row(fields.get(i), i == 0, i == fields.size() - 1));
    }
    return figure;
  }

  private Panel[] row(Field f, boolean first, boolean last) {
    Extent values = extent(f.truth == null ? f.mean : f.truth);
    Extent range = FieldPanel.colorRange(values);
    ColorMap colors = FieldPanel.colorsFor(range);
    List<FieldPanel> panels = new ArrayList<>();
    panels.add(FieldPanel.readings(title("sensors", first), f.readings, f.mask));
    if (f.truth != null) {
      panels.add(FieldPanel.of(title("truth", first), f.truth));
    }
    panels.add(FieldPanel.of(title("mean", first), f.mean).colorBar(f.name));
    panels.forEach(p -> p.range(range.low(), range.high()).map(colors));
    Extent off = extent(f.deviation);
    List<FieldPanel> errors = new ArrayList<>();
    if (f.truth != null) {
      Tensor error = f.mean.sub(f.truth).abs();
      off = off.and(extent(error));
      errors.add(FieldPanel.of(title("|mean − truth|", first), error));
    }
    errors.add(FieldPanel.of(title("standard deviation", first), f.deviation).colorBar(f.name));
    double most = off.high() > 0 ? off.high() : 1;
    errors.forEach(p -> p.range(0, most).map(ColorMap.ERROR));
    panels.addAll(errors);
    panels.getFirst().yAxis(yLabel);
    for (FieldPanel panel : panels) {
      panel.extent(across.low(), across.high(), upwards.low(), upwards.high());
      if (last) {
        panel.xAxis(xLabel);
      }
      if (transposed) {
        panel.firstAxisAcross();
      }
    }
    return panels.toArray(Panel[]::new);
  }

  private static String title(String text, boolean first) {
    return first ? text : "";
  }

  private static Extent extent(Tensor field) {
    return Extent.of(field.toDoubles(), false);
  }
}
