package io.perflow.cli.reproduce;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What came of a trial.
 *
 * @param numbers of the evaluation by name; empty after a failure
 * @param failure why there are none, such as "diverged at step 12 of 50"; empty when there are
 */
record Outcome(Map<String, Object> numbers, String failure) {

  static Outcome of(Map<String, Object> numbers) {
    return new Outcome(numbers, "");
  }

  static Outcome failed(String why) {
    return new Outcome(Map.of(), why);
  }

  boolean failed() {
    return !failure.isEmpty();
  }

  /** Returns the same with more numbers. */
  Outcome with(Map<String, Object> more) {
    Map<String, Object> all = new LinkedHashMap<>(numbers);
    all.putAll(more);
    return new Outcome(all, failure);
  }

  /** For files. */
  Map<String, Object> toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    if (failed()) {
      json.put("failure", failure);
    } else {
      json.put("numbers", numbers);
    }
    return json;
  }
}
