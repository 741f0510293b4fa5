package io.perflow.cluster;

import org.apache.spark.SparkException;

/** What a person needs to know of Spark's failures. */
final class Failures {
  private static final int LINES = 2;

  private Failures() {}

  /** The innermost message, without Spark's report of stages and its stack traces. */
  static String reason(Throwable failure) {
    Throwable at = failure;
    while (at.getCause() != null) {
      at = at.getCause();
    }
    String text = at.getMessage() == null ? at.toString() : at.getMessage();
    if (at instanceof SparkException) {
      text = text.replaceFirst("(?s).*Most recent failure: ", "");
    }
    return String.join(" ", text.lines().limit(LINES).map(String::strip).toList());
  }
}
