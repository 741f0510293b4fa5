package io.perflow.physics.solver;

import io.perflow.physics.Normalization;
import io.perflow.physics.equation.Causes;
import io.perflow.physics.equation.Inversion;
import io.perflow.physics.prior.Sensing;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.Arrays;

/**
 * The permeabilities of two values by the sign of a Gaussian field x, the level set function: a is
 * high where x is at least 0 and low elsewhere (Bayesian level sets; Iglesias, Lu and Stuart,
 * 2016).
 *
 * <p>So that small changes of x affect the pressure, a changes from low to high within a narrow
 * band, a = middle + half tanh(x / width). The field has variance 1, and its {@link #MODES} lowest
 * cosines along each axis are the coefficients.
 */
final class LevelSetCauses implements Causes {
  static final double WIDTH = 0.15; // band, in standard deviations of x: about 2 points of 128
  private static final int MODES = 64;
  private static final double GUESS_ERROR = 1; // of x, point by point, as a given field shows it
  private static final double SURE = 0.95; // how far a value of a field is believed

  private final Darcy darcy;
  private final Normalization units;
  private final int n;
  private final int modes;
  private final Tensor cosines; // [n, modes]
  private final Tensor amplitudes; // [modes · modes, 1]

  LevelSetCauses(Darcy darcy, Normalization units) {
    this.darcy = darcy;
    this.units = units;
    n = darcy.size();
    modes = Math.min(MODES, n);
    double[] c = new double[n * modes];
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < modes; k++) {
        c[i * modes + k] = k == 0 ? 1 : Math.sqrt(2) * Math.cos(Math.PI * k * (i + 0.5) / n);
      }
    }
    cosines = Tensor.of(c, n, modes);
    amplitudes = Tensor.of(darcy.levelSet().amplitudes(modes), modes * modes, 1);
  }

  Darcy darcy() {
    return darcy;
  }

  Normalization normalization() {
    return units;
  }

  @Override
  public int rank() {
    return modes * modes;
  }

  /** Returns the level set functions [count, n, n] of coefficients [count, rank]. */
  Tensor levels(Tensor coefficients) {
    int count = coefficients.dim(0);
    Tensor c = coefficients.mul(amplitudes.transpose()).reshape(count, modes, modes);
    return cosines.matmul(c).matmul(cosines.transpose());
  }

  /**
   * Returns the transpose of {@link #levels} for fields by rows, n of [n, count]: [rank, count].
   */
  Tensor pull(Tensor... rows) {
    try (Scope scope = Scope.open()) {
      int count = rows[0].dim(1);
      Tensor across = cosines.transpose().contiguous();
      Tensor[] parts = new Tensor[n];
      Arrays.setAll(parts, i -> across.matmul(rows[i]).reshape(1, modes * count));
      Tensor down = across.matmul(Tensor.concat(0, parts));
      return scope.keep(down.reshape(rank(), count).mul(amplitudes));
    }
  }

  /**
   * Returns the derivatives of the level at points of the grid by the coefficients, [points, rank].
   */
  Tensor slopes(int... points) {
    Tensor down = cosines.gather(0, Arrays.stream(points).map(u -> u / n).toArray());
    Tensor across = cosines.gather(0, Arrays.stream(points).map(u -> u % n).toArray());
    Tensor product =
        down.reshape(points.length, modes, 1).mul(across.reshape(points.length, 1, modes));
    return product.reshape(points.length, rank()).mul(amplitudes.transpose());
  }

  /** Returns half of the difference of the two permeabilities. */
  double half() {
    return (darcy.high() - darcy.low()) / 2;
  }

  /** Returns the position of a permeability between the two values, from -1 (low) to 1 (high). */
  double side(double a) {
    return Math.clamp((a - darcy.low()) / half() - 1, -1, 1);
  }

  /**
   * Returns the coefficients of a smooth level set function with the signs of the field. A value
   * between the two permeabilities is treated as uncertain. The function is kept near zero, where
   * small changes of it still change the permeability.
   */
  @Override
  public Tensor coefficients(Tensor fields) {
    double[] a = darcy.cause(units.denormalize(fields)).toDoubles();
    for (int i = 0; i < a.length; i++) {
      double v = SURE * side(a[i]);
      a[i] = Math.log((1 + v) / (1 - v)) / 4;
    }
    Tensor shown = Tensor.of(a, fields.dim(0), n, n).permute(1, 2, 0).contiguous();
    Tensor[] rows = new Tensor[n];
    Arrays.setAll(rows, i -> shown.select(0, i));
    // Cosines are orthogonal at the points, so the best fit is found coefficient by coefficient.
    Tensor norms = amplitudes.square().mul((double) n * n).add(GUESS_ERROR * GUESS_ERROR);
    return pull(rows).div(norms).transpose().contiguous();
  }

  @Override
  public Inversion given(Sensing sensing, Tensor values, double accuracy) {
    return new LevelSetInversion(this, sensing, values, errors(sensing, accuracy));
  }
}
