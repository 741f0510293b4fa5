package io.perflow.cli;

import io.perflow.physics.Sensors;

/** Numbers of sensors as an option gives them. */
final class SensorCount {
  private SensorCount() {}

  /**
   * Returns a law with the numbers of {@code 5} or {@code 3..8}; the law itself when none are
   * given.
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
      // told below, with the same words as any other mistake
    }
    throw new IllegalArgumentException(
        "--sensors '%s' must be a number of at least 1, as 5, or a range, as 3..8".formatted(text));
  }
}
