package io.perflow.physics.solver;

/**
 * One run of {@link Burgers} for several initial conditions at once: the half spectra of the fields
 * and a step of {@link EtdRk4}. Small changes of an initial condition are carried along the
 * solution by the derivative of each step.
 */
final class BurgersSteps {
  private static final int STAGES = 4;

  private final RealFourier fourier;
  private final EtdRk4 scheme;
  private final int bins; // frequencies 0 … points / 2
  private final int cut; // frequencies below this enter and leave the product
  private double[] v; // (2, fields, bins): real parts, then imaginary parts
  private final double[] filtered;
  private double[][] stages; // values of the fields in the stages of the last step

  /** Starts from initial conditions, or from changes of one, (fields, points). */
  BurgersSteps(Burgers equation, double[] initial) {
    int points = equation.points();
    int fields = initial.length / points;
    fourier = new RealFourier(fields, points);
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
    filtered = equation.dealias() ? new double[v.length] : null;
  }

  /** Returns the fields (fields, points). */
  double[] values() {
    return fourier.inverse(v);
  }

  /** Takes one step. */
  void advance() {
    stages = new double[STAGES][];
    v = scheme.step(v, this::nonlinear);
  }

  /** Returns the values (fields, points) in the four stages of the last step. */
  double[][] stages() {
    return stages;
  }

  /** Takes the derivative of one step, along whose four stages one solution had these values. */
  void advance(double[][] along) {
    v = scheme.step(v, (stage, d) -> derivative(along[stage], d));
  }

  // half spectrum of -(u² / 2)_x
  private double[] nonlinear(int stage, double[] spectrum) {
    double[] u = fourier.inverse(lowPass(spectrum));
    stages[stage] = u;
    double[] square = new double[u.length];
    for (int j = 0; j < u.length; j++) {
      square[j] = u[j] * u[j];
    }
    return slope(square);
  }

  // The half spectrum of -(u d)_x, where u is the field that is changed by d.
  private double[] derivative(double[] u, double[] spectrum) {
    double[] d = fourier.inverse(lowPass(spectrum));
    for (int row = 0; row < d.length; row += u.length) {
      for (int j = 0; j < u.length; j++) {
        d[row + j] *= 2 * u[j];
      }
    }
    return slope(d);
  }

  // the factor -i pi k on the half spectrum
  private double[] slope(double[] values) {
    double[] s = fourier.forward(values);
    double[] n = new double[s.length];
    int half = s.length / 2;
    for (int row = 0; row < half; row += bins) {
      for (int k = 0; k < cut; k++) {
        n[row + k] = Math.PI * k * s[half + row + k];
        n[half + row + k] = -Math.PI * k * s[row + k];
      }
    }
    return n;
  }

  private double[] lowPass(double[] spectrum) {
    if (filtered == null) {
      return spectrum;
    }
    for (int row = 0; row < spectrum.length; row += bins) {
      System.arraycopy(spectrum, row, filtered, row, cut);
    }
    return filtered;
  }
}
