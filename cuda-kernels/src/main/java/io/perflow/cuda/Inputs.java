package io.perflow.cuda;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * The inputs of a {@link Trial}: the same numbers on every device, by name. They are rounded to the
 * type that is tried and then widened to the type that computes, so that the definition in double
 * and the kernel in single precision start from the same.
 *
 * @param device the device that holds them
 * @param tried the type whose kernels are tried
 * @param computed the type of the computation
 */
record Inputs(Device device, DataType tried, DataType computed) {
  /** Returns inputs of the kernels themselves. */
  static Inputs of(Device device, DataType tried) {
    return new Inputs(device, tried, tried);
  }

  /** Returns inputs of the scalar definition in double. */
  static Inputs exact(DataType tried) {
    return new Inputs(Device.reference(), tried, DataType.F64);
  }

  /** Returns the backend that computes. */
  Backend backend() {
    return device.backend();
  }

  /** Returns standard normal numbers. */
  Tensor normal(String name, int... shape) {
    return placed(rng(name).normal(Device.cpu(), Shape.of(shape), DataType.F64));
  }

  /** Returns numbers between 0.1 and 2.1, for functions that accept no others. */
  Tensor positive(String name, int... shape) {
    return placed(rng(name).uniform(Device.cpu(), Shape.of(shape), DataType.F64).mul(2).add(0.1));
  }

  private static Rng rng(String name) {
    return Rng.of(1).split(name);
  }

  private Tensor placed(Tensor numbers) {
    return numbers.to(tried).to(computed).to(device);
  }
}
