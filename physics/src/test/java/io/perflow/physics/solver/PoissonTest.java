package io.perflow.physics.solver;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.Rng;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PoissonTest {
  /** Laplace u - f at the inner nodes relative to f there, by the five-point stencil. */
  private static double residual(double[] f, double[] u, int n) {
    double scale = (double) (n - 1) * (n - 1);
    double error = 0;
    double norm = 0;
    for (int i = 1; i < n - 1; i++) {
      for (int j = 1; j < n - 1; j++) {
        int at = i * n + j;
        double laplace = (u[at - n] + u[at + n] + u[at - 1] + u[at + 1] - 4 * u[at]) * scale;
        error += (laplace - f[at]) * (laplace - f[at]);
        norm += f[at] * f[at];
      }
    }
    return Math.sqrt(error / norm);
  }

  private static void assertRingIsZero(double[] u, int n) {
    for (int i = 0; i < n; i++) {
      for (int at : new int[] {i, (n - 1) * n + i, i * n, i * n + n - 1}) {
        assertEquals(0, u[at]);
      }
    }
  }

  @Test
  void samplesSolveTheFivePointEquationsAndVanishOnTheRing() {
    for (int n : new int[] {3, 4, 9, 33, 64, 128}) {
      double[] sample = Poisson.standard().size(n).sample(Rng.of(n));
      double[] f = Arrays.copyOf(sample, n * n);
      double[] u = Arrays.copyOfRange(sample, n * n, 2 * n * n);
      double residual = residual(f, u, n);
      assertTrue(residual < 1e-11, n + ": residual " + residual);
      assertRingIsZero(u, n);
    }
  }

  /** u = x (1 - x) sin(pi y) e^y, which no sine transform represents by a few terms. */
  private static double error(int n) {
    double[] f = new double[n * n];
    double[] exact = new double[n * n];
    for (int i = 0; i < n * n; i++) {
      double x = (double) (i / n) / (n - 1);
      double y = (double) (i % n) / (n - 1);
      double w = Math.PI;
      double bump = Math.sin(w * y) * Math.exp(y);
      double bumpSecond = ((1 - w * w) * Math.sin(w * y) + 2 * w * Math.cos(w * y)) * Math.exp(y);
      exact[i] = x * (1 - x) * bump;
      f[i] = -2 * bump + x * (1 - x) * bumpSecond;
    }
    return Samples.relativeError(Poisson.standard().size(n).solve(f), exact);
  }

  @Test
  void isOfOrderTwoAgainstAnExactSolution() {
    double coarse = error(17);
    double middle = error(33);
    double fine = error(65);
    assertEquals(2, Math.log(coarse / middle) / Math.log(2), 0.05);
    assertEquals(2, Math.log(middle / fine) / Math.log(2), 0.02);
    assertTrue(fine < 1e-3, "error " + fine);
  }

  /** Published data: f 0.2919, u 4.175e-3; multiplied, u would have 2.4e-3. */
  @Test
  void samplesHaveTheKnownStandardDeviations() {
    int samples = 400;
    double squaresF = 0;
    double squaresU = 0;
    double squaresMultiplied = 0;
    Poisson poisson = Poisson.standard();
    for (int i = 0; i < samples; i++) {
      double[] sample = poisson.sample(Rng.of(7).split(i));
      double[] f = Arrays.copyOf(sample, 128 * 128);
      assertEquals(0, Samples.mean(f), 1e-14);
      squaresF += Samples.meanSquare(f) / samples;
      squaresU += Samples.meanSquare(Arrays.copyOfRange(sample, 16384, 32768)) / samples;
      double[] multiplied = poisson.sineMultiplier(true).sample(Rng.of(7).split(i));
      squaresMultiplied +=
          Samples.meanSquare(Arrays.copyOfRange(multiplied, 16384, 32768)) / samples;
    }
    assertEquals(0.292, Math.sqrt(squaresF), 0.01);
    assertEquals(4.1e-3, Math.sqrt(squaresU), 0.2e-3);
    assertEquals(2.4e-3, Math.sqrt(squaresMultiplied), 0.15e-3);
  }

  /** The reason why the multiplier is off: with it, the result is not a solution. */
  @Test
  void aMultipliedSampleDoesNotSolveTheEquation() {
    double[] sample = Poisson.standard().sineMultiplier(true).sample(Rng.of(1));
    double[] u = Arrays.copyOfRange(sample, 16384, 32768);
    assertRingIsZero(u, 128);
    assertTrue(residual(Arrays.copyOf(sample, 16384), u, 128) > 0.5);
  }

  @Test
  void aSampleDependsOnItsStreamAlone() {
    Poisson poisson = Poisson.standard().size(20);
    assertArrayEquals(poisson.sample(Rng.of(9)), poisson.sample(Rng.of(9)));
    assertTrue(Samples.relativeError(poisson.sample(Rng.of(8)), poisson.sample(Rng.of(9))) > 0.1);
    assertEquals(2 * 20 * 20, poisson.sample(Rng.of(9)).length);
  }

  @Test
  void badParametersAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> Poisson.standard().size(2));
    var wrong =
        assertThrows(IllegalArgumentException.class, () -> Poisson.standard().solve(new double[9]));
    assertEquals("[poisson] right-hand side has 9 values, the grid has 16384", wrong.getMessage());
  }
}
