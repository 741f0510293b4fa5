package io.perflow.interop;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Collection;

/** The conversion of names, units and numbers from files to the form of a problem file. */
final class Legal {
  private static final int LONGEST = 60;

  private Legal() {}

  /**
   * Returns a name with letters, digits and underscores, such as {@code u_x} for {@code run/u(x)}.
   */
  static String name(String text) {
    String plain = text.replaceAll("[^\\p{L}\\p{N}_.]+", "_").replaceAll("^[_.]+|[_.]+$", "");
    String legal =
        plain.isEmpty() || !Character.isLetter(plain.codePointAt(0)) ? "q" + plain : plain;
    return legal.substring(0, Math.min(legal.length(), LONGEST - 4)); // leaves room for a number
  }

  /** Returns a legal name that is not taken, with a number added if necessary. */
  static String free(String text, Collection<String> taken) {
    String name = name(text);
    String free = name;
    for (int i = 2; taken.contains(free); i++) {
      free = name + "_" + i;
    }
    return free;
  }

  /** Returns the last part of the path of an array. */
  static String lastPart(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** Returns a unit on one line that is not too long. */
  static String unit(String text) {
    String line = text.strip().replaceAll("\\p{Cntrl}+", " ");
    boolean none = line.equals("1") || line.equals("-");
    return none ? "" : line.substring(0, Math.min(line.length(), LONGEST));
  }

  /** Returns the number with the fewest digits that is within a tolerance of another. */
  static double number(double value, double tolerance) {
    if (!(Math.abs(value) > tolerance)) {
      return 0;
    }
    for (int digits = 1; digits < 17; digits++) {
      double rounded = new BigDecimal(value).round(new MathContext(digits)).doubleValue();
      if (Math.abs(rounded - value) <= tolerance) {
        return rounded;
      }
    }
    return value;
  }

  /** Returns a number as text, without a trailing {@code .0}. */
  static String text(double value) {
    String text = Double.toString(value);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }
}
