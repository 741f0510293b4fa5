package io.perflow.physics.solver;

/**
 * One run of {@link NavierStokes} for several flows at once: the Fourier coefficients of their
 * vorticities and a time step. Small changes of a flow are carried along it by the derivative of
 * each step.
 *
 * <p>Only the frequencies -cut … cut of x and 0 … cut of y exist, cut being the largest with 3 cut
 * &lt; grid: products of such fields are exact at these frequencies. Only they are stored, in bands
 * (2, fields, 2 cut + 1, cut + 1), real parts first, and put into place for each transform.
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
  private final int fields;
  private final boolean changes; // whether all fields but the first are changes of the first
  private final int grid;
  private final int cut;
  private final int rows; // of a band: frequencies of x in the order 0 … cut, -cut … -1
  private final int cols; // of a band: frequencies of y
  private final int area; // of a band
  private final int half; // real parts of all bands
  private final RealFourier fourier;
  private final double[] decay; // (1 - c) / (1 + c) with c = step viscosity |k|^2 / 2
  private final double[] gain; // step / (1 + c)
  private final double force; // real part of the forcing at frequency (1, 1); minus imaginary part

  private double[] vorticity; // bands
  private double[] next; // bands
  private final double[] slope; // bands
  private final double[] slopeAhead; // bands
  private final double[] spectra; // (2, u then v, fields, grid, grid / 2 + 1), 0 outside the bands

  /**
   * Starts from vorticities (fields, points, points), without their means and without frequencies
   * above {@code highest}.
   *
   * @param changes whether only the first is a flow and the others are changes of it
   */
  private VorticitySteps(
      NavierStokes equation, double[] initial, int points, int highest, boolean changes) {
    this.equation = equation;
    this.changes = changes;
    fields = initial.length / (points * points);
    grid = equation.grid();
    cut = cut(equation);
    rows = 2 * cut + 1;
    cols = cut + 1;
    area = rows * cols;
    half = fields * area;
    fourier = new RealFourier(2 * fields, grid, grid);
    vorticity = new double[2 * half];
    place(new RealFourier(fields, points, points).forward(initial), points, highest);
    next = new double[2 * half];
    slope = new double[2 * half];
    slopeAhead = new double[2 * half];
    spectra = new double[4 * fields * grid * (grid / 2 + 1)];
    // sin + cos = Re((1 - i) e^(i phase)), shared with the mirror image
    force = 0.5 * equation.forcing() * grid * grid;
    double step = equation.time() / equation.frames() / equation.stepsPerFrame();
    decay = new double[area];
    gain = new double[area];
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < cols; c++) {
        double kx = wave(frequency(r));
        double ky = wave(c);
        double part = 0.5 * step * equation.viscosity() * (kx * kx + ky * ky);
        decay[r * cols + c] = (1 - part) / (1 + part);
        gain[r * cols + c] = step / (1 + part);
      }
    }
  }

  /** Starts from one vorticity (grid, grid). */
  static VorticitySteps of(NavierStokes equation, double[] initial) {
    return new VorticitySteps(equation, initial, equation.grid(), cut(equation), false);
  }

  /** Starts from vorticities on the stored grid, (fields, size, size). */
  static VorticitySteps ofStored(NavierStokes equation, double[] initial) {
    return new VorticitySteps(equation, initial, equation.size(), stored(equation), false);
  }

  /** Starts from one vorticity on the stored grid and changes of it, (1 + changes, size, size). */
  static VorticitySteps along(NavierStokes equation, double[] initial) {
    return new VorticitySteps(equation, initial, equation.size(), stored(equation), true);
  }

  private static int cut(NavierStokes equation) {
    return (equation.grid() - 1) / 3;
  }

  /** Returns the highest frequency that the steps and the stored grid both have. */
  static int stored(NavierStokes equation) {
    return Math.min(cut(equation), (equation.size() - 1) / 2);
  }

  private static double wave(int frequency) {
    return 2 * Math.PI * frequency;
  }

  /** Returns the frequency of a row of the band. */
  private int frequency(int row) {
    return row <= cut ? row : row - rows;
  }

  /** Puts half spectra (2, fields, points, points / 2 + 1) into the bands. */
  private void place(double[] spectrum, int points, int highest) {
    int bins = points / 2 + 1;
    double scale = (double) grid * grid / ((double) points * points);
    for (int field = 0; field < 2 * fields; field++) { // real parts, then imaginary parts
      for (int kx = -highest; kx <= highest; kx++) {
        int from = (field * points + Math.floorMod(kx, points)) * bins;
        int to = field * area + Math.floorMod(kx, rows) * cols;
        for (int ky = kx == 0 ? 1 : 0; ky <= highest; ky++) {
          vorticity[to + ky] = scale * spectrum[from + ky];
        }
      }
    }
  }

  /** Takes one step: Heun for advection and forcing, Crank-Nicolson for viscosity. */
  void advance() {
    slope(vorticity, slope);
    for (int band = 0; band < 2 * half; band += area) {
      for (int i = 0; i < area; i++) {
        next[band + i] = decay[i] * vorticity[band + i] + gain[i] * slope[band + i];
      }
    }
    slope(next, slopeAhead);
    for (int band = 0; band < 2 * half; band += area) {
      for (int i = 0; i < area; i++) {
        double mean = 0.5 * (slope[band + i] + slopeAhead[band + i]);
        next[band + i] = decay[i] * vorticity[band + i] + gain[i] * mean;
      }
    }
    double[] last = vorticity;
    vorticity = next;
    next = last;
  }

  /** Computes forcing minus advection of the vorticities w, both as bands. */
  private void slope(double[] w, double[] result) {
    placeVelocity(w, cut, grid, 1, spectra);
    double[] velocity = fourier.inverse(spectra);
    for (int field = fields - 1; field >= 0; field--) { // changes need the velocity of the first
      if (changes && field > 0) {
        productChanges(velocity, field);
      } else {
        products(velocity, field);
      }
    }
    double[] products = fourier.forward(velocity);
    int bins = grid / 2 + 1;
    int squares = fields * grid * bins; // from u v to u^2 - v^2
    for (int band = 0; band < 2 * fields; band++) {
      int part = band / fields;
      for (int r = 0; r < rows; r++) {
        double kx = wave(frequency(r));
        int row = Math.floorMod(frequency(r), grid) * bins;
        int product = part * 2 * squares + band % fields * grid * bins + row;
        int at = band * area + r * cols;
        for (int c = 0; c < cols; c++) {
          double ky = 2 * Math.PI * c;
          result[at + c] =
              (kx - ky) * (kx + ky) * products[product + c]
                  - kx * ky * products[product + squares + c];
        }
      }
    }
    for (int field = 0; field < (changes ? 1 : fields); field++) {
      result[field * area + cols + 1] += force;
      result[half + field * area + cols + 1] -= force;
    }
  }

  // Replaces u and v by u v and u² - v².
  private void products(double[] velocity, int field) {
    int points = grid * grid;
    int at = field * points;
    int other = (fields + field) * points;
    for (int i = 0; i < points; i++) {
      double u = velocity[at + i];
      double v = velocity[other + i];
      velocity[at + i] = u * v;
      velocity[other + i] = (u - v) * (u + v);
    }
  }

  // Replaces the changes of u and v by those of u v and of u² - v² of the first field.
  private void productChanges(double[] velocity, int field) {
    int points = grid * grid;
    int at = field * points;
    int other = (fields + field) * points;
    for (int i = 0; i < points; i++) {
      double u = velocity[i];
      double v = velocity[fields * points + i];
      double du = velocity[at + i];
      double dv = velocity[other + i];
      velocity[at + i] = u * dv + v * du;
      velocity[other + i] = 2 * (u * du - v * dv);
    }
  }

  /**
   * Places the spectra of u = psi_y and v = -psi_x on points x points, from the vorticity's
   * frequencies up to {@code highest}: psi = w / |k|^2, so that u = i ky w / |k|^2 and v = -i kx w
   * / |k|^2.
   */
  private void placeVelocity(double[] w, int highest, int points, double scale, double[] target) {
    int bins = points / 2 + 1;
    int plane = points * bins;
    int other = fields * plane; // from u to v
    for (int field = 0; field < fields; field++) {
      for (int kx = -highest; kx <= highest; kx++) {
        int from = field * area + Math.floorMod(kx, rows) * cols;
        int to = field * plane + Math.floorMod(kx, points) * bins;
        for (int ky = kx == 0 ? 1 : 0; ky <= highest; ky++) {
          double factor = scale / (2 * Math.PI * (kx * kx + ky * ky));
          double re = factor * w[from + ky];
          double im = factor * w[half + from + ky];
          target[to + ky] = -ky * im;
          target[other + to + ky] = kx * im;
          target[2 * other + to + ky] = ky * re;
          target[3 * other + to + ky] = -kx * re;
        }
      }
    }
  }

  /** Returns u of all fields, then v of all, at the stored size. */
  double[] velocity() {
    int size = equation.size();
    if (equation.storage() == NavierStokes.Storage.STRIDE) {
      placeVelocity(vorticity, cut, grid, 1, spectra);
      return everyNth(fourier.inverse(spectra), grid / size);
    }
    double scale = (double) size * size / ((double) grid * grid);
    double[] spectrum = new double[4 * fields * size * (size / 2 + 1)];
    placeVelocity(vorticity, stored(equation), size, scale, spectrum);
    return new RealFourier(2 * fields, size, size).inverse(spectrum);
  }

  private double[] everyNth(double[] values, int stride) {
    int size = grid / stride;
    double[] few = new double[2 * fields * size * size];
    for (int field = 0; field < 2 * fields; field++) {
      for (int i = 0; i < size; i++) {
        for (int j = 0; j < size; j++) {
          few[(field * size + i) * size + j] =
              values[(field * grid + i * stride) * grid + j * stride];
        }
      }
    }
    return few;
  }
}
