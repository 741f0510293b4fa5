package io.perflow.physics.solver;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.Rng;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class BurgersTest {
  private static final double VISCOSITY = 0.01;

  /**
   * Cole and Hopf: u = -2 nu (log theta)_x solves Burgers' equation when theta solves the heat
   * equation; here theta = 1.1 + e^(-nu (2 pi)^2 t) cos 2 pi x, shifted by a quarter of a period.
   */
  private static double exact(double x, double t) {
    double w = 2 * Math.PI;
    double decay = Math.exp(-VISCOSITY * w * w * t);
    double theta = 1.1 + decay * Math.cos(w * (x - 0.25));
    return 2 * VISCOSITY * w * decay * Math.sin(w * (x - 0.25)) / theta;
  }

  private static double[] exactRow(int points, double t) {
    double[] row = new double[points];
    Arrays.setAll(row, j -> exact((double) j / points, t));
    return row;
  }

  private static double[] lastRow(double[] solution, int points) {
    return Arrays.copyOfRange(solution, solution.length - points, solution.length);
  }

  private static double finalError(int substeps, boolean dealias) {
    int points = 128;
    Burgers burgers = Burgers.paper().size(2, points).substeps(substeps).dealias(dealias);
    double[] solution = burgers.solve(exactRow(points, 0));
    return Samples.relativeError(lastRow(solution, points), exactRow(points, 1));
  }

  @Test
  void isOfOrderFourInTimeAgainstTheColeHopfSolution() {
    for (boolean dealias : new boolean[] {false, true}) {
      double coarse = finalError(10, dealias);
      double middle = finalError(20, dealias);
      double fine = finalError(40, dealias);
      double order = Math.log(coarse / middle) / Math.log(2);
      double next = Math.log(middle / fine) / Math.log(2);
      String errors = "errors %.2e %.2e %.2e".formatted(coarse, middle, fine);
      assertEquals(4, order, 0.35, errors);
      assertEquals(4, next, 0.35, errors);
      assertTrue(finalError(640, dealias) < 1e-11, "the exact solution is reached");
    }
  }

  @Test
  void everyRowIsTheExactSolutionAtItsTime() {
    int points = 96;
    Burgers burgers = Burgers.paper().size(11, points).substeps(20);
    double[] solution = burgers.solve(exactRow(points, 0));
    for (int row = 0; row < 11; row++) {
      double[] u = Arrays.copyOfRange(solution, row * points, (row + 1) * points);
      assertTrue(Samples.relativeError(u, exactRow(points, row / 10.0)) < 1e-8, "row " + row);
    }
  }

  /** The mean of u is an invariant; it must not drift whatever it is. */
  @Test
  void theMeanOfEveryRowStaysWhereItWas() {
    for (boolean dealias : new boolean[] {false, true}) {
      Burgers burgers = Burgers.paper().dealias(dealias);
      double[] initial = burgers.initialCondition().sample(Rng.of(3));
      for (int j = 0; j < initial.length; j++) {
        initial[j] += 0.25;
      }
      double[] solution = burgers.solve(initial);
      for (int row = 0; row < burgers.times(); row++) {
        double[] u = Arrays.copyOfRange(solution, row * 128, (row + 1) * 128);
        assertEquals(0.25, Samples.mean(u), 1e-15, "row " + row);
      }
    }
  }

  /**
   * Over all rows, against four times the points and steps from the same initial condition. The
   * medians are those of an independent implementation in NumPy.
   */
  @Test
  void theDefaultStepIsAccurateAgainstAMuchFinerGrid() {
    assertMedianError(Burgers.diffusionPde(), 8.9e-7);
    assertMedianError(Burgers.paper(), 2.0e-5);
  }

  private static void assertMedianError(Burgers burgers, double known) {
    double[] errors = new double[21];
    for (int i = 0; i < errors.length; i++) {
      double[] initial = burgers.initialCondition().sample(Rng.of(11).split(i));
      Burgers fine = burgers.size(burgers.times(), 512).substeps(4);
      double[] reference = fine.solve(interpolate(initial, 512));
      double[] same = new double[128 * 128];
      Arrays.setAll(same, j -> reference[4 * j]);
      errors[i] = Samples.relativeError(burgers.solve(initial), same);
    }
    Arrays.sort(errors);
    double median = errors[errors.length / 2];
    assertTrue(median > known / 2 && median < known * 2, "median error " + median);
    assertTrue(errors[errors.length - 1] < 1e-3, "largest error " + errors[errors.length - 1]);
  }

  /** The trigonometric polynomial through the values, at more points. */
  private static double[] interpolate(double[] x, int points) {
    int n = x.length;
    double[] z = new RealFourier(1, n).forward(x);
    int bins = n / 2 + 1;
    int wide = points / 2 + 1;
    double[] y = new double[2 * wide];
    double factor = (double) points / n;
    for (int k = 0; k < bins; k++) {
      double half = 2 * k == n ? 0.5 : 1; // the highest frequency is shared with its mirror image
      y[k] = half * factor * z[k];
      y[wide + k] = half * factor * z[bins + k];
    }
    return new RealFourier(1, points).inverse(y);
  }

  /**
   * 0.2009 is that of the published DiffusionPDE data; 0.368 comes from 4,000 samples of an
   * independent implementation in NumPy. 200 samples scatter by 3.5 %.
   */
  @Test
  void samplesHaveTheKnownStandardDeviationOverAllTimes() {
    assertEquals(0.2009, stdOverTime(Burgers.diffusionPde()), 0.015);
    assertEquals(0.368, stdOverTime(Burgers.paper()), 0.027);
  }

  private static double stdOverTime(Burgers burgers) {
    double sum = 0;
    int samples = 200;
    for (int i = 0; i < samples; i++) {
      double[] u = burgers.size(33, 64).substeps(2).sample(Rng.of(5).split(i));
      // trapezoidal in time, as the rows' mean square falls
      for (int row = 0; row < 33; row++) {
        double weight = row == 0 || row == 32 ? 0.5 : 1;
        sum += weight * Samples.meanSquare(Arrays.copyOfRange(u, row * 64, (row + 1) * 64));
      }
    }
    return Math.sqrt(sum / (32.0 * samples));
  }

  @Test
  void aSampleDependsOnItsStreamAlone() {
    Burgers burgers = Burgers.paper().size(16, 64).substeps(4);
    double[] first = burgers.sample(Rng.of(9));
    assertArrayEquals(first, burgers.sample(Rng.of(9)));
    assertTrue(Samples.relativeError(burgers.sample(Rng.of(10)), first) > 0.1);
    assertEquals(16 * 64, first.length);
    assertEquals(burgers.problem().batch(1).size(), first.length);
  }

  @Test
  void badParametersAreRefusedWithTheirNames() {
    Burgers burgers = Burgers.paper();
    var few = assertThrows(IllegalArgumentException.class, () -> burgers.size(1, 128));
    assertEquals("[burgers] times is 1, must be at least 2", few.getMessage());
    var length = assertThrows(IllegalArgumentException.class, () -> burgers.solve(new double[7]));
    assertEquals("[burgers] initial condition has 7 values, the grid has 128", length.getMessage());
    assertThrows(IllegalArgumentException.class, () -> burgers.substeps(0));
    double[] broken = new double[128];
    broken[5] = Double.NaN;
    var value = assertThrows(IllegalArgumentException.class, () -> burgers.solve(broken));
    assertEquals(
        "[burgers] value 5 of the initial condition is NaN, must be finite", value.getMessage());
  }

  /** A step or grid too coarse ends in an error that names the time, not in a file of NaN. */
  @Test
  void overflowIsReported() {
    Burgers coarse = Burgers.paper().size(4, 32);
    double[] steep = new double[32];
    Arrays.setAll(steep, j -> 50 * Math.sin(2 * Math.PI * j / 32));
    var error = assertThrows(ArithmeticException.class, () -> coarse.solve(steep));
    assertTrue(error.getMessage().contains("substeps"), error.getMessage());
  }
}
