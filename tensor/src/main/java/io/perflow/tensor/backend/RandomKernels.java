package io.perflow.tensor.backend;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/**
 * Kernels that make random numbers by counting: element i depends on (key, counter + i / 2) alone.
 */
public interface RandomKernels {
  /** Returns uniform numbers in [0, 1) from Philox blocks {@code counter} onwards. */
  Tensor uniform(long key, long counter, Shape shape, DataType type);

  /** Returns standard normal numbers from Philox blocks {@code counter} onwards. */
  Tensor normal(long key, long counter, Shape shape, DataType type);
}
