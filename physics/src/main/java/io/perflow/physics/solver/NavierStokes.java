package io.perflow.physics.solver;

import io.perflow.physics.Axis;
import io.perflow.physics.Problem;
import io.perflow.physics.Sensors;
import io.perflow.physics.constraint.DivergenceFree;
import io.perflow.physics.equation.Equation;
import io.perflow.physics.field.PeriodicField;
import io.perflow.physics.field.Variance;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The Navier-Stokes equations of an incompressible fluid on the unit torus, in vorticity form, from
 * a random initial vorticity:
 *
 * <pre>
 *   w_t + u w_x + v w_y = viscosity Laplace w + forcing (sin 2 pi (x + y) + cos 2 pi (x + y)),
 *   w = -Laplace psi,  u = psi_y,  v = -psi_x
 * </pre>
 *
 * <p>A sample is (2 frames, size, size): u at frames 1, 2 …, then v at the same frames; frame i is
 * the time i time / frames. Axis 0 of a field is x, axis 1 is y, at the points j / size. The
 * initial field is not among the frames, as in the generator of the Fourier neural operator (Li et
 * al., 2021), which also gives the forcing and the distribution of the vorticity.
 *
 * <p>Pseudo-spectral with the 2/3 rule on {@code grid} x {@code grid} points, Crank-Nicolson for
 * the viscous term, Heun's scheme for the rest. A step of 5e-3 is more accurate than the
 * generator's 1e-4 with Euler's scheme for the advection, at a 25th of its cost. Stored fields keep
 * the frequencies below {@code size / 2}; both they and the divergence-free constraint are
 * spectral, so the divergence is zero to rounding. With {@link Storage#STRIDE} every (grid /
 * size)-th point is stored instead.
 *
 * @param grid points along each axis during the computation
 * @param size points along each axis of the stored fields; divides the grid
 * @param frames stored times
 * @param time the last of them
 * @param step largest time step; it is shortened to fit the frames
 * @param viscosity kinematic viscosity
 * @param forcing amplitude of the forcing
 * @param alpha smoothness of the initial vorticity, see {@link PeriodicField}
 * @param tau inverse length scale of the initial vorticity
 * @param variance scale of the initial vorticity
 * @param storage how fields are brought to the stored size
 * @param sensors of each frame; fewer on stored grids of less than 20 points for each
 */
public record NavierStokes(
    int grid,
    int size,
    int frames,
    double time,
    double step,
    double viscosity,
    double forcing,
    double alpha,
    double tau,
    Variance variance,
    Storage storage,
    int sensors)
    implements FieldGenerator {
  private static final int MOST_STEPS = 1 << 20; // keeps a file from requesting an endless run

  /** The ways to bring fields to the stored size. */
  public enum Storage {
    /** Keeps only the frequencies that the stored grid resolves. */
    TRUNCATION,
    /** Keeps the values at every (grid / size)-th point, which aliases higher frequencies. */
    STRIDE
  }

  /** Checks the parameters. */
  public NavierStokes {
    Parameters.atLeast("navier-stokes", "grid", grid, 6);
    // The waves of the stored fields are those below size / 2; two points have none.
    Parameters.atLeast("navier-stokes", "size", size, 4);
    Parameters.atLeast("navier-stokes", "frames", frames, 1);
    Parameters.atLeast("navier-stokes", "sensors", sensors, 1);
    Parameters.positive("navier-stokes", "time", time);
    Parameters.positive("navier-stokes", "step", step);
    Parameters.positive("navier-stokes", "viscosity", viscosity);
    Parameters.positive("navier-stokes", "alpha", alpha);
    Parameters.positive("navier-stokes", "tau", tau);
    if (time / frames / step > MOST_STEPS) {
      throw new IllegalArgumentException(
          "[navier-stokes] step is %s: more than %d steps from frame to frame"
              .formatted(step, MOST_STEPS));
    }
    if (!Double.isFinite(forcing)) {
      throw new IllegalArgumentException(
          "[navier-stokes] forcing is %s, must be finite".formatted(forcing));
    }
    if (grid % size != 0) {
      throw new IllegalArgumentException(
          "[navier-stokes] size %d does not divide the grid of %d".formatted(size, grid));
    }
  }

  /**
   * Returns the benchmark: 256 x 256 points stored at 64 x 64, ten frames to t = 1, viscosity 1e-3;
   * the vorticity has the doubled variance that the public data show, a standard deviation of
   * 0.262.
   */
  public static NavierStokes standard() {
    return new NavierStokes(
        256, 64, 10, 1, 5e-3, 1e-3, 0.1, 2.5, 7, Variance.DOUBLED, Storage.TRUNCATION, 200);
  }

  /**
   * Returns a harder task than the benchmark, whose frames differ by 3 to 4 % only: viscosity 1e-4,
   * ten frames to t = 10, which differ by 20 to 30 %. The step of 1e-2 has a relative error of
   * 4e-6, and the grid of 128 points one of 4e-9 against 256. Each frame has 5 sensors instead of
   * 200, which determine less of a field.
   */
  public static NavierStokes advective() {
    return standard().grid(128, 64).fluid(1e-4, 0.1).times(10, 10).step(1e-2).sensors(5);
  }

  /** Returns the same on another grid, stored at another size. */
  public NavierStokes grid(int grid, int size) {
    return new NavierStokes(
        grid, size, frames, time, step, viscosity, forcing, alpha, tau, variance, storage, sensors);
  }

  /** Returns the same at other times. */
  public NavierStokes times(int frames, double time) {
    return new NavierStokes(
        grid, size, frames, time, step, viscosity, forcing, alpha, tau, variance, storage, sensors);
  }

  /** Returns the same with another time step. */
  public NavierStokes step(double step) {
    return new NavierStokes(
        grid, size, frames, time, step, viscosity, forcing, alpha, tau, variance, storage, sensors);
  }

  /** Returns the same with another viscosity and forcing. */
  public NavierStokes fluid(double viscosity, double forcing) {
    return new NavierStokes(
        grid, size, frames, time, step, viscosity, forcing, alpha, tau, variance, storage, sensors);
  }

  /** Returns the same with another scale of the initial vorticity. */
  public NavierStokes variance(Variance variance) {
    return new NavierStokes(
        grid, size, frames, time, step, viscosity, forcing, alpha, tau, variance, storage, sensors);
  }

  /** Returns the same with another storage. */
  public NavierStokes storage(Storage storage) {
    return new NavierStokes(
        grid, size, frames, time, step, viscosity, forcing, alpha, tau, variance, storage, sensors);
  }

  /** Returns the same with another number of sensors in each frame. */
  public NavierStokes sensors(int sensors) {
    return new NavierStokes(
        grid, size, frames, time, step, viscosity, forcing, alpha, tau, variance, storage, sensors);
  }

  /** Returns the distribution of the initial vorticity. */
  public PeriodicField initialVorticity() {
    return PeriodicField.of(Shape.of(grid, grid), alpha, tau, variance);
  }

  /** Returns the number of steps from one frame to the next. */
  int stepsPerFrame() {
    // The small number allows for the rounding of a step that fits exactly.
    return (int) Math.ceil(time / frames / step - 1e-9);
  }

  /**
   * Returns the problem of divergence-free velocities at the frames. The forcing depends on x + y,
   * so the distribution of the fields does not change under a shift along x with the opposite shift
   * along y.
   */
  @Override
  public Problem problem() {
    return Problem.named("ns")
        .axis(Axis.periodic("x", 0, 1, size))
        .axis(Axis.periodic("y", 0, 1, size))
        .frames(Axis.time("frame", 0, Math.max(1, frames - 1), frames))
        .channel("u")
        .channel("v")
        .vector("u", "v")
        .constrain(DivergenceFree.spectral())
        .sensors(
            Sensors.points(Math.clamp(size * size / 20, 1, sensors))
                .sharing(Sensors.Sharing.PER_FRAME))
        .symmetries("shift:x-y")
        .simulator(this)
        .build();
  }

  /**
   * Returns the map from the vorticity of the first frame, at the size x size stored points, to all
   * frames, by the same steps on the same grid. The generator's flows begin earlier and on a finer
   * grid: frequencies of the first frame that are not stored are not part of the causes.
   *
   * <p>A derivative takes the time of one run for each direction.
   */
  public Equation equation() {
    return new NavierStokesEquation(this);
  }

  @Override
  public double[] sample(Rng rng) {
    return solve(initialVorticity().sample(rng));
  }

  /**
   * Returns the velocities (2 frames, size, size) from an initial vorticity (grid, grid). Its mean
   * and the frequencies above two thirds of the highest are left out.
   *
   * @throws IllegalArgumentException when the vorticity has another number of values or one that is
   *     not finite
   * @throws ArithmeticException when the step is too large and the flow overflows
   */
  public double[] solve(double[] vorticity) {
    Parameters.length("navier-stokes", "initial vorticity", vorticity.length, grid * grid);
    Parameters.finite("navier-stokes", "initial vorticity", vorticity);
    VorticitySteps flow = VorticitySteps.of(this, vorticity);
    int area = size * size;
    double[] sample = new double[2 * frames * area];
    for (int frame = 0; frame < frames; frame++) {
      for (int step = 0; step < stepsPerFrame(); step++) {
        flow.advance();
      }
      double[] velocity = flow.velocity();
      Parameters.stable(
          "navier-stokes", time * (frame + 1) / frames, velocity, "take a smaller step");
      System.arraycopy(velocity, 0, sample, frame * area, area);
      System.arraycopy(velocity, area, sample, (frames + frame) * area, area);
    }
    return sample;
  }

  @Override
  public Map<String, Object> parameters() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("equation", "navier-stokes");
    map.put("grid", grid);
    map.put("size", size);
    map.put("frames", frames);
    map.put("time", time);
    map.put("step", time / frames / stepsPerFrame());
    map.put("viscosity", viscosity);
    map.put("forcing", forcing);
    map.put("initialVorticity", initialVorticity().parameters());
    map.put("storage", storage.name().toLowerCase(Locale.ROOT));
    return map;
  }
}
