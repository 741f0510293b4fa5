package io.perflow.tensor;

import java.util.Arrays;
import java.util.Optional;

/**
 * Finds NaN and infinite numbers, so that code that reads or draws numbers can refuse them at their
 * source.
 */
public final class NonFinite {
  private NonFinite() {}

  /**
   * Returns the first number of a tensor that is not finite.
   *
   * @return the number and its place, such as {@code NaN at [0, 3]}; empty when all are finite
   */
  public static Optional<String> in(Tensor x) {
    if (x.type() == DataType.F32) {
      float[] numbers = x.toFloats();
      for (int i = 0; i < numbers.length; i++) {
        if (!Float.isFinite(numbers[i])) {
          return Optional.of(numbers[i] + " at " + place(i, x.shape()));
        }
      }
      return Optional.empty();
    }
    double[] numbers = x.toDoubles();
    for (int i = 0; i < numbers.length; i++) {
      if (!Double.isFinite(numbers[i])) {
        return Optional.of(numbers[i] + " at " + place(i, x.shape()));
      }
    }
    return Optional.empty();
  }

  private static String place(int element, Shape shape) {
    return Arrays.toString(shape.index(element));
  }
}
