package io.perflow.cli.figure;

/** One plot of a {@link Figure}. */
public abstract sealed class Panel permits FieldPanel, LineChart, BarChart {
  Panel() {}

  /** Width of the plot itself, without labels. */
  abstract double width();

  /** Height of the plot itself. */
  abstract double height();

  /** What titles, ticks, labels and legends take around it. */
  abstract Insets insets();

  /** Draws everything: the plot into {@code plot}, the labels around it. */
  abstract void draw(Canvas canvas, Area plot);
}
