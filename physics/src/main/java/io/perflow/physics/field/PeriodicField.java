package io.perflow.physics.field;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A periodic field on a grid of one to three axes, covariance c sigma^2 (-Laplace + tau^2)^-alpha
 * without its mean, where c is 2 or 1 by the {@link Variance} convention.
 *
 * <p>With xi(k) complex normal numbers on the full grid of N points, the sample is the real part of
 *
 * <pre>
 *   u(x) = sum over k != 0 of  sqrt(2) sigma (4 pi^2 |k|^2 + tau^2)^(-alpha / 2) xi(k) e^(2 pi i k x)
 * </pre>
 *
 * at x = j / extent, as in the Navier-Stokes generator of the Fourier neural operator (Li et al.,
 * 2021). For alpha = 2.5, tau = 7 on the square its vorticity has a standard deviation of 0.262
 * (doubled) or 0.185 (nominal).
 *
 * @param shape extents of the grid, one to three
 * @param alpha smoothness
 * @param tau inverse length scale
 * @param sigma amplitude; {@link #of} takes the generator's tau^(alpha - d/2)
 * @param variance the scale of xi
 */
public record PeriodicField(Shape shape, double alpha, double tau, double sigma, Variance variance)
    implements GaussianField {
  /** Checks the parameters. */
  public PeriodicField {
    if (shape.rank() < 1 || shape.rank() > 3) {
      throw new IllegalArgumentException(
          "[periodic field] shape %s has %d axes, one to three are possible"
              .formatted(shape, shape.rank()));
    }
    Spectra.require("periodic field", shape.size(), alpha, tau, sigma);
  }

  /** Returns a field with the amplitude of the generator, sigma = tau^(alpha - d/2). */
  public static PeriodicField of(Shape shape, double alpha, double tau, Variance variance) {
    return new PeriodicField(
        shape, alpha, tau, Math.pow(tau, alpha - 0.5 * shape.rank()), variance);
  }

  /**
   * Returns the standard deviations of the real parts of the coefficients k, in row-major order; 0
   * for k = 0.
   */
  private double[] amplitudes() {
    double part = variance == Variance.DOUBLED ? 1 : Math.sqrt(0.5);
    double[] amplitudes = new double[shape.size()];
    for (int i = 1; i < amplitudes.length; i++) {
      double squares = 0;
      int rest = i;
      for (int axis = shape.rank() - 1; axis >= 0; axis--) {
        double k = Spectra.frequency(rest % shape.dim(axis), shape.dim(axis));
        squares += k * k;
        rest /= shape.dim(axis);
      }
      double eigenvalue = 4 * Math.PI * Math.PI * squares + tau * tau;
      amplitudes[i] = Math.sqrt(2) * sigma * part * Math.pow(eigenvalue, -alpha / 2);
    }
    return amplitudes;
  }

  @Override
  public double[] sample(Rng rng) {
    double[] amplitudes = amplitudes();
    int points = amplitudes.length;
    int rank = shape.rank();
    try (Scope scope = Scope.open()) {
      // (2, shape): real parts, then imaginary parts
      Shape planar = shape.insert(0, 2);
      double[] xi = rng.normal(Device.cpu(), planar, DataType.F64).toDoubles();
      for (int i = 0; i < points; i++) {
        double scale = points * amplitudes[i];
        xi[i] *= scale;
        xi[points + i] *= scale;
      }
      int[] pairLast = new int[rank + 1];
      for (int axis = 0; axis < rank; axis++) {
        pairLast[axis] = axis + 1;
      }
      Tensor spectrum = Tensor.of(xi, planar.toArray()).permute(pairLast);
      return Fourier.ifft(spectrum, rank).select(rank, 0).toDoubles();
    }
  }

  @Override
  public double std() {
    double variance = 0;
    for (double amplitude : amplitudes()) {
      // The real part of (a + i b) e^(i phi) has the variance of a, because a and b have the same
      // one.
      variance += amplitude * amplitude;
    }
    return Math.sqrt(variance);
  }

  @Override
  public Map<String, Object> parameters() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("law", "periodic field");
    map.put("alpha", alpha);
    map.put("tau", tau);
    map.put("sigma", sigma);
    map.put("variance", variance.name().toLowerCase(java.util.Locale.ROOT));
    return map;
  }
}
