package io.perflow.cli.reproduce;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Looks up what the command was asked for. */
final class Names {
  private Names() {}

  /**
   * The value that a name stands for.
   *
   * @param refusal the message for an unknown one, formatted with it and with all that are known
   */
  static <T> T find(T[] values, String name, String refusal) {
    return Arrays.stream(values)
        .filter(value -> value.toString().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(refusal.formatted(name, list(values))));
  }

  private static String list(Object[] values) {
    return Arrays.stream(values).map(Object::toString).collect(Collectors.joining(", "));
  }
}
