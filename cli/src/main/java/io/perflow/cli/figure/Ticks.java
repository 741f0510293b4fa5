package io.perflow.cli.figure;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The ticks of an axis and their labels.
 *
 * @param major the ticks with labels, ascending
 * @param minor the ticks without labels
 * @param factor the factor of all labels, such as {@code ×10⁻³}; empty for one
 */
record Ticks(List<Tick> major, List<Double> minor, String factor) {
  private static final double[] STEPS = {1, 2, 2.5, 5, 10};
  private static final int[] ONE_TWO_FIVE = {1, 2, 5};

  record Tick(double value, String label) {}

  /** Returns about this many round numbers between two ends. */
  static Ticks linear(double low, double high, int about) {
    double step = niceStep((high - low) / about);
    double largest = Math.max(Math.abs(low), Math.abs(high));
    int exponent = (int) Math.floor(Math.log10(largest));
    // Plain numbers as long as they are short.
    exponent = exponent < -2 || exponent > 3 ? exponent : 0;
    double unit = Math.pow(10, exponent);
    int decimals = decimals(step / unit);
    List<Tick> ticks = new ArrayList<>();
    double slack = 1e-9 * (high - low);
    for (long i = (long) Math.ceil((low - slack) / step); i * step <= high + slack; i++) {
      ticks.add(new Tick(i * step, number(i * step / unit, decimals)));
    }
    return new Ticks(ticks, List.of(), exponent == 0 ? "" : "×" + power(exponent));
  }

  /** Returns powers of ten between two positive ends, or 1, 2, 5 times them when there are few. */
  static Ticks logarithmic(double low, double high, int about) {
    double slack = 1e-9 * Math.log10(high / low);
    int first = (int) Math.ceil(Math.log10(low) - slack);
    int last = (int) Math.floor(Math.log10(high) + slack);
    boolean plain = first >= 0 && last <= 4;
    List<Tick> major = new ArrayList<>();
    List<Double> minor = new ArrayList<>();
    if (last - first < 1) {
      within(low, high, major, minor);
      return new Ticks(major, minor, "");
    }
    int stride = Math.max(1, (int) Math.ceil((last - first + 1.0) / (about + 1)));
    for (int e = first - 1; e <= last; e++) {
      double decade = Math.pow(10, e);
      if (e >= first && Math.floorMod(e - first, stride) == 0) {
        major.add(new Tick(decade, plain ? number(decade, 0) : power(e)));
      }
      for (int k = stride == 1 ? 2 : 10; k <= 9; k++) {
        if (k * decade > low && k * decade < high) {
          minor.add(k * decade);
        }
      }
    }
    return new Ticks(major, minor, "");
  }

  private static void within(double low, double high, List<Tick> major, List<Double> minor) {
    for (int e = (int) Math.floor(Math.log10(low)); Math.pow(10, e) <= high; e++) {
      for (int k = 1; k <= 9; k++) {
        double value = k * Math.pow(10, e);
        if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) {
          continue;
        }
        if (k == ONE_TWO_FIVE[0] || k == ONE_TWO_FIVE[1] || k == ONE_TWO_FIVE[2]) {
          boolean short_ = e >= -3 && e <= 4;
          String label = short_ ? number(value, Math.max(0, -e)) : k + "×" + power(e);
          major.add(new Tick(value, label));
        } else {
          minor.add(value);
        }
      }
    }
  }

  private static double niceStep(double raw) {
    double unit = Math.pow(10, Math.floor(Math.log10(raw)));
    for (double step : STEPS) {
      if (step * unit >= raw * (1 - 1e-9)) {
        return step * unit;
      }
    }
    return 10 * unit;
  }

  // Returns how many digits after the point tell multiples of a step apart: 0.25 needs two, 0.5
  // one.
  private static int decimals(double step) {
    int digits = 0;
    double scaled = step;
    while (digits < 12 && Math.abs(scaled - Math.rint(scaled)) > 1e-6 * scaled) {
      scaled *= 10;
      digits++;
    }
    return digits;
  }

  /**
   * Returns a number with this many digits after the point and a true minus sign, which zero does
   * not get.
   */
  static String number(double value, int decimals) {
    String text = String.format(Locale.ROOT, "%." + decimals + "f", value);
    return text.matches("-0\\.?0*") ? text.substring(1) : text.replace('-', '−');
  }

  /** Returns 10 to an integer power, in raised digits. */
  static String power(int exponent) {
    StringBuilder text = new StringBuilder("10");
    for (char c : Integer.toString(exponent).toCharArray()) {
      text.append(c == '-' ? '⁻' : "⁰¹²³⁴⁵⁶⁷⁸⁹".charAt(c - '0'));
    }
    return text.toString();
  }
}
