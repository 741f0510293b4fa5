package io.perflow.cli.figure;

/** One plot of a {@link Figure}. */
public abstract sealed class Panel permits FieldPanel, LineChart, BarChart {
  Panel() {}

  /** Returns the width of the plot itself, without labels. */
  abstract double width();

  /** Returns the height of the plot itself. */
  abstract double height();

  /** Returns the room that titles, ticks, labels and legends take around it. */
  abstract Insets insets();

  /** Draws everything: the plot into {@code plot}, the labels around it. */
  abstract void draw(Canvas canvas, Area plot);
}
