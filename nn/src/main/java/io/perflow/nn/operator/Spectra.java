package io.perflow.nn.operator;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/** Complex linear maps of channels, one for each frequency. */
final class Spectra {
  private Spectra() {}

  /**
   * The maps Y(k, r, o) = sum over i of X(k, r, i) W(i, o, k) as real matrices ((re, im), (-im,
   * re)), (modes, 2 in, 2 out), for W (in, out, modes, 2), (re, im) last. They are the right
   * factors of X (modes, rows, 2 in), the real parts of all channels and then the imaginary ones;
   * of Y (modes, rows, 2 out) alike.
   */
  static Tensor matrices(Tensor w) {
    try (Scope scope = Scope.open()) {
      Tensor byMode = w.permute(2, 3, 0, 1); // (modes, 2, in, out)
      Tensor re = byMode.select(1, 0);
      Tensor im = byMode.select(1, 1);
      return scope.keep(Tensor.concat(1, Tensor.concat(2, re, im), Tensor.concat(2, im.neg(), re)));
    }
  }
}
