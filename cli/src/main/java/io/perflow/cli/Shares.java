package io.perflow.cli;

import java.util.Arrays;

/**
 * The division of fields into training, validation and test parts.
 *
 * @param training the share of the training part; only ratios count
 * @param validation the share of the validation part
 * @param test the share of the test part
 */
record Shares(double training, double validation, double test) {
  /** Returns the shares of a text such as {@code 80,10,10}. */
  static Shares of(String text) {
    try {
      double[] parts =
          Arrays.stream(text.split(",", -1)).mapToDouble(Double::parseDouble).toArray();
      boolean positive = Arrays.stream(parts).allMatch(part -> part > 0 && part < 1e9);
      if (parts.length == 3 && positive) {
        return new Shares(parts[0], parts[1], parts[2]);
      }
    } catch (NumberFormatException e) {
      // reported below, in the same words as any other mistake
    }
    throw new IllegalArgumentException(
        "--split '%s' must be three positive numbers, as 80,10,10 for training, validation, test"
            .formatted(text));
  }

  /** Returns the number of fields in each part, at least one. */
  int[] sizes(int fields) {
    if (fields < 3) {
      throw new IllegalArgumentException(
          "%s found, but training, validation and test need at least one each, so at least 3"
              .formatted(
                  fields == 1 ? "only 1 field was" : "only %d fields were".formatted(fields)));
    }
    double all = training + validation + test;
    int last = Math.clamp(Math.round(fields * test / all), 1, fields - 2);
    int middle = Math.clamp(Math.round(fields * validation / all), 1, fields - last - 1);
    return new int[] {fields - middle - last, middle, last};
  }
}
