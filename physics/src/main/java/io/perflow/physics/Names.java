package io.perflow.physics;

import io.perflow.tensor.Check;
import java.util.regex.Pattern;

/**
 * The rules for the names of axes, quantities and units, which appear in tables, constraints,
 * symmetries and messages.
 */
final class Names {
  private static final int LONGEST = 60;
  private static final Pattern NAME =
      Pattern.compile("[\\p{L}_](?:[\\p{L}\\p{N}_ .-]*[\\p{L}\\p{N}_.-])?");

  private Names() {}

  static void check(String op, String name) {
    Check.that(
        name.length() <= LONGEST && NAME.matcher(name).matches(),
        op,
        "'%s' is not a valid name: it must begin with a letter, contain only letters,"
            + " digits, _ . - and inner spaces, and have at most %d characters",
        brief(name),
        LONGEST);
  }

  static void checkUnit(String op, String unit) {
    Check.that(
        unit.length() <= LONGEST && unit.chars().noneMatch(Character::isISOControl),
        op,
        "'%s' is not a unit: a unit is one line of at most %d characters",
        brief(unit),
        LONGEST);
  }

  /** Returns the beginning of a foreign text, on one line. */
  static String brief(String text) {
    String head = text.length() > 40 ? text.substring(0, 40) + "…" : text;
    return head.replaceAll("\\p{Cntrl}", "\ufffd");
  }
}
