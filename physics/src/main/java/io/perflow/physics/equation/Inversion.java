package io.perflow.physics.equation;

import io.perflow.tensor.Tensor;

/**
 * Readings as functions of the coefficients of a cause: what {@link GaussNewton} minimizes. All
 * tensors are F64.
 */
public interface Inversion {
  /** What is to be read, [1, readings]. */
  Tensor values();

  /** The standard deviations of its errors, [1, readings], all positive. */
  Tensor errors();

  /** What is read of the fields of coefficients [count, rank]: [count, readings]. */
  Tensor read(Tensor coefficients);

  /** The derivative of what is read at coefficients [1, rank]: [readings, rank]. */
  Tensor jacobian(Tensor coefficients);

  /**
   * The fields of coefficients [count, rank] in physical units, [count, channels, height, width].
   */
  Tensor fields(Tensor coefficients);
}
