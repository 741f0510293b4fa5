package io.perflow.cli.reproduce;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The result of a trial.
 *
 * @param numbers the numbers of the evaluation by name; empty after a failure
 * @param failure the reason why there are none, such as "diverged at step 12 of 50"; otherwise
 *     empty
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

  /** Returns a copy with more numbers. */
  Outcome with(Map<String, Object> more) {
    Map<String, Object> all = new LinkedHashMap<>(numbers);
    all.putAll(more);
    return new Outcome(all, failure);
  }

  /** Returns the result for files. */
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
