package io.perflow.physics.solver;

import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.Map;

/** The checks of the parameters of solvers. */
final class Parameters {
  private static final int MOST = 1 << 20; // points, times or steps that a file may ask for

  private Parameters() {}

  static void atLeast(String solver, String what, int value, int least) {
    if (value < least) {
      throw new IllegalArgumentException(
          "[%s] %s is %d, must be at least %d".formatted(solver, what, value, least));
    }
  }

  /** Returns an integer from a file that fits into an int. */
  static int count(Map<String, Object> json, String name, String what) throws FileFormatException {
    long number = Json.integer(json.get(name), what + "." + name);
    if (number < 1 || number > MOST) {
      throw new FileFormatException(
          "problem", null, "%s.%s is %d: from 1 to %d".formatted(what, name, number, MOST));
    }
    return (int) number;
  }

  static void positive(String solver, String what, double value) {
    if (!(value > 0) || Double.isInfinite(value)) {
      throw new IllegalArgumentException(
          "[%s] %s is %s, must be positive and finite".formatted(solver, what, value));
    }
  }

  static void length(String solver, String what, int length, int expected) {
    if (length != expected) {
      throw new IllegalArgumentException(
          "[%s] %s has %d values, the grid has %d".formatted(solver, what, length, expected));
    }
  }

  /** Checks that the input is finite. */
  static void finite(String solver, String what, double[] values) {
    for (int i = 0; i < values.length; i++) {
      if (!Double.isFinite(values[i])) {
        throw new IllegalArgumentException(
            "[%s] value %d of the %s is %s, must be finite".formatted(solver, i, what, values[i]));
      }
    }
  }

  /**
   * Checks that a computation has remained finite; otherwise the error states the time and the
   * cure.
   */
  static void stable(String solver, double time, double[] values, String cure) {
    for (double value : values) {
      if (!Double.isFinite(value)) {
        throw new ArithmeticException(
            "[%s] the solution grew without bound before t = %s; %s".formatted(solver, time, cure));
      }
    }
  }
}
