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
 * A field on the square with vanishing normal derivative, covariance tau^(2 alpha - 2) (-Laplace +
 * tau^2)^-alpha with the Neumann Laplacian, without its mean:
 *
 * <pre>
 *   u(x, y) = sum over (k, l) != (0, 0) of
 *             tau^(alpha - 1) (pi^2 (k^2 + l^2) + tau^2)^(-alpha / 2) N(0, 1) c(k, x) c(l, y),
 *   c(0, x) = 1,  c(k, x) = sqrt(2) cos pi k x
 * </pre>
 *
 * at the cell centres x = (i + 1/2) / size. The factor tau^(alpha - 1) is in the generators of the
 * Fourier neural operator and of DiffusionPDE but not in the formula of their papers, "N(0,
 * (-Laplace + 9)^-2)". The variance is larger near the walls, where all cosines have their
 * extremes.
 *
 * @param size points along each axis
 * @param alpha smoothness
 * @param tau inverse length scale
 */
public record CosineField(int size, double alpha, double tau) implements GaussianField {
  /** Checks the parameters. */
  public CosineField {
    Spectra.require("cosine field", size, alpha, tau, 1);
  }

  @Override
  public Shape shape() {
    return Shape.of(size, size);
  }

  /** Returns the standard deviation of coefficient (k, l). */
  private double amplitude(int k, int l) {
    double squares = (double) k * k + (double) l * l;
    double eigenvalue = Math.PI * Math.PI * squares + tau * tau;
    return Math.pow(tau, alpha - 1) * Math.pow(eigenvalue, -alpha / 2);
  }

  /**
   * Returns the standard deviations (count, count) of the lowest coefficients, for a field whose
   * variance is 1 on average.
   */
  public double[] amplitudes(int count) {
    double scale = 1 / std();
    double[] lowest = new double[count * count];
    for (int i = 1; i < lowest.length; i++) {
      lowest[i] = scale * amplitude(i / count, i % count);
    }
    return lowest;
  }

  @Override
  public double[] sample(Rng rng) {
    try (Scope scope = Scope.open()) {
      double[] xi = rng.normal(Device.cpu(), shape(), DataType.F64).toDoubles();
      for (int k = 0; k < size; k++) {
        for (int l = 0; l < size; l++) {
          // The transform counts every cosine but the constant twice: 2 cos is sqrt(2) c.
          double weight = (k == 0 ? 1 : Math.sqrt(0.5)) * (l == 0 ? 1 : Math.sqrt(0.5));
          xi[k * size + l] *= weight * amplitude(k, l);
        }
      }
      xi[0] = 0;
      Tensor field = Fourier.dct3(Fourier.dct3(Tensor.of(xi, size, size), 0), 1);
      return field.toDoubles();
    }
  }

  @Override
  public double std() {
    double variance = 0;
    for (int k = 0; k < size; k++) {
      for (int l = k == 0 ? 1 : 0; l < size; l++) {
        variance += amplitude(k, l) * amplitude(k, l); // c^2 has mean 1 over the cell centres.
      }
    }
    return Math.sqrt(variance);
  }

  @Override
  public Map<String, Object> parameters() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("law", "cosine field");
    map.put("alpha", alpha);
    map.put("tau", tau);
    return map;
  }
}
