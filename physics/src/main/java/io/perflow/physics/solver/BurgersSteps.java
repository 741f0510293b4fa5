package io.perflow.physics.solver;

/** One run of {@link Burgers}: the half spectrum of the field and a step of {@link EtdRk4}. */
final class BurgersSteps {
  private final RealFourier fourier;
  private final EtdRk4 scheme;
  private final int bins; // frequencies 0 … points / 2
  private final int cut; // frequencies below this enter and leave the product
  private double[] v; // (2, bins): real parts, then imaginary parts
  private final double[] filtered;

  BurgersSteps(Burgers equation, double[] initial) {
    int points = equation.points();
    fourier = new RealFourier(1, points);
    bins = points / 2 + 1;
    // An odd derivative has no meaning at the highest frequency of an even grid, where the sine
    // vanishes on all points: it is left out in any case.
    cut = equation.dealias() ? (points - 1) / 3 + 1 : (points + 1) / 2;
    double[] linear = new double[bins];
    for (int k = 0; k < bins; k++) {
      double frequency = 2 * Math.PI * k;
      linear[k] = -equation.viscosity() * frequency * frequency;
    }
    scheme = EtdRk4.of(linear, 1.0 / (equation.times() - 1) / equation.substeps());
    v = fourier.forward(initial);
    filtered = equation.dealias() ? new double[2 * bins] : null;
  }

  /** The field. */
  double[] values() {
    return fourier.inverse(v);
  }

  /** One step. */
  void advance() {
    double[] nv = nonlinear(v);
    double[] a = stage(v, nv, 1, nv, 0);
    double[] na = nonlinear(a);
    double[] b = stage(v, na, 1, na, 0);
    double[] nb = nonlinear(b);
    double[] c = stage(a, nb, 2, nv, -1);
    double[] nc = nonlinear(c);
    double[] next = new double[2 * bins];
    for (int i = 0; i < next.length; i++) {
      int k = i < bins ? i : i - bins;
      next[i] =
          scheme.e()[k] * v[i]
              + scheme.f1()[k] * nv[i]
              + scheme.f2()[k] * (na[i] + nb[i])
              + scheme.f3()[k] * nc[i];
    }
    v = next;
  }

  /** e^(hL/2) x + q (s m + t n). */
  private double[] stage(double[] x, double[] m, double s, double[] n, double t) {
    double[] y = new double[2 * bins];
    for (int i = 0; i < y.length; i++) {
      int k = i < bins ? i : i - bins;
      y[i] = scheme.e2()[k] * x[i] + scheme.q()[k] * (s * m[i] + t * n[i]);
    }
    return y;
  }

  /** Half spectrum of -(u^2 / 2)_x: the factor -i pi k on that of u^2. */
  private double[] nonlinear(double[] spectrum) {
    double[] u = fourier.inverse(lowPass(spectrum));
    for (int j = 0; j < u.length; j++) {
      u[j] *= u[j];
    }
    double[] square = fourier.forward(u);
    double[] n = new double[2 * bins];
    for (int k = 0; k < cut; k++) {
      n[k] = Math.PI * k * square[bins + k];
      n[bins + k] = -Math.PI * k * square[k];
    }
    return n;
  }

  private double[] lowPass(double[] spectrum) {
    if (filtered == null) {
      return spectrum;
    }
    System.arraycopy(spectrum, 0, filtered, 0, cut);
    System.arraycopy(spectrum, bins, filtered, bins, cut);
    return filtered;
  }
}
