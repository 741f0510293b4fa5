package io.perflow.physics.solver;

import io.perflow.tensor.Fourier;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/**
 * The real Fourier transforms between arrays, for several fields of one shape at a time.
 *
 * <p>Values are (fields, sizes …) in row-major order; a half spectrum is two such arrays one after
 * the other, (2, fields, …, n / 2 + 1): all real parts, then all imaginary parts, which is how the
 * transforms keep them, so that nothing is rearranged.
 */
final class RealFourier {
  private final int[] sizes;
  private final int[] values; // (fields, sizes …)
  private final int[] spectrum; // (2, fields, …, n / 2 + 1)
  private final int[] pairLast;
  private final int[] pairFirst;

  RealFourier(int fields, int... sizes) {
    this.sizes = sizes.clone();
    int rank = sizes.length + 1;
    values = new int[rank];
    values[0] = fields;
    System.arraycopy(sizes, 0, values, 1, sizes.length);
    spectrum = new int[rank + 1];
    spectrum[0] = 2;
    System.arraycopy(values, 0, spectrum, 1, rank);
    spectrum[rank] = sizes[sizes.length - 1] / 2 + 1;
    pairLast = new int[rank + 1];
    pairFirst = new int[rank + 1];
    pairFirst[0] = rank;
    for (int axis = 0; axis < rank; axis++) {
      pairLast[axis] = axis + 1;
      pairFirst[axis + 1] = axis;
    }
  }

  /** Transforms values to a half spectrum, a plain sum. */
  double[] forward(double[] x) {
    try (Scope scope = Scope.open()) {
      return Fourier.rfft(Tensor.of(x, values), sizes.length).permute(pairFirst).toDoubles();
    }
  }

  /** Transforms a half spectrum to values, divided by the number of points. */
  double[] inverse(double[] z) {
    try (Scope scope = Scope.open()) {
      return Fourier.irfft(Tensor.of(z, spectrum).permute(pairLast), sizes).toDoubles();
    }
  }
}
