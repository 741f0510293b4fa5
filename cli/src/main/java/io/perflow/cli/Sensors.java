package io.perflow.cli;

/** Numbers of sensors as an option gives them. */
final class Sensors {
  private Sensors() {}

  /** The fewest and the most of {@code 5} or {@code 3..8}; the usual number when not given. */
  static int[] range(String text, int usual) {
    if (text == null) {
      return new int[] {usual, usual};
    }
    String[] ends = text.split("\\.\\.", -1);
    try {
      int first = Integer.parseInt(ends[0].strip());
      int last = ends.length == 1 ? first : Integer.parseInt(ends[1].strip());
      if (ends.length <= 2 && first >= 1 && last >= first) {
        return new int[] {first, last};
      }
    } catch (NumberFormatException e) {
      // told below, with the same words as any other mistake
    }
    throw new IllegalArgumentException(
        "--sensors '%s' must be a number of at least 1, as 5, or a range, as 3..8".formatted(text));
  }
}
