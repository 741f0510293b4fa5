package io.perflow.physics.equation;

import io.perflow.tensor.Tensor;

/**
 * An inverse problem: readings as functions of the coefficients of a cause, which {@link
 * GaussNewton} fits. All tensors are F64.
 */
public interface Inversion {
  /** Returns the given readings, [1, readings]. */
  Tensor values();

  /** Returns the standard deviations of their errors, [1, readings], all positive. */
  Tensor errors();

  /** Returns the readings of the fields of coefficients [count, rank]: [count, readings]. */
  Tensor read(Tensor coefficients);

  /** Returns the derivative of the readings at coefficients [1, rank]. */
  Slopes slopes(Tensor coefficients);

  /**
   * A derivative by its rows; rows that are zero may be left out.
   *
   * @param readings the numbers of the readings
   * @param rows of the derivative, one for each of these, [readings, rank]
   */
  record Slopes(int[] readings, Tensor rows) {}

  /**
   * Returns the fields of coefficients [count, rank] in physical units, [count, channels, height,
   * width].
   */
  Tensor fields(Tensor coefficients);
}
