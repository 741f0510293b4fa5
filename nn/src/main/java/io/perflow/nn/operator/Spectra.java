package io.perflow.nn.operator;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/** Complex linear maps of channels, one for each frequency. */
final class Spectra {
  private Spectra() {}

  /**
   * Y(k, r, o) = sum over i of X(k, r, i) W(i, o, k), complex, for X (modes, rows, 2 in), the real
   * parts of all channels and then the imaginary ones, and W (in, out, modes, 2), (re, im) last;
   * the result is (modes, rows, 2 out).
   *
   * <p>For each mode one real product with the matrix ((re, im), (-im, re)).
   */
  static Tensor multiply(Tensor x, Tensor w) {
    try (Scope scope = Scope.open()) {
      Tensor byMode = w.permute(2, 3, 0, 1); // (modes, 2, in, out)
      Tensor re = byMode.select(1, 0);
      Tensor im = byMode.select(1, 1);
      Tensor matrix = Tensor.concat(1, Tensor.concat(2, re, im), Tensor.concat(2, im.neg(), re));
      return scope.keep(x.matmul(matrix));
    }
  }
}
