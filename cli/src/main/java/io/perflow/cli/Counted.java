package io.perflow.cli;

/** A number of things in words, such as {@code 20 samples}. */
final class Counted {
  private Counted() {}

  /** Returns {@code 1 sample}, {@code 20 samples}. */
  static String of(long number, String thing) {
    return "%d %s%s".formatted(number, thing, number == 1 ? "" : "s");
  }
}
