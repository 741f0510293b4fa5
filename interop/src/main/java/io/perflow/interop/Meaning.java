package io.perflow.interop;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The meaning of a dimension of an array, as far as its name shows it. */
enum Meaning {
  /** Samples, which are separate fields. */
  SAMPLES(
      Set.of(
          "sample",
          "batch",
          "n",
          "nsample",
          "n_sample",
          "case",
          "run",
          "member",
          "ensemble",
          "realization",
          "realisation")),
  /** Quantities, or components of one. */
  CHANNELS(Set.of("channel", "component", "variable", "quantity", "c")),
  /** Times. */
  TIME(Set.of("t", "time", "frame", "step", "timestep", "time_step")),
  /** Places: every other name. */
  SPACE(Set.of());

  private final Set<String> names;

  Meaning(Set<String> names) {
    this.names = names;
  }

  static Meaning of(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    String one =
        lower.length() > 1 && lower.endsWith("s") ? lower.substring(0, lower.length() - 1) : lower;
    for (Meaning meaning : values()) {
      if (meaning.names.contains(lower) || meaning.names.contains(one)) {
        return meaning;
      }
    }
    return SPACE;
  }

  /** Returns whether a name, if there is one, has this meaning. */
  boolean isOf(Optional<String> name) {
    return name.filter(text -> of(text) == this).isPresent();
  }
}
