package io.perflow.nn;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/** The initial values of a parameter: F32 numbers on the CPU, drawn from the given generator. */
@FunctionalInterface
public interface Initializer {
  /** Returns the values of a shape. */
  Tensor make(Shape shape, Rng rng);

  /** Returns zeros, with which a residual block starts as the identity. */
  static Initializer zeros() {
    return constant(0);
  }

  /** Returns the same number everywhere. */
  static Initializer constant(double value) {
    return (shape, _) -> Tensor.full(Device.cpu(), shape, DataType.F32, value);
  }

  /** Draws uniform numbers between -bound and bound. */
  static Initializer uniform(double bound) {
    return (shape, rng) -> rng.uniform(shape).mul(2 * bound).sub(bound);
  }

  /** Draws normal numbers with mean 0. */
  static Initializer normal(double deviation) {
    return (shape, rng) -> rng.normal(shape).mul(deviation);
  }

  /**
   * Draws from Kaiming's uniform distribution (He et al., 2015) with slope a = sqrt(5), the default
   * of PyTorch for convolutions and linear layers: bound sqrt(6 / ((1 + a^2) fanIn)) = 1 /
   * sqrt(fanIn), for weights and biases alike.
   *
   * @param fanIn numbers that enter one sum: input channels per group times kernel
   */
  static Initializer kaiming(int fanIn) {
    return uniform(fanIn == 0 ? 0 : 1 / Math.sqrt(fanIn));
  }

  /**
   * Draws from Xavier's uniform distribution (Glorot and Bengio, 2010): bound scale * sqrt(6 /
   * (fanIn + fanOut)), a fan being channels times kernel.
   */
  static Initializer xavier(int fanIn, int fanOut, double scale) {
    return uniform(scale * Math.sqrt(6.0 / (fanIn + fanOut)));
  }

  /**
   * Gives every parameter of a layer a value that is not zero, so that zeros hide nothing in
   * measurements and tests: {@link #kaiming} draws matrices and kernels, and vectors are shifted by
   * normal numbers of standard deviation 0.1.
   */
  static void nonZero(Layer layer, Rng rng) {
    layer
        .parameters()
        .forEach(
            (name, parameter) -> {
              Shape shape = parameter.shape();
              Rng own = rng.split(name);
              try (Scope _ = Scope.open()) {
                parameter.assign(
                    shape.rank() == 1
                        ? normal(0.1).make(shape, own).add(parameter.value())
                        : kaiming(shape.size() / shape.dim(0)).make(shape, own));
              }
            });
  }
}
