package io.perflow.cli.figure;

/**
 * The numbers along one side of a plot.
 *
 * @param low the number at its start
 * @param high the number at its end, above {@code low}
 * @param logarithmic whether equal lengths are equal quotients; both ends are then positive
 * @param label a description of the numbers; empty for none
 */
record Axis(double low, double high, boolean logarithmic, String label) {
  private static final double MARGIN = 0.04;

  /** Returns an axis on which all numbers have room, with a margin at both ends. */
  static Axis around(Extent numbers, boolean logarithmic, String label) {
    if (logarithmic) {
      double low = numbers.isEmpty() ? 0.1 : numbers.low();
      double high = numbers.isEmpty() ? 1 : numbers.high();
      double margin = low == high ? 2 : Math.pow(high / low, MARGIN);
      return new Axis(low / margin, high * margin, true, label);
    }
    double low = numbers.isEmpty() ? 0 : numbers.low();
    double high = numbers.isEmpty() ? 1 : numbers.high();
    double margin = low == high ? Math.max(Math.abs(low), 1) / 2 : MARGIN * (high - low);
    return new Axis(low - margin, high + margin, false, label);
  }

  /** Returns the place of a number, 0 at the low end and 1 at the high one. */
  double at(double value) {
    return logarithmic
        ? Math.log(value / low) / Math.log(high / low)
        : (value - low) / (high - low);
  }

  Ticks ticks(int about) {
    return logarithmic ? Ticks.logarithmic(low, high, about) : Ticks.linear(low, high, about);
  }

  /** Returns the label with the factor of the ticks. */
  String fullLabel(Ticks ticks) {
    if (ticks.factor().isEmpty()) {
      return label;
    }
    return label.isEmpty() ? ticks.factor() : label + " (" + ticks.factor() + ")";
  }
}
