package io.perflow.physics.constraint;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;

/**
 * The places of a field whose values are fixed.
 *
 * @param mask the mask, 1 where fixed and 0 elsewhere, of four axes that broadcast to the field's
 * @param values the fixed values, of a shape that broadcasts likewise
 * @param count the number of fixed places of each sample, or of all samples; at least 1, because it
 *     is a divisor
 */
record Pins(Constant mask, Constant values, Constant count) {

  /** Returns the pins of a mask and values on fields of this shape. */
  static Pins of(Tensor mask, Constant values, Shape field) {
    Tensor whole = mask.expand(field.with(0, mask.dim(0)));
    Tensor count = whole.sum(1, 2, 3).maximum(Tensor.of(new double[] {1}, 1));
    return new Pins(Constant.of(mask), values, Constant.of(count));
  }

  /**
   * Returns all pins of several constraints.
   *
   * @throws IllegalArgumentException when two of them prescribe different values at one place
   */
  static Pins union(List<? extends Prescribed> parts, Shape field) {
    if (parts.size() == 1) {
      return parts.getFirst().on(field);
    }
    int batch = 1;
    for (Prescribed part : parts) {
      Pins p = part.on(field);
      batch = Math.max(batch, Math.max(p.mask.exact().dim(0), p.values.exact().dim(0)));
    }
    Shape all = field.with(0, batch);
    double[] mask = new double[all.size()];
    double[] values = new double[all.size()];
    int[] owner = new int[all.size()];
    for (int k = 0; k < parts.size(); k++) {
      double[] partMask = parts.get(k).on(field).mask.exact().expand(all).toDoubles();
      double[] partValues = parts.get(k).on(field).values.exact().expand(all).toDoubles();
      for (int i = 0; i < mask.length; i++) {
        if (partMask[i] != 0 && mask[i] == 0) {
          mask[i] = 1;
          values[i] = partValues[i];
          owner[i] = k;
        } else if (partMask[i] != 0 && differ(values[i], partValues[i])) {
          throw Conflict.of(parts.get(owner[i]), values[i], parts.get(k), partValues[i], i, all);
        }
      }
    }
    int[] shape = all.toArray();
    return of(Tensor.of(mask, shape), Constant.of(Tensor.of(values, shape)), field);
  }

  /**
   * Returns whether two values differ by more than the round-off of single precision, which they
   * may have passed through on different ways.
   */
  static boolean differ(double a, double b) {
    return Math.abs(a - b) > 1e-6 * Math.max(1, Math.max(Math.abs(a), Math.abs(b)));
  }

  /** Returns x with the fixed values written over it. */
  Tensor overwrite(Tensor x) {
    return mask.like(x).where(values.like(x), x);
  }

  /** Returns x at the fixed places, otherwise 0. */
  Tensor select(Tensor x) {
    return mask.like(x).where(x, zero(x));
  }

  /** Returns x with 0 at the fixed places. */
  Tensor clear(Tensor x) {
    return mask.like(x).where(zero(x), x);
  }

  private static Tensor zero(Tensor x) {
    return Tensor.full(x.device(), Shape.of(), x.type(), 0);
  }
}
