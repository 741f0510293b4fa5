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
 * A periodic field on the line, covariance sigma^2 (-d^2/dx^2 + tau^2)^-gamma without its mean:
 *
 * <pre>
 *   u(x) = sum over k = 1 … points / 2 of  a(k) cos 2 pi k x + b(k) sin 2 pi k x,
 *   a(k), b(k) = sqrt(2) sigma ((2 pi k)^2 + tau^2)^(-gamma / 2) N(0, 1)
 * </pre>
 *
 * at x = j / points. This is the initial condition of the Burgers data of the Fourier neural
 * operator (Li et al., 2021) and of DiffusionPDE (Huang et al., 2024); a shift by half a period in
 * their code does not change the distribution.
 *
 * @param points grid points, at least 2
 * @param gamma smoothness
 * @param tau inverse length scale
 * @param sigma amplitude
 */
public record PeriodicLine(int points, double gamma, double tau, double sigma)
    implements GaussianField {
  /** Checks the parameters. */
  public PeriodicLine {
    Spectra.require("periodic line", points, gamma, tau, sigma);
  }

  @Override
  public Shape shape() {
    return Shape.of(points);
  }

  /** Returns the standard deviation of a(k) and of b(k). */
  private double amplitude(int k) {
    double frequency = 2 * Math.PI * k;
    return Math.sqrt(2) * sigma * Math.pow(frequency * frequency + tau * tau, -gamma / 2);
  }

  @Override
  public double[] sample(Rng rng) {
    int modes = points / 2;
    try (Scope scope = Scope.open()) {
      double[] normals = rng.normal(Device.cpu(), Shape.of(2, modes), DataType.F64).toDoubles();
      // (2, modes + 1): real parts, then imaginary parts of the half spectrum
      double[] spectrum = new double[2 * (modes + 1)];
      for (int k = 1; k <= modes; k++) {
        // The highest frequency of an even grid is its own mirror image.
        double half = 2 * k == points ? 1 : 0.5;
        double scale = half * points * amplitude(k);
        spectrum[k] = scale * normals[k - 1];
        spectrum[modes + 1 + k] = -scale * normals[modes + k - 1];
      }
      Tensor planar = Tensor.of(spectrum, 2, modes + 1).permute(1, 0);
      return Fourier.irfft(planar, points).toDoubles();
    }
  }

  @Override
  public double std() {
    double variance = 0;
    for (int k = 1; k <= points / 2; k++) {
      // cos^2 + sin^2 = 1, except at the highest frequency of an even grid, where the sine
      // vanishes.
      variance += amplitude(k) * amplitude(k);
    }
    return Math.sqrt(variance);
  }

  @Override
  public Map<String, Object> parameters() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("law", "periodic line");
    map.put("gamma", gamma);
    map.put("tau", tau);
    map.put("sigma", sigma);
    return map;
  }
}
