package io.perflow.tensor.cpu.fft;

/**
 * Roots of unity, accurate to the last bit or nearly so.
 *
 * <p>The angle is reduced to the first octant with integers before {@link Math#cos} or {@link
 * Math#sin} sees it, so that large indices lose nothing and the symmetries hold exactly.
 */
final class Roots {
  private Roots() {}

  /** cos(2 pi k / n) for 0 ≤ k. */
  static double cos(long k, long n) {
    long k8 = 8 * (k % n); // the angle in units of (2 pi / n) / 8, that is an octant is n units
    if (k8 > 4 * n) {
      k8 = 8 * n - k8;
    }
    boolean negative = k8 > 2 * n;
    if (negative) {
      k8 = 4 * n - k8;
    }
    double step = Math.PI / (4.0 * n);
    double value = k8 <= n ? Math.cos(k8 * step) : Math.sin((2 * n - k8) * step);
    return negative ? -value : value;
  }

  /** sin(2 pi k / n) for 0 ≤ k, as cos of a quarter turn less: sin(a) = cos(a + 3/4 turn). */
  static double sin(long k, long n) {
    return cos(4 * (k % n) + 3 * n, 4 * n);
  }

  /**
   * Row p holds (cos, sin, -sin) of the angle -2 pi f(p) / turn: the three numbers of a complex
   * multiplication by two multiply-adds, the negated one stored rather than computed.
   *
   * @param index f(p), given at p = 0 … indices.length - 1
   */
  static double[] clockwise(long[] index, long turn) {
    double[] table = new double[3 * index.length];
    for (int p = 0; p < index.length; p++) {
      double sin = sin(index[p], turn);
      table[3 * p] = cos(index[p], turn);
      table[3 * p + 1] = -sin;
      table[3 * p + 2] = sin;
    }
    return table;
  }
}
