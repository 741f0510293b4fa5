package io.perflow.physics;

import io.perflow.tensor.Check;

/**
 * A physical quantity of a field, such as a temperature in kelvin.
 *
 * @param name the column of its values in files of readings
 * @param unit empty when it has none
 */
public record Quantity(String name, String unit) {

  /** Checks the name. */
  public Quantity {
    Check.that(
        name.matches("[\\p{L}_][\\p{L}\\p{N}_ .-]*"),
        "quantity",
        "'%s' is no name: it must begin with a letter and hold letters, digits, _ . - and spaces",
        name);
  }

  /** The name with its unit: {@code T [K]}. */
  public String label() {
    return unit.isEmpty() ? name : "%s [%s]".formatted(name, unit);
  }
}
