package io.perflow.physics.constraint;

import io.perflow.physics.Normalization;
import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/**
 * The broadcasting of masks and values that are given for some axes of a field [batch, channels,
 * height, width].
 */
final class Broadcasting {
  private static final String[] AXES = {"batch", "channels", "height", "width"};

  private Broadcasting() {}

  /**
   * Returns a tensor of one to four axes as one of four, in double precision on the CPU: [height,
   * width] becomes [1, 1, height, width].
   *
   * @throws IllegalArgumentException when a number is not finite
   */
  static Tensor fourAxes(String op, String what, Tensor tensor) {
    Check.that(
        tensor.rank() <= 4,
        op,
        "%s has %d axes, fields have 4",
        what + " " + tensor.shape(),
        tensor.rank());
    double[] numbers = tensor.toDoubles();
    for (double number : numbers) {
      if (!Double.isFinite(number)) {
        throw new IllegalArgumentException(
            "[%s] %s %s holds %s: every number must be finite"
                .formatted(op, what, tensor.shape(), number));
      }
    }
    int[] extents = {1, 1, 1, 1};
    int[] given = tensor.shape().toArray();
    System.arraycopy(given, 0, extents, 4 - given.length, given.length);
    return Tensor.of(numbers, extents);
  }

  /** Returns the shape of a field, which must have four axes. */
  static Shape field(String op, Tensor x) {
    Check.rank(op, "field", x, 4);
    return x.shape();
  }

  /** Checks that a shape of four axes broadcasts to that of a field. */
  static void check(String op, String what, Shape part, Shape field) {
    for (int a = 0; a < 4; a++) {
      Check.that(
          part.dim(a) == 1 || part.dim(a) == field.dim(a),
          op,
          "%s %s does not fit field %s: %s %d and %d differ",
          what,
          part,
          field,
          AXES[a],
          part.dim(a),
          field.dim(a));
    }
  }

  /** Returns (values - mean) / scale for values of one or all of these channels. */
  static Tensor normalize(Tensor values, Normalization units) {
    Shape all = values.shape().with(1, units.channels());
    return units.normalize(values.dim(1) == 1 ? values.expand(all) : values);
  }
}
