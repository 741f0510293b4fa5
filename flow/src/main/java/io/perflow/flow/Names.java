package io.perflow.flow;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Options by name, as configurations and commands write them. */
final class Names {
  private Names() {}

  /** The constant of a name in lower case, with hyphens or underscores. */
  static <E extends Enum<E>> E parse(Class<E> type, String name, String what) {
    String wanted = name.replace('-', '_').toUpperCase(Locale.ROOT);
    return Arrays.stream(type.getEnumConstants())
        .filter(constant -> constant.name().equals(wanted))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "%s '%s' is unknown: choose one of %s".formatted(what, name, all(type))));
  }

  private static String all(Class<? extends Enum<?>> type) {
    return Arrays.stream(type.getEnumConstants()).map(Names::of).collect(Collectors.joining(", "));
  }

  /** The name of a constant. */
  static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
