package io.perflow.cli;

import io.perflow.physics.Sensors;

/** The numbers of sensors in the form that options have. */
final class SensorCount {
  private SensorCount() {}

  /**
   * Returns a distribution with the numbers of {@code 5} or {@code 3..8}; the given distribution
   * itself when there are none.
   */
  static Sensors of(String text, Sensors law) {
    if (text == null) {
      return law;
    }
    String[] ends = text.split("\\.\\.", -1);
    try {
      int first = Integer.parseInt(ends[0].strip());
      int last = ends.length == 1 ? first : Integer.parseInt(ends[1].strip());
      if (ends.length <= 2 && first >= 1 && last >= first) {
        return law.count(first, last);
      }
    } catch (NumberFormatException e) {
      // reported below, in the same words as any other mistake
    }
    throw new IllegalArgumentException(
        "--sensors '%s' must be a number of at least 1, as 5, or a range, as 3..8".formatted(text));
  }
}
