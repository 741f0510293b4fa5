package io.perflow.cli.figure;

import io.perflow.cli.figure.Canvas.Align;
import io.perflow.cli.figure.Ticks.Tick;
import java.awt.image.BufferedImage;

/**
 * The scale of colours to the right of a map, with its label above.
 *
 * @param label a description of the numbers; empty for none
 */
record ColorBar(String label) {
  private static final double DISTANCE = 9;
  private static final double WIDTH = 11;
  private static final double TICK = 3;
  private static final double GAP = 4;
  private static final int COLORS = 256;

  /** Returns the room that it takes to the right of the map. */
  double room(Extent range) {
    Ticks ticks = ticks(range);
    double beside = WIDTH + TICK + GAP + Axes.widest(ticks);
    return DISTANCE + Math.max(beside, Text.TICK.width(caption(ticks)));
  }

  /** Returns the room that it takes above the map. */
  double roomAbove(Extent range) {
    return caption(ticks(range)).isEmpty() ? 0 : 2 * GAP + Text.TICK.size();
  }

  void draw(Canvas canvas, Area plot, Extent range, ColorMap map) {
    Ticks ticks = ticks(range);
    Area bar = new Area(plot.right() + DISTANCE, plot.y(), WIDTH, plot.height());
    BufferedImage colors = new BufferedImage(1, COLORS, BufferedImage.TYPE_INT_RGB);
    for (int i = 0; i < COLORS; i++) {
      colors.setRGB(0, COLORS - 1 - i, map.rgb(i / (COLORS - 1.0)));
    }
    canvas.pixels(colors, bar);
    canvas.frame(bar, 1, Axes.INK);
    Axis axis = new Axis(range.low(), range.high(), false, label);
    for (Tick tick : ticks.major()) {
      double at = bar.bottom() - axis.at(tick.value()) * bar.height();
      canvas.line(bar.right(), at, bar.right() + TICK, at, 1, Axes.INK);
      double baseline = at + Text.TICK.capital() / 2;
      canvas.text(tick.label(), bar.right() + TICK + GAP, baseline, Text.TICK, Align.START);
    }
    canvas.text(caption(ticks), bar.x(), bar.y() - 2 * GAP, Text.TICK, Align.START);
  }

  private String caption(Ticks ticks) {
    return (label + " " + ticks.factor()).strip();
  }

  private static Ticks ticks(Extent range) {
    return Ticks.linear(range.low(), range.high(), 5);
  }
}
