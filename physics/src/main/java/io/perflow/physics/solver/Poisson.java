package io.perflow.physics.solver;

import io.perflow.physics.Axis;
import io.perflow.physics.Grid;
import io.perflow.physics.Problem;
import io.perflow.physics.Sensors;
import io.perflow.physics.constraint.Dirichlet;
import io.perflow.physics.constraint.PoissonEquation;
import io.perflow.physics.field.CosineField;
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
 * The five-point {@linkplain PoissonEquation equations} with h = 1 / (size - 1) are solved exactly:
 * sin(pi k x) sin(pi l y) are their eigenvectors with eigenvalues (2 cos(pi k h) - 2 + 2 cos(pi l
 * h) - 2) / h^2, so a sine transform of type I, a division and the transform back give u. The outer
 * ring of u is exactly 0. As in the generator of DiffusionPDE (Huang et al., 2024), f is a {@link
 * CosineField}, whose values at cell centres are used as values at nodes.
 *
 * <p>The paper's text says that u is multiplied by sin(pi x) sin(pi y); the public generator does
 * not, and its published data do not show it. A multiplied u no longer solves the equation, so the
 * multiplier is off by default: {@link #sineMultiplier(boolean)}.
 *
 * @param size nodes along each axis, boundary included, at least 3
 * @param alpha smoothness of f
 * @param tau inverse length scale of f
 * @param sineMultiplier whether u is multiplied by sin(pi x) sin(pi y) after the solve
 */
public record Poisson(int size, double alpha, double tau, boolean sineMultiplier)
    implements FieldGenerator, TwoFields {
  /** Checks the parameters. */
  public Poisson {
    Parameters.atLeast("poisson", "size", size, 3);
    Parameters.positive("poisson", "alpha", alpha);
    Parameters.positive("poisson", "tau", tau);
  }

  /** Returns the benchmark: 128 x 128 nodes, alpha = 2, tau = 3, no multiplier. */
  public static Poisson standard() {
    return new Poisson(128, 2, 3, false);
  }

  /** Returns the same at another resolution. */
  public Poisson size(int size) {
    return new Poisson(size, alpha, tau, sineMultiplier);
  }

  /** Returns the same with or without the multiplier. */
  public Poisson sineMultiplier(boolean sineMultiplier) {
    return new Poisson(size, alpha, tau, sineMultiplier);
  }

  /** Returns the distribution of the right-hand side. */
  public CosineField rightHandSide() {
    return new CosineField(size, alpha, tau);
  }

  /** Returns the problem of the source f and the solution u, which is 0 on the rim of the grid. */
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
        .equation(this)
        .build();
  }

  @Override
  public double[] sample(Rng rng) {
    return fields(Tensor.of(rightHandSide().sample(rng), 1, causes())).toDoubles();
  }

  /**
   * Returns the solution u at the nodes for f at the nodes, both (size, size); values of f on the
   * boundary are ignored, and so is the multiplier.
   *
   * @throws IllegalArgumentException when f has another number of values or one that is not finite
   */
  public double[] solve(double[] f) {
    Parameters.length("poisson", "right-hand side", f.length, size * size);
    Parameters.finite("poisson", "right-hand side", f);
    try (Scope _ = Scope.open()) {
      return equations().solve(Tensor.of(f, 1, 1, size, size)).toDoubles();
    }
  }

  /** Returns the five-point equations that f and u satisfy, unless u is multiplied. */
  public PoissonEquation equations() {
    return PoissonEquation.on(new Grid(Axis.of("x", 0, 1, size), Axis.of("y", 0, 1, size)));
  }

  // ---- the equation: u follows from f

  @Override
  public Tensor fields(Tensor causes) {
    try (Scope scope = Scope.open()) {
      Tensor f = causes.reshape(causes.dim(0), 1, size, size);
      Tensor u = equations().solve(f);
      return scope.keep(Tensor.concat(1, f, sineMultiplier ? u.mul(multiplier()) : u));
    }
  }

  // sin(pi x) sin(pi y), exactly 0 on the ring.
  private Tensor multiplier() {
    double[] sine = new double[size];
    for (int i = 1; i < size - 1; i++) {
      sine[i] = Math.sin(Math.PI * i / (size - 1));
    }
    return Tensor.of(sine, size, 1).mul(Tensor.of(sine, size));
  }

  @Override
  public boolean linear() {
    return true;
  }

  /** Returns the fields of the directions. */
  @Override
  public Tensor tangent(Tensor cause, Tensor directions) {
    return fields(directions);
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
