package io.perflow.physics;

/**
 * A physical quantity of a field, such as a temperature in kelvin.
 *
 * @param name the column of its values in files of readings
 * @param unit the unit; empty if it has none
 */
public record Quantity(String name, String unit) {

  /** Checks name and unit. */
  public Quantity {
    Names.check("quantity", name);
    Names.checkUnit("quantity " + name, unit);
  }

  /** Returns the name with its unit: {@code T [K]}. */
  public String label() {
    return unit.isEmpty() ? name : "%s [%s]".formatted(name, unit);
  }
}
