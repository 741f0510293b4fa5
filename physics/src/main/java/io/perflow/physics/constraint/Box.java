package io.perflow.physics.constraint;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;

/**
 * The bounds of every value of a field, for fields of one shape. A prescribed value is a lower
 * bound and an upper bound at once.
 *
 * @param lower the lower bounds, of four axes that broadcast to the field's; negative infinity
 *     where open
 * @param upper the upper bounds, likewise
 */
record Box(Constant lower, Constant upper) {

  /**
   * Returns the box of all these constraints.
   *
   * @throws IllegalArgumentException when it is empty
   */
  static Box of(List<Bounds> bounds, List<Prescribed> prescribed, Shape field) {
    Pins pins = prescribed.isEmpty() ? null : Pins.union(prescribed, field);
    int batch =
        pins == null ? 1 : Math.max(pins.mask().exact().dim(0), pins.values().exact().dim(0));
    // Without pins, one number for each channel is enough.
    Shape shape = pins == null ? Shape.of(1, field.dim(1), 1, 1) : field.with(0, batch);
    double[] lower = new double[shape.size()];
    double[] upper = new double[shape.size()];
    fill(bounds, shape, lower, upper);
    if (pins != null) {
      pin(pins, prescribed, shape, lower, upper);
    }
    return new Box(constant(lower, shape), constant(upper, shape));
  }

  private static Constant constant(double[] numbers, Shape shape) {
    return Constant.of(Tensor.of(numbers, shape.toArray()));
  }

  private static void fill(List<Bounds> bounds, Shape shape, double[] lower, double[] upper) {
    int cells = shape.dim(2) * shape.dim(3);
    double[][] lows = bounds.stream().map(b -> b.lower(shape)).toArray(double[][]::new);
    double[][] highs = bounds.stream().map(b -> b.upper(shape)).toArray(double[][]::new);
    for (int i = 0; i < lower.length; i++) {
      int channel = i / cells % shape.dim(1);
      lower[i] = Double.NEGATIVE_INFINITY;
      upper[i] = Double.POSITIVE_INFINITY;
      for (int k = 0; k < lows.length; k++) {
        lower[i] = Math.max(lower[i], lows[k][channel]);
        upper[i] = Math.min(upper[i], highs[k][channel]);
      }
      if (lower[i] > upper[i]) {
        throw Conflict.ofBounds(lower[i], upper[i], channel);
      }
    }
  }

  private static void pin(
      Pins pins, List<Prescribed> parts, Shape shape, double[] lower, double[] upper) {
    double[] mask = pins.mask().exact().expand(shape).toDoubles();
    double[] values = pins.values().exact().expand(shape).toDoubles();
    for (int i = 0; i < mask.length; i++) {
      if (mask[i] != 0) {
        // A reading of 12 that was stored in single precision is not above a bound of 12.
        double inside = Math.clamp(values[i], lower[i], upper[i]);
        if (Pins.differ(inside, values[i])) {
          throw Conflict.outside(owner(parts, i, shape), values[i], lower[i], upper[i], i, shape);
        }
        lower[i] = inside;
        upper[i] = inside;
      }
    }
  }

  private static Prescribed owner(List<Prescribed> parts, int i, Shape shape) {
    return parts.stream()
        .filter(p -> p.on(shape).mask().exact().expand(shape).toDoubles()[i] != 0)
        .findFirst()
        .orElseThrow();
  }

  /** Returns the nearest field inside. */
  Tensor clip(Tensor x) {
    return x.maximum(lower.like(x)).minimum(upper.like(x));
  }

  /** Returns 1 where a value is strictly between its bounds, otherwise 0. */
  Tensor free(Tensor y) {
    return y.greater(lower.like(y)).mul(y.less(upper.like(y)));
  }

  /** Returns the bounds of all values of a batch, one after the other. */
  static double[] spread(Constant bound, Shape field) {
    return bound.exact().expand(field).toDoubles();
  }
}
