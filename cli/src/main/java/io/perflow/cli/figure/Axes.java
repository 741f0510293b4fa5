package io.perflow.cli.figure;

import io.perflow.cli.figure.Canvas.Align;
import io.perflow.cli.figure.Ticks.Tick;
import java.awt.Color;

/**
 * The two axes of a plot: the places of numbers on it, and the drawing of ticks, labels and title.
 */
final class Axes {
  static final Color INK = new Color(0x3d444d);
  static final Color GRID = new Color(0xe7e9ed);
  private static final double TICK = 4;
  private static final double GAP = 4;

  private final Axis x;
  private final Axis y;
  private final Ticks xTicks;
  private final Ticks yTicks;
  private final String title;

  /**
   * Creates axes with about this many ticks each, fewer where their labels would touch; none for an
   * axis that is not drawn.
   */
  Axes(String title, Axis x, int aboutX, double width, Axis y, int aboutY) {
    this.title = title;
    this.x = x;
    this.y = y;
    xTicks = aboutX > 0 ? fitting(x, aboutX, width) : null;
    yTicks = aboutY > 0 ? y.ticks(aboutY) : null;
  }

  private static Ticks fitting(Axis axis, int about, double width) {
    Ticks ticks = axis.ticks(about);
    for (int fewer = about - 1; fewer > 0 && !haveRoom(axis, ticks, width); fewer--) {
      ticks = axis.ticks(fewer);
    }
    return ticks;
  }

  private static boolean haveRoom(Axis axis, Ticks ticks, double width) {
    double end = Double.NEGATIVE_INFINITY;
    for (Tick tick : ticks.major()) {
      double half = Text.TICK.width(tick.label()) / 2;
      double middle = axis.at(tick.value()) * width;
      if (middle - half < end + 2 * GAP) {
        return false;
      }
      end = middle + half;
    }
    return true;
  }

  double x(Area plot, double value) {
    return plot.x() + x.at(value) * plot.width();
  }

  double y(Area plot, double value) {
    return plot.bottom() - y.at(value) * plot.height();
  }

  Insets insets() {
    double top = title.isEmpty() ? Text.TICK.capital() / 2 : Text.TITLE.size() + 2 * GAP;
    double bottom = GAP;
    double left = GAP;
    double right = GAP;
    if (xTicks != null) {
      bottom = TICK + GAP + Text.TICK.size();
      right = widest(xTicks) / 2;
      left = right;
      bottom += x.fullLabel(xTicks).isEmpty() ? 0 : GAP + Text.LABEL.size();
    }
    if (yTicks != null) {
      double wide = TICK + GAP + widest(yTicks);
      wide += y.fullLabel(yTicks).isEmpty() ? 0 : 2 * GAP + labelRoom();
      left = Math.max(left, wide);
    }
    return new Insets(top, right, bottom, left);
  }

  /** Draws lines across the plot at the ticks, before the data. */
  void drawGrid(Canvas canvas, Area plot) {
    if (xTicks != null) {
      for (Tick tick : xTicks.major()) {
        double at = x(plot, tick.value());
        canvas.line(at, plot.y(), at, plot.bottom(), 0.75, GRID);
      }
    }
    if (yTicks != null) {
      for (Tick tick : yTicks.major()) {
        double at = y(plot, tick.value());
        canvas.line(plot.x(), at, plot.right(), at, 0.75, GRID);
      }
    }
  }

  /** Draws everything around the plot, after the data. */
  void draw(Canvas canvas, Area plot) {
    if (!title.isEmpty()) {
      double middle = plot.x() + plot.width() / 2;
      canvas.text(title, middle, plot.y() - 2 * GAP, Text.TITLE, Align.MIDDLE);
    }
    if (xTicks != null) {
      drawX(canvas, plot);
    }
    if (yTicks != null) {
      drawY(canvas, plot);
    }
  }

  private void drawX(Canvas canvas, Area plot) {
    double baseline = plot.bottom() + TICK + GAP + Text.TICK.capital();
    for (Tick tick : xTicks.major()) {
      double at = x(plot, tick.value());
      canvas.line(at, plot.bottom(), at, plot.bottom() + TICK, 1, INK);
      canvas.text(tick.label(), at, baseline, Text.TICK, Align.MIDDLE);
    }
    for (double minor : xTicks.minor()) {
      double at = x(plot, minor);
      canvas.line(at, plot.bottom(), at, plot.bottom() + TICK / 2, 0.75, INK);
    }
    double below = baseline + 2 * GAP + Text.LABEL.capital();
    double middle = plot.x() + plot.width() / 2;
    canvas.text(x.fullLabel(xTicks), middle, below, Text.LABEL, Align.MIDDLE);
  }

  private void drawY(Canvas canvas, Area plot) {
    for (Tick tick : yTicks.major()) {
      double at = y(plot, tick.value());
      canvas.line(plot.x() - TICK, at, plot.x(), at, 1, INK);
      double baseline = at + Text.TICK.capital() / 2;
      canvas.text(tick.label(), plot.x() - TICK - GAP, baseline, Text.TICK, Align.END);
    }
    for (double minor : yTicks.minor()) {
      double at = y(plot, minor);
      canvas.line(plot.x() - TICK / 2, at, plot.x(), at, 0.75, INK);
    }
    double beside = plot.x() - TICK - GAP - widest(yTicks) - 2 * GAP;
    double middle = plot.y() + plot.height() / 2;
    if (isShort()) {
      double baseline = middle + Text.LABEL.capital() / 2;
      canvas.text(y.fullLabel(yTicks), beside, baseline, Text.LABEL, Align.END);
    } else {
      canvas.textUp(y.fullLabel(yTicks), beside, middle, Text.LABEL, Align.MIDDLE);
    }
  }

  // A label of one or two letters stays upright, because a turned p reads as a d.
  private boolean isShort() {
    return y.fullLabel(yTicks).length() <= 2;
  }

  private double labelRoom() {
    return isShort() ? Text.LABEL.width(y.fullLabel(yTicks)) : Text.LABEL.size();
  }

  static double widest(Ticks ticks) {
    return ticks.major().stream().mapToDouble(t -> Text.TICK.width(t.label())).max().orElse(0);
  }
}
