package io.perflow.physics.solver;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Resources;
import io.perflow.physics.Problem;
import io.perflow.physics.field.Variance;
import io.perflow.tensor.Rng;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class NavierStokesTest {
  private static final double WAVE = 2 * Math.PI;

  private interface Field {
    double at(double x, double y);
  }

  private static double[] on(int n, Field field) {
    double[] values = new double[n * n];
    Arrays.setAll(values, i -> field.at((double) (i / n) / n, (double) (i % n) / n));
    return values;
  }

  /** The vorticity of the fixtures. */
  private static double[] fixtureVorticity(int n) {
    return on(
        n,
        (x, y) ->
            Math.sin(WAVE * x) * Math.cos(2 * WAVE * y)
                + 0.5 * Math.cos(WAVE * (3 * x + y))
                + 0.3 * Math.sin(WAVE * (2 * x - 3 * y)));
  }

  /**
   * An independent solver in NumPy: the advective form, a Runge-Kutta scheme of order 4 with an
   * integrating factor. Its frames are (time, component), ours (component, time).
   */
  @Test
  void agreesWithAnIndependentSolverToSecondOrderInTime() throws IOException {
    double[] golden;
    try (Npz file = Npz.read(Resources.path("/physics/navier_stokes.npz"))) {
      golden = file.load("velocity").permute(1, 0, 2, 3).toDoubles();
    }
    NavierStokes equation =
        NavierStokes.standard().grid(64, 16).times(2, 1).storage(NavierStokes.Storage.STRIDE);
    double[] w = fixtureVorticity(64);
    double coarse = Samples.relativeError(equation.step(1e-2).solve(w), golden);
    double middle = Samples.relativeError(equation.step(5e-3).solve(w), golden);
    double fine = Samples.relativeError(equation.step(2.5e-3).solve(w), golden);
    String errors = "errors %.2e %.2e %.2e".formatted(coarse, middle, fine);
    assertEquals(2, Math.log(coarse / middle) / Math.log(2), 0.1, errors);
    assertEquals(2, Math.log(middle / fine) / Math.log(2), 0.1, errors);
    assertTrue(fine < 1e-5, errors);
  }

  /**
   * Relative errors of the vorticity at t = 1 that an independent implementation found: 1.4e-5 for
   * a step of 2e-2 and 9e-7 for 5e-3; samples scatter by a factor of two.
   */
  @Test
  void timeStepErrorsAreTheKnownOnes() {
    int n = 64;
    NavierStokes equation = NavierStokes.standard().grid(n, n).times(1, 1);
    for (int i = 0; i < 3; i++) {
      double[] w = equation.initialVorticity().sample(Rng.of(i));
      double[] reference = derivative(equation.step(1e-3).solve(w), n, false);
      double[] atLarge = derivative(equation.step(2e-2).solve(w), n, false);
      double[] atStandard = derivative(equation.solve(w), n, false);
      double large = Samples.relativeError(atLarge, reference);
      double standard = Samples.relativeError(atStandard, reference);
      assertTrue(large > 0.6e-5 && large < 2.8e-5, "step 2e-2: " + large);
      assertTrue(standard > 4e-7 && standard < 1.8e-6, "step 5e-3: " + standard);
      assertEquals(16, large / standard, 1.5, "order 2");
    }
  }

  /** w = sin(2 pi x) sin(2 pi y) advects itself nowhere and decays by its viscosity alone. */
  @Test
  void taylorAndGreensVortexDecaysExactly() {
    int n = 32;
    NavierStokes equation = NavierStokes.standard().grid(n, n).times(2, 1).fluid(1e-2, 0);
    double[] w = on(n, (x, y) -> Math.sin(WAVE * x) * Math.sin(WAVE * y));
    double[] velocity = equation.solve(w);
    for (int frame = 1; frame <= 2; frame++) {
      double decay = Math.exp(-1e-2 * 2 * WAVE * WAVE * 0.5 * frame);
      double[] u = on(n, (x, y) -> decay / (2 * WAVE) * Math.sin(WAVE * x) * Math.cos(WAVE * y));
      double[] v = on(n, (x, y) -> -decay / (2 * WAVE) * Math.cos(WAVE * x) * Math.sin(WAVE * y));
      // Crank-Nicolson: relative error (viscosity |k|^2)^3 step^2 t / 12 = 1e-6 t
      assertTrue(Samples.relativeError(frame(velocity, n, frame - 1), u) < 1.1e-6 * 0.5 * frame);
      assertTrue(Samples.relativeError(frame(velocity, n, frame + 1), v) < 1.1e-6 * 0.5 * frame);
    }
  }

  private static double[] frame(double[] sample, int n, int channel) {
    return Arrays.copyOfRange(sample, channel * n * n, (channel + 1) * n * n);
  }

  /** The forcing alone: a fluid at rest is set in motion at frequency (1, 1) only. */
  @Test
  void theForcingActsOnTheVorticity() {
    int n = 16;
    NavierStokes equation = NavierStokes.standard().grid(n, n).times(1, 1);
    double[] velocity = equation.solve(new double[n * n]);
    double rate = 1e-3 * 2 * WAVE * WAVE;
    double amplitude = 0.1 * -Math.expm1(-rate) / rate / (2 * WAVE * WAVE);
    double[] u =
        on(n, (x, y) -> amplitude * WAVE * (Math.cos(WAVE * (x + y)) - Math.sin(WAVE * (x + y))));
    assertTrue(Samples.relativeError(frame(velocity, n, 0), u) < 1e-7);
    assertEquals(0, Samples.relativeError(frame(velocity, n, 1), negated(u)), 1e-7);
  }

  private static double[] negated(double[] x) {
    return Arrays.stream(x).map(v -> -v).toArray();
  }

  /** Without viscosity and forcing, energy and enstrophy are invariants of the truncated system. */
  @Test
  void advectionConservesEnergyAndEnstrophy() {
    int n = 64;
    NavierStokes still = NavierStokes.standard().grid(n, n).fluid(1e-30, 0);
    double[] w = still.initialVorticity().sample(Rng.of(2));
    double[] before = still.times(1, 1e-9).solve(w);
    double[] after = still.times(1, 2).step(1e-2).solve(w);
    assertTrue(Samples.relativeError(after, before) > 0.1, "the flow moves");
    assertEquals(1, Samples.meanSquare(after) / Samples.meanSquare(before), 1e-6);
    double enstrophy = Samples.meanSquare(derivative(before, n, false));
    assertEquals(1, Samples.meanSquare(derivative(after, n, false)) / enstrophy, 1e-6);
  }

  /** By Fourier: u_x + v_y, or v_x - u_y; Nyquist frequencies left out. */
  private static double[] derivative(double[] velocity, int n, boolean divergence) {
    RealFourier fourier = new RealFourier(2, n, n);
    double[] z = fourier.forward(velocity);
    int bins = n / 2 + 1;
    int plane = n * bins;
    double[] w = new double[4 * plane]; // the second field stays zero
    for (int i = 0; i < plane; i++) {
      int row = i / bins;
      int kx = row < n / 2 ? row : row - n;
      int ky = i % bins;
      if (kx == -n / 2 || ky == n / 2) {
        continue;
      }
      double[] a = divergence ? new double[] {kx, ky} : new double[] {-ky, kx};
      w[i] = -WAVE * (a[0] * z[2 * plane + i] + a[1] * z[3 * plane + i]);
      w[2 * plane + i] = WAVE * (a[0] * z[i] + a[1] * z[plane + i]);
    }
    return Arrays.copyOf(fourier.inverse(w), n * n);
  }

  private static double[] pair(double[] sample, int n, int frame) {
    int frames = sample.length / (2 * n * n);
    double[] pair = Arrays.copyOf(frame(sample, n, frame), 2 * n * n);
    System.arraycopy(frame(sample, n, frames + frame), 0, pair, n * n, n * n);
    return pair;
  }

  /** Mean square of the divergence by central differences on the torus. */
  private static double centralDivergence(double[] velocity, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        double x = velocity[(i + 1) % n * n + j] - velocity[(i + n - 1) % n * n + j];
        double y =
            velocity[n * n + i * n + (j + 1) % n] - velocity[n * n + i * n + (j + n - 1) % n];
        double divergence = (x + y) * n / 2;
        sum += divergence * divergence;
      }
    }
    return sum / (n * n);
  }

  /**
   * Over all frames, an independent implementation has found 1.5e-4 of the velocity's variance for
   * central differences, and 115 of it for the vorticity.
   */
  @Test
  void storedVelocitiesAreDivergenceFreeSpectrallyButNotByDifferences() {
    NavierStokes equation = NavierStokes.standard().grid(128, 64).step(5e-2);
    double central = 0;
    double enstrophy = 0;
    double variance = 0;
    for (int i = 0; i < 12; i++) {
      double[] sample = equation.sample(Rng.of(i));
      for (int frame = 0; frame < 10; frame++) {
        double[] velocity = pair(sample, 64, frame);
        double here = Samples.meanSquare(derivative(velocity, 64, false));
        double divergence = Samples.meanSquare(derivative(velocity, 64, true));
        assertTrue(divergence < 1e-28 * here, "mean square divergence " + divergence);
        variance += Samples.meanSquare(velocity);
        enstrophy += here;
        central += centralDivergence(velocity, 64);
      }
    }
    assertEquals(1.5e-4, central / variance, 0.5e-4);
    assertEquals(115, enstrophy / variance, 25);
  }

  /** Public data: vorticity 0.2621 at t = 0 and 0.2561 at t = 1; velocity 0.024. */
  @Test
  void samplesHaveTheKnownStandardDeviations() {
    int n = 32;
    NavierStokes equation = NavierStokes.standard().grid(n, n).times(1, 1).step(5e-2);
    double squares = 0;
    double speed = 0;
    double start = 0;
    int samples = 400;
    for (int i = 0; i < samples; i++) {
      double[] w = equation.initialVorticity().sample(Rng.of(3).split(i));
      double[] velocity = equation.solve(w);
      start += Samples.meanSquare(w) / samples;
      squares += Samples.meanSquare(derivative(velocity, n, false)) / samples;
      speed += Samples.meanSquare(velocity) / samples;
    }
    assertEquals(0.262, Math.sqrt(start), 0.005);
    assertEquals(0.2565, Math.sqrt(squares), 0.006);
    assertEquals(0.024, Math.sqrt(speed), 0.0015);
  }

  @Test
  void framesChangeByAFewPercent() {
    double[] sample = NavierStokes.standard().grid(64, 64).step(2e-2).sample(Rng.of(5));
    for (int frame = 1; frame < 10; frame++) {
      double change = Samples.relativeError(pair(sample, 64, frame), pair(sample, 64, frame - 1));
      assertTrue(change > 0.01 && change < 0.08, "frame " + frame + ": " + change);
    }
  }

  /** The preset with moving frames is as accurate as its description says. */
  @Test
  void advectiveFramesMove() {
    NavierStokes equation = NavierStokes.advective().grid(64, 32).times(3, 3);
    double[] w = equation.initialVorticity().sample(Rng.of(1));
    double[] sample = equation.solve(w);
    double change = Samples.relativeError(pair(sample, 32, 2), pair(sample, 32, 1));
    assertTrue(change > 0.15 && change < 0.5, "change " + change);
    assertTrue(Samples.relativeError(sample, equation.step(5e-3).solve(w)) < 1e-5);
  }

  /** Fewer sensors are a part of the harder task, on small grids and with other frames as well. */
  @Test
  void advectiveFramesHaveFiveSensors() {
    for (int size : new int[] {16, 64}) {
      Problem hard = NavierStokes.advective().grid(2 * size, size).times(3, 3).problem();
      assertEquals(5, hard.sensors().fewest());
      assertEquals(5, hard.sensors().most());
      for (double sum : hard.masks().draw(Rng.of(1), 2).sum(2, 3).toDoubles()) {
        assertEquals(5, sum);
      }
    }
    assertEquals(200, NavierStokes.standard().problem().sensors().most());
  }

  /** The stored 64 x 64 field does not depend on the grid it was computed on. */
  @Test
  void coarserGridsGiveTheSameStoredFields() {
    int fine = 128;
    NavierStokes equation = NavierStokes.standard().grid(fine, 32).times(1, 1);
    double[] w = equation.initialVorticity().sample(Rng.of(8));
    double[] same = new double[64 * 64];
    double[] low = lowPass(w, fine, 21);
    Arrays.setAll(same, i -> low[i / 64 * 2 * fine + i % 64 * 2]);
    double error = Samples.relativeError(equation.grid(64, 32).solve(same), equation.solve(w));
    assertTrue(error < 3e-4, "error " + error);
    double[] truncated = equation.solve(w);
    double[] strided = equation.storage(NavierStokes.Storage.STRIDE).solve(w);
    double difference = Samples.relativeError(strided, truncated);
    assertTrue(difference > 1e-8 && difference < 2e-3, "stride against truncation " + difference);
  }

  private static double[] lowPass(double[] x, int n, int highest) {
    RealFourier fourier = new RealFourier(1, n, n);
    double[] z = fourier.forward(x);
    int bins = n / 2 + 1;
    for (int i = 0; i < z.length; i++) {
      int row = i / bins % n;
      int kx = Math.min(row, n - row);
      if (kx > highest || i % bins > highest) {
        z[i] = 0;
      }
    }
    return fourier.inverse(z);
  }

  @Test
  void channelsAreUAtAllFramesThenV() {
    NavierStokes equation = NavierStokes.standard().grid(16, 8).times(3, 0.1);
    assertEquals(List.of("u1", "u2", "u3", "v1", "v2", "v3"), equation.problem().channels());
    double[] sample = equation.sample(Rng.of(1));
    assertEquals(6 * 8 * 8, sample.length);
    assertArrayEquals(sample, equation.sample(Rng.of(1)));
    assertTrue(Samples.relativeError(equation.sample(Rng.of(2)), sample) > 0.1);
    assertEquals(7, equation.times(1, 1).step(0.15).stepsPerFrame());
  }

  @Test
  void theVarianceConventionScalesTheInitialVorticity() {
    double doubled = NavierStokes.standard().initialVorticity().std();
    double nominal = NavierStokes.standard().variance(Variance.NOMINAL).initialVorticity().std();
    assertEquals(0.2621, doubled, 2e-4);
    assertEquals(0.185, nominal, 5e-4);
  }

  @Test
  void badParametersAreRefused() {
    NavierStokes equation = NavierStokes.standard();
    var size = assertThrows(IllegalArgumentException.class, () -> equation.grid(256, 60));
    assertEquals("[navier-stokes] size 60 does not divide the grid of 256", size.getMessage());
    assertThrows(IllegalArgumentException.class, () -> equation.step(0));
    assertThrows(IllegalArgumentException.class, () -> equation.fluid(1e-3, Double.NaN));
    assertThrows(IllegalArgumentException.class, () -> equation.times(0, 1));
    assertThrows(IllegalArgumentException.class, () -> equation.solve(new double[4]));
    NavierStokes coarse = equation.grid(32, 32).times(10, 1000).step(100);
    double[] fast = on(32, (x, y) -> 1e3 * Math.sin(WAVE * x) * Math.cos(2 * WAVE * y) + x);
    var error = assertThrows(ArithmeticException.class, () -> coarse.solve(fast));
    assertTrue(error.getMessage().endsWith("take a smaller step"), error.getMessage());
  }
}
