package io.perflow.nn.operator;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/**
 * Computes the lowest frequencies of lines, and lines from these frequencies, each by one matrix
 * product. Operators keep a dozen of a hundred frequencies. A product with a narrow matrix then
 * takes no longer than a complete transform (a training step of F-FNO on 128 x 128 points takes
 * three quarters of the time), needs no cutting or padding of spectra, and does not depend on the
 * prime factors of the length. The matrices are the left factors, since lines of all channels at
 * once lie as columns in images whose channels come last.
 *
 * @param size points of a line
 * @param forward (frequencies, points)
 * @param inverse (points, frequencies), the way back, where frequencies that are not kept are 0
 */
record LowFrequencies(int size, Tensor forward, Tensor inverse) {
  LowFrequencies {
    Scope.detach(forward); // they stay with a layer from call to call
    Scope.detach(inverse);
  }

  private boolean fit(Tensor x, int axis) {
    return size == x.dim(axis) && forward.type() == x.type() && forward.device() == x.device();
  }

  /**
   * Frequencies 0 … modes - 1 of real lines, their real parts and then their imaginary ones.
   *
   * <p>The inverse is that of {@link io.perflow.tensor.op.Irfft}: the imaginary parts of frequency
   * 0 and of the highest one of an even size do not count.
   *
   * @param kept returned when it fits; null for none
   * @param x lines along {@code axis}
   */
  static LowFrequencies ofReal(LowFrequencies kept, Tensor x, int axis, int modes) {
    return kept != null && kept.fit(x, axis) ? kept : ofReal(x, x.dim(axis), modes);
  }

  private static LowFrequencies ofReal(Tensor like, int size, int modes) {
    double[] forward = new double[size * 2 * modes];
    double[] inverse = new double[2 * modes * size];
    for (int k = 0; k < modes; k++) {
      boolean single = k == 0 || 2 * k == size;
      double scale = (single ? 1.0 : 2.0) / size;
      for (int j = 0; j < size; j++) {
        double cos = cos(j, k, size);
        double sin = sin(j, k, size);
        forward[k * size + j] = cos;
        forward[(modes + k) * size + j] = -sin;
        inverse[j * 2 * modes + k] = scale * cos;
        inverse[j * 2 * modes + modes + k] = single ? 0 : -scale * sin;
      }
    }
    return of(like, size, 2 * modes, size, forward, inverse);
  }

  /**
   * Frequencies 0 … modes - 1 and then -modes … -1 of complex lines; of lines and frequencies alike
   * the real parts come first and then the imaginary ones.
   *
   * @param kept returned when it fits; null for none
   * @param x lines along {@code axis}
   */
  static LowFrequencies ofComplex(LowFrequencies kept, Tensor x, int axis, int modes) {
    return kept != null && kept.fit(x, axis) ? kept : ofComplex(x, x.dim(axis), modes);
  }

  private static LowFrequencies ofComplex(Tensor like, int size, int modes) {
    int points = 2 * size;
    int parts = 4 * modes;
    double[] forward = new double[parts * points];
    double[] inverse = new double[points * parts];
    for (int m = 0; m < 2 * modes; m++) {
      int k = m < modes ? m : m - 2 * modes + size;
      int re = m;
      int im = m + 2 * modes;
      for (int j = 0; j < size; j++) {
        double cos = cos(j, k, size);
        double sin = sin(j, k, size);
        forward[re * points + j] = cos;
        forward[im * points + j] = -sin;
        forward[re * points + size + j] = sin;
        forward[im * points + size + j] = cos;
        inverse[j * parts + re] = cos / size;
        inverse[(size + j) * parts + re] = sin / size;
        inverse[j * parts + im] = -sin / size;
        inverse[(size + j) * parts + im] = cos / size;
      }
    }
    return of(like, points, parts, size, forward, inverse);
  }

  private static LowFrequencies of(
      Tensor like, int points, int parts, int size, double[] forward, double[] inverse) {
    DataType type = like.type();
    Device device = like.device();
    return new LowFrequencies(
        size,
        Tensor.of(forward, parts, points).to(type).to(device),
        Tensor.of(inverse, points, parts).to(type).to(device));
  }

  // of 2 π j k / size, by the rest of j k so that long lines lose no digits
  private static double cos(int j, int k, int size) {
    return Math.cos(2 * Math.PI * ((long) j * k % size) / size);
  }

  private static double sin(int j, int k, int size) {
    return Math.sin(2 * Math.PI * ((long) j * k % size) / size);
  }
}
