package io.perflow.physics.solver;

import io.perflow.physics.Problem;
import io.perflow.physics.Sensors;
import io.perflow.physics.constraint.Dirichlet;
import io.perflow.physics.field.CosineField;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Poisson's equation Laplace u = f on the unit square with u = 0 on its boundary, for a random
 * right-hand side.
 *
 * <p>A sample is (2, size, size): f, then u, at the nodes x = i / (size - 1), boundary included.
 * The five-point stencil with h = 1 / (size - 1) is solved exactly: sin(pi k x) sin(pi l y) are its
 * eigenvectors with eigenvalues (2 cos(pi k h) - 2 + 2 cos(pi l h) - 2) / h^2, so a sine transform
 * of type I, a division and the transform back give u. The outer ring of u is exactly 0. As in the
 * generator of DiffusionPDE (Huang et al., 2024), f is a {@link CosineField}, whose values at cell
 * centres are taken for values at nodes.
 *
 * <p>The paper's text says that u is multiplied by sin(pi x) sin(pi y); the public generator does
 * not, and its published data do not show it. A multiplied u no longer solves the equation, so the
 * multiplier is off unless asked for: {@link #sineMultiplier(boolean)}.
 *
 * @param size nodes along each axis, boundary included, at least 3
 * @param alpha smoothness of f
 * @param tau inverse length scale of f
 * @param sineMultiplier whether u is multiplied by sin(pi x) sin(pi y) after the solve
 */
public record Poisson(int size, double alpha, double tau, boolean sineMultiplier)
    implements FieldGenerator {
  /** Checks the parameters. */
  public Poisson {
    Parameters.atLeast("poisson", "size", size, 3);
    Parameters.positive("poisson", "alpha", alpha);
    Parameters.positive("poisson", "tau", tau);
  }

  /** The benchmark: 128 x 128 nodes, alpha = 2, tau = 3, no multiplier. */
  public static Poisson standard() {
    return new Poisson(128, 2, 3, false);
  }

  /** The same at another resolution. */
  public Poisson size(int size) {
    return new Poisson(size, alpha, tau, sineMultiplier);
  }

  /** The same with or without the multiplier. */
  public Poisson sineMultiplier(boolean sineMultiplier) {
    return new Poisson(size, alpha, tau, sineMultiplier);
  }

  /** Law of the right-hand side. */
  public CosineField rightHandSide() {
    return new CosineField(size, alpha, tau);
  }

  /** The source f and the solution u, which is 0 on the rim of the grid. */
  @Override
  public Problem problem() {
    return Problem.named("poisson")
        .axis("x", 0, 1, size)
        .axis("y", 0, 1, size)
        .channel("f")
        .channel("u")
        .constrain(Dirichlet.ring(1))
        .sensors(Sensors.points(Math.clamp(size * size / 32, 1, 500)))
        .symmetries("mirror:x", "mirror:y", "transpose")
        .simulator(this)
        .build();
  }

  @Override
  public double[] sample(Rng rng) {
    double[] f = rightHandSide().sample(rng);
    double[] u = solve(f);
    if (sineMultiplier) {
      double[] sine = new double[size];
      for (int i = 1; i < size - 1; i++) {
        sine[i] = Math.sin(Math.PI * i / (size - 1));
      }
      for (int i = 0; i < u.length; i++) {
        u[i] *= sine[i / size] * sine[i % size];
      }
    }
    double[] both = new double[2 * f.length];
    System.arraycopy(f, 0, both, 0, f.length);
    System.arraycopy(u, 0, both, f.length, u.length);
    return both;
  }

  /**
   * The solution u at the nodes for f at the nodes, both (size, size); f on the boundary does not
   * matter. The multiplier plays no part.
   *
   * @throws IllegalArgumentException when f has another number of values or one that is not finite
   */
  public double[] solve(double[] f) {
    Parameters.length("poisson", "right-hand side", f.length, size * size);
    Parameters.finite("poisson", "right-hand side", f);
    int inner = size - 2;
    double[] eigenvalue = new double[inner];
    for (int k = 0; k < inner; k++) {
      // 2 cos x - 2 without its cancellation
      double sine = Math.sin(0.5 * Math.PI * (k + 1) / (size - 1));
      eigenvalue[k] = -4 * sine * sine * (size - 1) * (size - 1);
    }
    double[] u = new double[size * size];
    try (Scope scope = Scope.open()) {
      double[] c = sines(interior(f)).toDoubles();
      // two transforms along each axis multiply by 2 (size - 1) per axis
      double points = 4.0 * (size - 1) * (size - 1);
      for (int k = 0; k < inner; k++) {
        for (int l = 0; l < inner; l++) {
          c[k * inner + l] /= points * (eigenvalue[k] + eigenvalue[l]);
        }
      }
      double[] solution = sines(c).toDoubles();
      for (int i = 0; i < inner; i++) {
        System.arraycopy(solution, i * inner, u, (i + 1) * size + 1, inner);
      }
    }
    return u;
  }

  private double[] interior(double[] f) {
    int inner = size - 2;
    double[] x = new double[inner * inner];
    for (int i = 0; i < inner; i++) {
      System.arraycopy(f, (i + 1) * size + 1, x, i * inner, inner);
    }
    return x;
  }

  private Tensor sines(double[] x) {
    return Fourier.dst1(Fourier.dst1(Tensor.of(x, size - 2, size - 2), 0), 1);
  }

  @Override
  public Map<String, Object> parameters() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("equation", "poisson");
    map.put("size", size);
    map.put("rightHandSide", rightHandSide().parameters());
    map.put("sineMultiplier", sineMultiplier);
    return map;
  }
}
