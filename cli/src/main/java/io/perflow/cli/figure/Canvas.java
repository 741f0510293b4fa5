package io.perflow.cli.figure;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.geom.AffineTransform;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;

/** A sheet to draw on, measured in points with y down. */
class Canvas implements AutoCloseable {
  /** The number of pixels in a point. */
  static final int SCALE = 2;

  /** The ways in which a text lies on its anchor. */
  enum Align {
    START(0),
    MIDDLE(0.5),
    END(1);

    final double part;

    Align(double part) {
      this.part = part;
    }
  }

  static {
    // Images need no display, and a display that is named but cannot be reached must not stop them.
    if (System.getProperty("java.awt.headless") == null) {
      System.setProperty("java.awt.headless", "true");
    }
  }

  private final BufferedImage image;
  private final Graphics2D graphics;
  private final Theme theme;

  Canvas(double width, double height) {
    this(width, height, Theme.LIGHT);
  }

  Canvas(double width, double height, Theme theme) {
    this.theme = theme;
    image =
        new BufferedImage(
            (int) Math.ceil(width * SCALE),
            (int) Math.ceil(height * SCALE),
            BufferedImage.TYPE_INT_RGB);
    graphics = image.createGraphics();
    graphics.setColor(theme.sheet());
    graphics.fillRect(0, 0, image.getWidth(), image.getHeight());
    graphics.scale(SCALE, SCALE);
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
  }

  BufferedImage image() {
    return image;
  }

  void line(double x1, double y1, double x2, double y2, double width, Color color) {
    stroke(new Line2D.Double(x1, y1, x2, y2), width, color);
  }

  /**
   * Draws along a shape; {@code dash} holds the lengths of strokes and gaps, none for a solid line.
   */
  void stroke(Shape shape, double width, Color color, float... dash) {
    graphics.setColor(theme.of(color));
    graphics.setStroke(
        new BasicStroke(
            (float) width,
            BasicStroke.CAP_ROUND,
            BasicStroke.JOIN_ROUND,
            1,
            dash.length == 0 ? null : dash,
            0));
    graphics.draw(shape);
  }

  void frame(Area area, double width, Color color) {
    graphics.setColor(theme.of(color));
    graphics.setStroke(
        new BasicStroke((float) width, BasicStroke.CAP_SQUARE, BasicStroke.JOIN_MITER));
    graphics.draw(rectangle(area));
  }

  void fill(Area area, Color color) {
    fill(rectangle(area), color);
  }

  void fill(Shape shape, Color color) {
    graphics.setColor(theme.of(color));
    graphics.fill(shape);
  }

  void disc(double x, double y, double radius, Color color) {
    fill(new Ellipse2D.Double(x - radius, y - radius, 2 * radius, 2 * radius), color);
  }

  /** Fills an area with the pixels of an image, each a rectangle. */
  void pixels(BufferedImage pixels, Area area) {
    graphics.drawImage(
        pixels,
        new AffineTransform(
            area.width() / pixels.getWidth(),
            0,
            0,
            area.height() / pixels.getHeight(),
            area.x(),
            area.y()),
        null);
  }

  /** Draws inside an area only, until {@link #unclip}. */
  void clip(Area area) {
    graphics.setClip(rectangle(area));
  }

  void unclip() {
    graphics.setClip(null);
  }

  /** Draws a line of text; {@code y} is its baseline. */
  void text(String text, double x, double y, Text style, Align align) {
    drawText(text, AffineTransform.getTranslateInstance(x, y), style, align);
  }

  /** Draws a line of text that runs upwards; {@code x} is its baseline, {@code y} its anchor. */
  void textUp(String text, double x, double y, Text style, Align align) {
    AffineTransform place = AffineTransform.getTranslateInstance(x, y);
    place.quadrantRotate(-1);
    drawText(text, place, style, align);
  }

  /** Draws any text; {@code place} puts its anchor on the canvas and turns it. */
  void drawText(String text, AffineTransform place, Text style, Align align) {
    place.translate(-align.part * style.width(text), 0);
    place.scale(style.size(), style.size());
    Shape strokes = place.createTransformedShape(StrokeFont.outline(text));
    stroke(strokes, style.size() * style.weight(), style.color());
  }

  private static Rectangle2D rectangle(Area area) {
    return new Rectangle2D.Double(area.x(), area.y(), area.width(), area.height());
  }

  @Override
  public void close() {
    graphics.dispose();
  }
}
