package io.perflow.tensor;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Converts between constants of an enum and their names in files, configurations and commands. */
public final class Named {
  private Named() {}

  /**
   * Returns the constant of a name, in upper or lower case, with hyphens or underscores.
   *
   * @param text the name: {@code "log-normal"} for LOG_NORMAL
   * @param what the kind of constant, for the message: {@code "recipe"}
   * @throws IllegalArgumentException listing all names when there is no such constant
   */
  public static <E extends Enum<E>> E parse(Class<E> type, String text, String what) {
    String wanted = text.replace('-', '_').toUpperCase(Locale.ROOT);
    E[] constants = type.getEnumConstants();
    for (E constant : constants) {
      if (constant.name().equals(wanted)) {
        return constant;
      }
    }
    throw new IllegalArgumentException(
        "%s '%s' is unknown: choose one of %s"
            .formatted(
                what,
                text,
                Arrays.stream(constants).map(Named::of).collect(Collectors.joining(", "))));
  }

  /** Returns the name of a constant in lower case with hyphens, which {@link #parse} reads. */
  public static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
