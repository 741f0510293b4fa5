package io.perflow.cli.chaos;

import java.util.regex.Pattern;

/**
 * The answer that a disturbed errand may give: one line for people, which is not an exception's.
 */
final class Answer {
  private static final Pattern RAW =
      Pattern.compile(
          "Exception|\\bat \\w+\\.\\w+\\.|\\bnull\\b|Index -?\\d+ out of|OutOfMemoryError");

  private Answer() {}

  /** Why this is no answer; empty if it is one. */
  static String fault(String said) {
    if (said == null || said.isBlank()) {
      return "said nothing";
    }
    if (said.strip().lines().count() > 1) {
      return "said more than one line: " + said.strip();
    }
    return RAW.matcher(said).find() ? "said '" + said.strip() + "'" : "";
  }
}
