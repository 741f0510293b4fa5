package io.perflow.tensor.op;

import java.util.function.DoubleBinaryOperator;

/**
 * Functions of two numbers that a backend applies to every pair of elements.
 *
 * <p>{@link #apply} defines the result: a backend may compute in float, but must agree to within
 * rounding and in every special case. Comparisons give 1 for true and 0 for false, and are false
 * where an operand is NaN ({@link #NE} is true).
 */
public enum BinaryKind {
  /** {@code a + b}. */
  ADD(Double::sum),
  /** {@code a - b}. */
  SUB((a, b) -> a - b),
  /** {@code a b}. */
  MUL((a, b) -> a * b),
  /** {@code a / b}. */
  DIV((a, b) -> a / b),
  /** The smaller number; NaN when either is NaN. */
  MIN(Math::min),
  /** The larger number; NaN when either is NaN. */
  MAX(Math::max),
  /** {@code a} to the power {@code b}. */
  POW(Math::pow),
  /** The angle of the point (b, a): {@code a} is the ordinate. */
  ATAN2(Math::atan2),
  /** {@code a = b}. */
  EQ((a, b) -> a == b ? 1 : 0),
  /** {@code a ≠ b}. */
  NE((a, b) -> a != b ? 1 : 0),
  /** {@code a < b}. */
  LT((a, b) -> a < b ? 1 : 0),
  /** {@code a ≤ b}. */
  LE((a, b) -> a <= b ? 1 : 0),
  /** {@code a > b}. */
  GT((a, b) -> a > b ? 1 : 0),
  /** {@code a ≥ b}. */
  GE((a, b) -> a >= b ? 1 : 0);

  private final DoubleBinaryOperator function;

  BinaryKind(DoubleBinaryOperator function) {
    this.function = function;
  }

  /** Returns the function's value at {@code (a, b)}. */
  public double apply(double a, double b) {
    return function.applyAsDouble(a, b);
  }
}
