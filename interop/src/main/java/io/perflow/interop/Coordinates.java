package io.perflow.interop;

import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The places or times along a dimension, from an array of coordinates such as {@code x} or {@code
 * time}.
 */
public final class Coordinates {
  /**
   * The fraction of the mean step by which steps may differ and still count as equal: coordinates
   * are often F32.
   */
  private static final double EVEN = 1e-3;

  private final String array;
  private final Optional<String> unit;
  private final double[] values;

  /**
   * Creates the coordinates of a dimension.
   *
   * @param array the name of the array that holds them
   * @param unit their unit, if the file states it
   */
  public Coordinates(String array, Optional<String> unit, double[] values) {
    this.array = array;
    this.unit = unit;
    this.values = values.clone();
  }

  /** Returns the name of the array that holds them. */
  public String array() {
    return array;
  }

  /**
   * Returns their unit as the file states it, such as {@code m} or {@code days since 1970-01-01}.
   */
  public Optional<String> unit() {
    return unit;
  }

  /** Returns the coordinates themselves, as a copy. */
  public double[] values() {
    return values.clone();
  }

  /** Returns the number of coordinates. */
  public int size() {
    return values.length;
  }

  /** Returns the first one. */
  public double first() {
    return values[0];
  }

  /** Returns the last one. */
  public double last() {
    return values[values.length - 1];
  }

  /** Returns the step, if all steps are equal up to rounding; negative if coordinates decrease. */
  public OptionalDouble step() {
    double mean = (last() - first()) / (size() - 1);
    for (int i = 1; i < size(); i++) {
      if (!(Math.abs(values[i] - values[i - 1] - mean) <= EVEN * Math.abs(mean))) {
        return OptionalDouble.empty();
      }
    }
    return size() > 1 && mean != 0 ? OptionalDouble.of(mean) : OptionalDouble.empty();
  }

  /** Returns whether each coordinate is greater than the one before, or each is less. */
  public boolean isMonotone() {
    for (int i = 1; i < size(); i++) {
      boolean onward = last() > first() ? values[i] > values[i - 1] : values[i] < values[i - 1];
      if (!onward) {
        return false;
      }
    }
    return Arrays.stream(values).allMatch(Double::isFinite);
  }

  boolean sameValues(Coordinates other) {
    return Arrays.equals(values, other.values);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Coordinates that
        && array.equals(that.array)
        && unit.equals(that.unit)
        && sameValues(that);
  }

  @Override
  public int hashCode() {
    return 31 * array.hashCode() + Arrays.hashCode(values);
  }

  /** Returns {@code x: 64 from 0.0 to 1.0 m}. */
  @Override
  public String toString() {
    return array
        + (size() == 0 ? ": none" : ": %d from %s to %s".formatted(size(), first(), last()))
        + unit.map(text -> " " + text).orElse("");
  }
}
