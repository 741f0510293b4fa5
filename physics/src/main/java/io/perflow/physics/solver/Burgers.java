package io.perflow.physics.solver;

import io.perflow.physics.Axis;
import io.perflow.physics.Problem;
import io.perflow.physics.Sensors;
import io.perflow.physics.constraint.Mass;
import io.perflow.physics.equation.Equation;
import io.perflow.physics.field.PeriodicLine;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Burgers' equation u_t + (u^2 / 2)_x = viscosity u_xx on the periodic unit interval for 0 &lt;= t
 * &lt;= 1, from a random initial condition.
 *
 * <p>A sample is one channel (times, points): row i is the field at t = i / (times - 1), so that
 * row 0 is the initial condition; column j is x = j / points. The spatial mean is zero and stays
 * zero.
 *
 * <p>The discretisation is Fourier collocation in space and {@link EtdRk4} in time with {@code
 * substeps} steps from one row to the next. Without de-aliasing and with one step this is the
 * scheme behind the data of DiffusionPDE (Huang et al., 2024). With de-aliasing the product is
 * formed from frequencies up to two thirds of the highest, and only those of the result are used.
 *
 * <p>The initial condition has two presets, because the paper's text and public code disagree:
 * {@link #paper} follows the text, covariance 625 (-Laplace + 25)^-2 (standard deviation 0.594);
 * {@link #diffusionPde} follows the code, gamma = 2.5, tau = 7, sigma = 49 (0.274).
 *
 * @param times rows, at least 2
 * @param points grid points, at least 4
 * @param viscosity diffusion coefficient
 * @param gamma smoothness of the initial condition, see {@link PeriodicLine}
 * @param tau inverse length scale of the initial condition
 * @param sigma amplitude of the initial condition
 * @param dealias whether to apply the 2/3 rule
 * @param substeps steps from one row to the next
 */
public record Burgers(
    int times,
    int points,
    double viscosity,
    double gamma,
    double tau,
    double sigma,
    boolean dealias,
    int substeps)
    implements FieldGenerator, Equation {
  private static final int CHUNK = 16; // directions at a time, whose spectra stay in the cache

  /** Checks the parameters. */
  public Burgers {
    Parameters.atLeast("burgers", "times", times, 2);
    Parameters.atLeast("burgers", "points", points, 4);
    Parameters.atLeast("burgers", "substeps", substeps, 1);
    Parameters.positive("burgers", "viscosity", viscosity);
    Parameters.positive("burgers", "gamma", gamma);
    Parameters.positive("burgers", "tau", tau);
    Parameters.positive("burgers", "sigma", sigma);
  }

  /** Returns the initial condition of the paper's text, 128 x 128. */
  public static Burgers paper() {
    return new Burgers(128, 128, 0.01, 2, 5, 25, false, 1);
  }

  /** Returns the initial condition of DiffusionPDE's generator, 128 x 128. */
  public static Burgers diffusionPde() {
    return new Burgers(128, 128, 0.01, 2.5, 7, 49, false, 1);
  }

  /** Returns the same at another resolution. */
  public Burgers size(int times, int points) {
    return new Burgers(times, points, viscosity, gamma, tau, sigma, dealias, substeps);
  }

  /** Returns the same with or without the 2/3 rule. */
  public Burgers dealias(boolean dealias) {
    return new Burgers(times, points, viscosity, gamma, tau, sigma, dealias, substeps);
  }

  /** Returns the same with another number of steps between rows. */
  public Burgers substeps(int substeps) {
    return new Burgers(times, points, viscosity, gamma, tau, sigma, dealias, substeps);
  }

  /** Returns the distribution of the initial condition. */
  public PeriodicLine initialCondition() {
    return new PeriodicLine(points, gamma, tau, sigma);
  }

  /**
   * Returns the problem of u over time and a circle; its mean over the circle is 0 at every time.
   */
  @Override
  public Problem problem() {
    return Problem.named("burgers")
        .axis(Axis.time("t", 0, 1, times))
        .axis(Axis.periodic("x", 0, 1, points))
        .channel("u")
        .constrain(Mass.over(3))
        .sensors(Sensors.lines("x", Math.min(5, points)))
        .symmetries("mirror:x:-u", "shift:x")
        .simulator(this)
        .equation(this)
        .build();
  }

  @Override
  public double[] sample(Rng rng) {
    return solve(initialCondition().sample(rng));
  }

  /**
   * Returns the solution (times, points) from an initial condition at x = j / points.
   *
   * @throws IllegalArgumentException when the initial condition has another number of points or one
   *     that is not finite
   * @throws ArithmeticException when the step or the grid is too coarse and the solution overflows
   */
  public double[] solve(double[] initial) {
    Parameters.length("burgers", "initial condition", initial.length, points);
    Parameters.finite("burgers", "initial condition", initial);
    double[] rows = solveAll(initial);
    for (int row = 1; row < times; row++) {
      double[] u = Arrays.copyOfRange(rows, row * points, (row + 1) * points);
      Parameters.stable(
          "burgers", row / (times - 1.0), u, "take more points, more substeps, or dealias");
    }
    return rows;
  }

  // Maps (fields, points) to (fields, times, points); overflow gives numbers that are not finite.
  private double[] solveAll(double[] initial) {
    double[] rows = new double[initial.length * times];
    put(initial, 0, rows);
    BurgersSteps steps = new BurgersSteps(this, initial);
    for (int row = 1; row < times; row++) {
      for (int step = 0; step < substeps; step++) {
        steps.advance();
      }
      put(steps.values(), row, rows);
    }
    return rows;
  }

  // one time of all fields
  private void put(double[] u, int row, double[] rows) {
    for (int field = 0; field < u.length / points; field++) {
      System.arraycopy(u, field * points, rows, (field * times + row) * points, points);
    }
  }

  // ---- the equation: all times follow from the first

  @Override
  public Shape shape() {
    return Shape.of(1, 1, times, points);
  }

  @Override
  public int causes() {
    return points;
  }

  @Override
  public Tensor cause(Tensor fields) {
    return fields.select(2, 0).reshape(fields.dim(0), points).to(DataType.F64);
  }

  @Override
  public Tensor fields(Tensor causes) {
    return Tensor.of(solveAll(causes.toDoubles()), causes.dim(0), 1, times, points);
  }

  @Override
  public Tensor tangent(Tensor cause, Tensor directions) {
    BurgersSteps solution = new BurgersSteps(this, cause.toDoubles());
    double[][][] stages = new double[(times - 1) * substeps][][];
    for (int step = 0; step < stages.length; step++) {
      solution.advance();
      stages[step] = solution.stages();
    }
    int count = directions.dim(0);
    double[] all = directions.toDoubles();
    double[] rows = new double[all.length * times];
    for (int from = 0; from < count; from += CHUNK) {
      int to = Math.min(count, from + CHUNK);
      double[] changes = changes(stages, Arrays.copyOfRange(all, from * points, to * points));
      System.arraycopy(changes, 0, rows, from * times * points, changes.length);
    }
    return Tensor.of(rows, count, 1, times, points);
  }

  // (directions, points) to (directions, times, points)
  private double[] changes(double[][][] stages, double[] initial) {
    double[] rows = new double[initial.length * times];
    put(initial, 0, rows);
    BurgersSteps steps = new BurgersSteps(this, initial);
    for (int row = 1; row < times; row++) {
      for (int step = 0; step < substeps; step++) {
        steps.advance(stages[(row - 1) * substeps + step]);
      }
      put(steps.values(), row, rows);
    }
    return rows;
  }

  @Override
  public Map<String, Object> parameters() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("equation", "burgers");
    map.put("times", times);
    map.put("points", points);
    map.put("viscosity", viscosity);
    map.put("initial", initialCondition().parameters());
    map.put("dealias", dealias);
    map.put("substeps", substeps);
    return map;
  }
}
