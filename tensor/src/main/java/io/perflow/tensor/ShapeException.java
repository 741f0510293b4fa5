package io.perflow.tensor;

/**
 * Thrown when shapes, types or devices do not fit together. The message names the operation, the
 * shapes and the numbers that disagree: {@code [matmul] inner sizes differ: left [2, 3] has 3,
 * right [4, 5] has 4}.
 */
public final class ShapeException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /** Makes the message {@code [op] message}. */
  public ShapeException(String op, String message) {
    super("[" + op + "] " + message);
  }
}
