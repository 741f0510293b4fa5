package io.perflow.cli.figure;

import java.awt.geom.AffineTransform;
import java.awt.geom.Path2D;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * The letters of the figures: one sans-serif face made of strokes.
 *
 * <p>A JDK brings no fonts, and a server often has none; with these letters a figure can be drawn
 * anywhere, and is the same everywhere. The glyphs are lines and curves of no width in {@code
 * glyphs.txt}, one in a line: the character, the kind of its left and right side (straight, round
 * or diagonal, which sets the space there), its width, and a path. Coordinates are hundredths of
 * the font size from the baseline, y up. Path commands are M, L, C, Z as usual, {@code H x y} and
 * {@code V x y} for a quarter of an ellipse that starts horizontally or vertically, and {@code D x
 * y} for a dot. Raised and lowered characters are small ones moved.
 */
final class StrokeFont {
  /** The height of capitals, in font sizes. */
  static final double CAPITAL = 0.70;

  /** The height of an x. */
  static final double X_HEIGHT = 0.50;

  private static final String RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ";
  private static final String RAISED_FROM = "0123456789−+n";
  private static final String LOWERED = "₀₁₂₃₄₅₆₇₈₉ₓₙ";
  private static final String LOWERED_FROM = "0123456789xn";
  private static final double SMALL = 0.64;
  private static final double RISE = 32;
  private static final double DROP = -14;
  private static final double SPACE = 27;
  // A quarter of an ellipse needs 0.5523; a little more makes rounds squarer and open at small
  // sizes.
  private static final double ROUNDNESS = 0.58;
  private static final double DOT = 1.2;

  private static final Map<Integer, Glyph> GLYPHS = load();

  private StrokeFont() {}

  private record Glyph(Path2D path, double left, double advance) {}

  /** Returns the width of a line of text at font size 1. */
  static double width(String text) {
    return text.codePoints().mapToDouble(c -> glyph(c).advance).sum() / 100;
  }

  /** Returns the strokes of a line of text at font size 1, from (0, 0) on the baseline, y down. */
  static Path2D outline(String text) {
    Path2D line = new Path2D.Double();
    double x = 0;
    for (int c : text.codePoints().toArray()) {
      Glyph glyph = glyph(c);
      AffineTransform place = AffineTransform.getScaleInstance(0.01, -0.01);
      place.translate(x + glyph.left, 0);
      line.append(glyph.path.getPathIterator(place), false);
      x += glyph.advance;
    }
    return line;
  }

  /** Returns whether a character has a glyph; others show as a box. */
  static boolean has(int codePoint) {
    return GLYPHS.containsKey(codePoint);
  }

  private static Glyph glyph(int codePoint) {
    return GLYPHS.getOrDefault(codePoint, GLYPHS.get(0));
  }

  private static Map<Integer, Glyph> load() {
    Map<Integer, Glyph> glyphs = new HashMap<>();
    try (InputStream in = StrokeFont.class.getResourceAsStream("glyphs.txt")) {
      new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .forEach(line -> glyphs.put(line.codePointAt(0), parse(line.split(" "))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (int i = 0; i < RAISED.length(); i++) {
      Glyph from = glyphs.get((int) RAISED_FROM.charAt(i));
      glyphs.put((int) RAISED.charAt(i), moved(from, RISE));
    }
    for (int i = 0; i < LOWERED.length(); i++) {
      Glyph from = glyphs.get((int) LOWERED_FROM.charAt(i));
      glyphs.put((int) LOWERED.charAt(i), moved(from, DROP));
    }
    glyphs.put((int) ' ', new Glyph(new Path2D.Double(), 0, SPACE));
    glyphs.put((int) '\u00a0', new Glyph(new Path2D.Double(), 0, SPACE));
    glyphs.put((int) '\u2009', new Glyph(new Path2D.Double(), 0, SPACE / 2)); // a thin space
    glyphs.put(0, parse("? ss 36 M 0 0 L 0 70 L 36 70 L 36 0 Z".split(" ")));
    return glyphs;
  }

  private static Glyph moved(Glyph glyph, double up) {
    AffineTransform small = new AffineTransform(SMALL, 0, 0, SMALL, 0, up);
    Path2D path = new Path2D.Double(glyph.path, small);
    return new Glyph(path, SMALL * glyph.left, SMALL * glyph.advance);
  }

  private static Glyph parse(String[] words) {
    double left = bearing(words[1].charAt(0));
    double right = bearing(words[1].charAt(1));
    Path2D path = new Path2D.Double();
    int at = 3;
    while (at < words.length) {
      char command = words[at].charAt(0);
      int count = command == 'Z' ? 0 : command == 'C' ? 6 : 2;
      double[] p = new double[count];
      for (int i = 0; i < count; i++) {
        p[i] = Double.parseDouble(words[at + 1 + i]);
      }
      add(path, command, p);
      at += 1 + count;
    }
    return new Glyph(path, left, left + Double.parseDouble(words[2]) + right);
  }

  private static double bearing(char side) {
    return switch (side) {
      case 's' -> 10.5;
      case 'r' -> 8.5;
      default -> 6;
    };
  }

  private static void add(Path2D path, char command, double[] p) {
    switch (command) {
      case 'M' -> path.moveTo(p[0], p[1]);
      case 'L' -> path.lineTo(p[0], p[1]);
      case 'C' -> path.curveTo(p[0], p[1], p[2], p[3], p[4], p[5]);
      case 'H' -> quarter(path, p[0], p[1], ROUNDNESS, 0);
      case 'V' -> quarter(path, p[0], p[1], 0, ROUNDNESS);
      case 'Z' -> path.closePath();
      case 'D' -> dot(path, p[0], p[1]);
      default -> throw new IllegalStateException("no path command " + command);
    }
  }

  // A little cross, which a stroke with round ends turns into a dot somewhat wider than the stroke.
  private static void dot(Path2D path, double x, double y) {
    path.moveTo(x - DOT, y);
    path.lineTo(x + DOT, y);
    path.moveTo(x, y - DOT);
    path.lineTo(x, y + DOT);
  }

  // The curve leaves along one axis and arrives along the other.
  private static void quarter(Path2D path, double x, double y, double alongX, double alongY) {
    double x0 = path.getCurrentPoint().getX();
    double y0 = path.getCurrentPoint().getY();
    double dx = x - x0;
    double dy = y - y0;
    path.curveTo(x0 + alongX * dx, y0 + alongY * dy, x - alongY * dx, y - alongX * dy, x, y);
  }
}
