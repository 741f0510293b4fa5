package io.perflow.physics.solver;

/** The one place where a solver's parameters are refused. */
final class Parameters {
  private Parameters() {}

  static void atLeast(String solver, String what, int value, int least) {
    if (value < least) {
      throw new IllegalArgumentException(
          "[%s] %s is %d, must be at least %d".formatted(solver, what, value, least));
    }
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
}
