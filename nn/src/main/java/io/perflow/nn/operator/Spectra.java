package io.perflow.nn.operator;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/** Complex linear maps of channels, one for each frequency; (re, im) is the last axis. */
final class Spectra {
  private Spectra() {}

  /**
   * y(b, o, r, k) = sum over i of x(b, i, r, k) w(i, o, k), complex, for x (n, in, rows, modes, 2)
   * and w (in, out, modes, 2); the result is (n, out, rows, modes, 2).
   *
   * <p>For each mode one real matrix product: the real and imaginary parts of x are rows of the
   * left factor, those of w columns of the right one, and the four products of a complex one are
   * found in the result.
   */
  static Tensor multiply(Tensor x, Tensor w) {
    int n = x.dim(0);
    int in = x.dim(1);
    int rows = x.dim(2);
    int modes = x.dim(3);
    int out = w.dim(1);
    try (Scope scope = Scope.open()) {
      Tensor left = x.permute(3, 0, 2, 4, 1).reshape(modes, n * rows * 2, in);
      Tensor right = w.permute(2, 0, 1, 3).reshape(modes, in, out * 2);
      // (modes, n rows, part of x, out, part of w)
      Tensor products = left.matmul(right).reshape(modes, n * rows, 2, out, 2);
      Tensor byReal = products.select(2, 0);
      Tensor byImaginary = products.select(2, 1);
      Tensor re = byReal.slice(3, 0, 1).sub(byImaginary.slice(3, 1, 2));
      Tensor im = byReal.slice(3, 1, 2).add(byImaginary.slice(3, 0, 1));
      Tensor y = Tensor.concat(3, re, im).reshape(modes, n, rows, out, 2);
      return scope.keep(y.permute(1, 3, 2, 0, 4));
    }
  }
}
