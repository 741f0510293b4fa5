package io.perflow.physics.solver;

/**
 * One run of {@link NavierStokes}: the Fourier coefficients of the vorticity and a time step.
 *
 * <p>Only the frequencies -cut … cut of x and 0 … cut of y exist, cut being the largest with 3 cut
 * &lt; grid: products of such fields are exact at these frequencies. They are kept by themselves in
 * a band (2, 2 cut + 1, cut + 1), real parts first, and put in place for each transform.
 *
 * <p>The advection term is taken from the curl of the momentum flux,
 *
 * <pre>
 *   u w_x + v w_y = (d_xx - d_yy)(u v) - d_xy (u^2 - v^2),
 * </pre>
 *
 * which holds for any divergence-free velocity and needs four transforms (u and v back, two
 * products forth) where the left side needs five (C. Basdevant, 1983).
 */
final class VorticitySteps {
  private final NavierStokes equation;
  private final int grid;
  private final int cut;
  private final int rows; // of the band: frequencies of x in the order 0 … cut, -cut … -1
  private final int cols; // of the band: frequencies of y
  private final int area;
  private final RealFourier fourier;
  private final double[] decay; // (1 - c) / (1 + c) with c = step viscosity |k|^2 / 2
  private final double[] gain; // step / (1 + c)
  private final double force; // real part of the forcing at frequency (1, 1); minus imaginary part

  private double[] vorticity; // band
  private double[] next; // band
  private final double[] slope; // band
  private final double[] slopeAhead; // band
  private final double[] spectra; // (2, u and v, grid, grid / 2 + 1), zero outside the band

  VorticitySteps(NavierStokes equation, double[] initial) {
    this.equation = equation;
    grid = equation.grid();
    cut = (grid - 1) / 3;
    rows = 2 * cut + 1;
    cols = cut + 1;
    area = rows * cols;
    fourier = new RealFourier(2, grid, grid);
    vorticity = band(new RealFourier(1, grid, grid).forward(initial));
    vorticity[0] = 0;
    vorticity[area] = 0;
    next = new double[2 * area];
    slope = new double[2 * area];
    slopeAhead = new double[2 * area];
    spectra = new double[4 * grid * (grid / 2 + 1)];
    // sin + cos = Re((1 - i) e^(i phase)), shared with the mirror image
    force = 0.5 * equation.forcing() * grid * grid;
    double step = equation.time() / equation.frames() / equation.stepsPerFrame();
    decay = new double[area];
    gain = new double[area];
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < cols; c++) {
        double kx = wave(frequency(r));
        double ky = wave(c);
        double half = 0.5 * step * equation.viscosity() * (kx * kx + ky * ky);
        decay[r * cols + c] = (1 - half) / (1 + half);
        gain[r * cols + c] = step / (1 + half);
      }
    }
  }

  private static double wave(int frequency) {
    return 2 * Math.PI * frequency;
  }

  /** Frequency of a row of the band. */
  private int frequency(int row) {
    return row <= cut ? row : row - rows;
  }

  /** Of a half spectrum (2, grid, grid / 2 + 1), the part in the band. */
  private double[] band(double[] spectrum) {
    int bins = grid / 2 + 1;
    double[] band = new double[2 * area];
    for (int part = 0; part < 2; part++) {
      for (int r = 0; r < rows; r++) {
        int from = (part * grid + Math.floorMod(frequency(r), grid)) * bins;
        System.arraycopy(spectrum, from, band, part * area + r * cols, cols);
      }
    }
    return band;
  }

  /** One step: Heun for advection and forcing, Crank-Nicolson for viscosity. */
  void advance() {
    slope(vorticity, slope);
    for (int part = 0; part <= area; part += area) {
      for (int i = 0; i < area; i++) {
        next[part + i] = decay[i] * vorticity[part + i] + gain[i] * slope[part + i];
      }
    }
    slope(next, slopeAhead);
    for (int part = 0; part <= area; part += area) {
      for (int i = 0; i < area; i++) {
        double mean = 0.5 * (slope[part + i] + slopeAhead[part + i]);
        next[part + i] = decay[i] * vorticity[part + i] + gain[i] * mean;
      }
    }
    double[] last = vorticity;
    vorticity = next;
    next = last;
  }

  /** Forcing minus advection of the vorticity w, both bands. */
  private void slope(double[] w, double[] result) {
    placeVelocity(w, cut, grid, 1, spectra);
    double[] velocity = fourier.inverse(spectra);
    int points = grid * grid;
    for (int i = 0; i < points; i++) {
      double u = velocity[i];
      double v = velocity[points + i];
      velocity[i] = u * v;
      velocity[points + i] = (u - v) * (u + v);
    }
    double[] products = fourier.forward(velocity);
    int bins = grid / 2 + 1;
    for (int r = 0; r < rows; r++) {
      double kx = wave(frequency(r));
      int row = Math.floorMod(frequency(r), grid) * bins;
      for (int part = 0; part < 2; part++) {
        int product = 2 * part * grid * bins + row; // of u v; u^2 - v^2 is grid * bins further
        int square = product + grid * bins;
        int at = part * area + r * cols;
        for (int c = 0; c < cols; c++) {
          double ky = 2 * Math.PI * c;
          result[at + c] =
              (kx - ky) * (kx + ky) * products[product + c] - kx * ky * products[square + c];
        }
      }
    }
    result[cols + 1] += force;
    result[area + cols + 1] -= force;
  }

  /**
   * Spectra of u = psi_y and v = -psi_x on points x points, from the vorticity's frequencies up to
   * {@code highest}: psi = w / |k|^2, so that u = i ky w / |k|^2 and v = -i kx w / |k|^2.
   */
  private void placeVelocity(double[] w, int highest, int points, double scale, double[] target) {
    int bins = points / 2 + 1;
    int plane = points * bins;
    for (int kx = -highest; kx <= highest; kx++) {
      int from = Math.floorMod(kx, rows) * cols;
      int to = Math.floorMod(kx, points) * bins;
      for (int ky = kx == 0 ? 1 : 0; ky <= highest; ky++) {
        double factor = scale / (2 * Math.PI * (kx * kx + ky * ky));
        double re = factor * w[from + ky];
        double im = factor * w[area + from + ky];
        target[to + ky] = -ky * im;
        target[plane + to + ky] = kx * im;
        target[2 * plane + to + ky] = ky * re;
        target[3 * plane + to + ky] = -kx * re;
      }
    }
  }

  /** u, then v, at the stored size. */
  double[] velocity() {
    int size = equation.size();
    if (equation.storage() == NavierStokes.Storage.STRIDE) {
      placeVelocity(vorticity, cut, grid, 1, spectra);
      return everyNth(fourier.inverse(spectra), grid / size);
    }
    int highest = Math.min(cut, (size - 1) / 2);
    double scale = (double) size * size / ((double) grid * grid);
    double[] spectrum = new double[4 * size * (size / 2 + 1)];
    placeVelocity(vorticity, highest, size, scale, spectrum);
    return new RealFourier(2, size, size).inverse(spectrum);
  }

  private double[] everyNth(double[] fields, int stride) {
    int size = grid / stride;
    double[] few = new double[2 * size * size];
    for (int field = 0; field < 2; field++) {
      for (int i = 0; i < size; i++) {
        for (int j = 0; j < size; j++) {
          few[(field * size + i) * size + j] =
              fields[(field * grid + i * stride) * grid + j * stride];
        }
      }
    }
    return few;
  }
}
