package io.perflow.cuda;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;
import java.util.function.Function;

/**
 * One computation of the self-test.
 *
 * @param name the name, unique among all trials
 * @param tried the type whose kernels are tested
 * @param method the method of convolutions during the test
 * @param tolerance the tolerance relative to the largest number of a result
 * @param results computes the results from the inputs, on the GPU by its kernels and on the CPU by
 *     their definition
 */
record Trial(
    String name,
    DataType tried,
    ConvolutionMethod method,
    double tolerance,
    Function<Inputs, Tensor[]> results) {

  // Suits sums of a few hundred terms, and functions of other libraries.
  private static final double SINGLE = 4e-6;
  private static final double DOUBLE = 1e-12;

  /** Returns a computation with rounding errors. */
  static Trial of(String name, DataType tried, Function<Inputs, Tensor[]> results) {
    String full = name + (tried == DataType.F32 ? " f32" : " f64");
    double tolerance = tried == DataType.F32 ? SINGLE : DOUBLE;
    return new Trial(full, tried, ConvolutionMethod.DIRECT, tolerance, results);
  }

  /** Returns a computation with one result. */
  static Trial one(String name, DataType tried, Function<Inputs, Tensor> result) {
    return of(name, tried, in -> new Tensor[] {result.apply(in)});
  }

  /** Returns a copy with a larger tolerance for rounding. */
  Trial rounding(double itsTolerance) {
    return by(method, itsTolerance);
  }

  /** Returns a copy with another kind of convolution. */
  Trial by(ConvolutionMethod other, double itsTolerance) {
    return new Trial(name, tried, other, itsTolerance, results);
  }
}
