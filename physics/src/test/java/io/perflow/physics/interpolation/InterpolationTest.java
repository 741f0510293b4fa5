package io.perflow.physics.interpolation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.Rng;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InterpolationTest {
  private static final Lattice SQUARE = new Lattice(8, 8, 1, 1, false, false);

  @ParameterizedTest
  @EnumSource
  void refusesWhatIsNoReading(Interpolation method) {
    assertEquals(
        "[interpolation] no reading at all: at least one is needed",
        refusal(method, new double[0], new double[0], new double[0]));
    assertEquals(
        "[interpolation] 2 rows, 1 columns and 2 values: each reading needs one of each",
        refusal(method, new double[] {1, 2}, new double[] {1}, new double[] {1, 2}));
    assertEquals(
        "[interpolation] reading 1 is NaN: leave out places without a reading",
        refusal(method, new double[] {1, 2}, new double[] {1, 2}, new double[] {1, Double.NaN}));
    assertEquals(
        "[interpolation] column 7.6 of reading 0 is outside the grid, whose cells are from -0.5 to"
            + " 7.5",
        refusal(method, new double[] {1}, new double[] {7.6}, new double[] {1}));
    assertTrue(
        refusal(method, new double[] {Double.NaN}, new double[] {1}, new double[] {1})
            .startsWith("[interpolation] row NaN of reading 0 is outside"));
  }

  private static String refusal(Interpolation method, double[] r, double[] c, double[] v) {
    return assertThrows(IllegalArgumentException.class, () -> method.fill(r, c, v, SQUARE))
        .getMessage();
  }

  @Test
  void refusesGridsWithoutPointsOrDistances() {
    assertEquals(
        "[lattice] a grid of 0 x 4 has no point: both must be at least 1",
        assertThrows(IllegalArgumentException.class, () -> new Lattice(0, 4, 1, 1, false, false))
            .getMessage());
    assertEquals(
        "[lattice] a grid of 4 x 32769 is too large: both may be at most 32768",
        assertThrows(
                IllegalArgumentException.class, () -> new Lattice(4, 32_769, 1, 1, false, false))
            .getMessage());
    for (double spacing : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThrows(
          IllegalArgumentException.class, () -> new Lattice(4, 4, 1, spacing, false, false));
    }
  }

  @Test
  void refusesSplinesThroughReadingsThatAreTooClose() {
    Lattice rod = new Lattice(20_000, 1, 1, 1, false, false);
    double[] rows =
        IntStream.range(0, 40)
            .mapToDouble(i -> i < 20 ? 0.0011 * i : 19_999 - 0.0011 * i)
            .toArray();
    Scatter close = new Scatter(rows, new double[40], rows);
    var refusal =
        assertThrows(
            IllegalArgumentException.class, () -> close.fill(Interpolation.THIN_PLATE, rod));
    assertTrue(
        refusal.getMessage().startsWith("[interpolation] some of 40 readings are too close"));
    assertArrayEquals(
        Scatter.field(rod, (r, c) -> Math.min(r, 19_998.978)),
        close.fill(Interpolation.LINEAR, rod),
        1e-6);
  }

  @Test
  void twoReadingsGiveALineThatIsLevelAcross() {
    Scatter two = new Scatter(new double[] {2, 4}, new double[] {3, 5}, new double[] {0, 4});
    double[] ramp = Scatter.field(SQUARE, (r, c) -> r + c - 5);
    assertArrayEquals(ramp, two.fill(Interpolation.THIN_PLATE, SQUARE), 1e-12);
    double[] clipped = Arrays.stream(ramp).map(v -> Math.clamp(v, 0, 4)).toArray();
    assertArrayEquals(clipped, two.fill(Interpolation.LINEAR, SQUARE), 1e-12);
  }

  @Test
  void readingsOnALineAreInterpolatedAlongIt() {
    double[] columns = {0, 2.5, 4, 5.75, 7};
    double[] row = {3, 3, 3, 3, 3};
    Scatter line = new Scatter(row, columns, row).of((r, c) -> c < 4 ? 2 * c : 12 - c);
    double[] kink = Scatter.field(SQUARE, (r, c) -> c < 4 ? 2 * c : 12 - c);
    // 2.5 and 4 enclose 3, so the chord cuts no corner
    assertArrayEquals(kink, line.fill(Interpolation.LINEAR, SQUARE), 1e-12);
    double[] spline = line.fill(Interpolation.THIN_PLATE, SQUARE);
    for (int j : new int[] {0, 4, 7}) {
      assertEquals(kink[j], spline[3 * 8 + j], 1e-10);
    }
    double size = Arrays.stream(spline).map(Math::abs).max().orElseThrow();
    assertTrue(size < 12, () -> "readings up to 8 became " + size);
  }

  // a line that a small error bends is treated as the line, not as triangles of no width
  @Test
  void roundingErrorsDoNotWidenALine() {
    double[] rows = IntStream.range(0, 9).mapToDouble(i -> 0.7 * i + 1e-5 * (i % 2)).toArray();
    double[] columns = IntStream.range(0, 9).mapToDouble(i -> 0.8 * i).toArray();
    Scatter bent = new Scatter(rows, columns, rows).of((r, c) -> Math.sin(c));
    double[] straight = IntStream.range(0, 9).mapToDouble(i -> 0.7 * i).toArray();
    Scatter line = new Scatter(straight, columns, rows).of((r, c) -> Math.sin(c));
    for (Interpolation method :
        new Interpolation[] {Interpolation.LINEAR, Interpolation.THIN_PLATE}) {
      assertArrayEquals(line.fill(method, SQUARE), bent.fill(method, SQUARE), 1e-3, method.name());
    }
  }

  // sines of the place, so that a seam with a step would show
  private static DoubleBinaryOperator wave(Lattice lattice) {
    return (r, c) ->
        Math.sin(2 * Math.PI * r / lattice.height()) + Math.cos(2 * Math.PI * c / lattice.width());
  }

  @Test
  void splinesAreSmoothAcrossTheSeam() {
    Lattice torus = new Lattice(32, 32, 1, 1, true, true);
    Scatter scatter = Scatter.random(Rng.of(1), 60, torus, 0.25).of(wave(torus));
    assertTrue(error(scatter, torus) < 0.2, () -> "error " + error(scatter, torus));
    // the same readings seen without periods are far off at the rim
    Lattice square = new Lattice(32, 32, 1, 1, false, false);
    assertTrue(error(scatter, square) > 0.3, () -> "error " + error(scatter, square));
  }

  // six columns of readings and their copies are 2304: too many to be solved at once, unless only
  // the nearest copies are; the 64 nearest readings would all be in one column
  @Test
  void onlyTheNearestCopiesAreTakenWhenAllAreTooMany() {
    Lattice cylinder = new Lattice(128, 32, 1, 4, false, true);
    double[] rows = IntStream.range(0, 768).mapToDouble(i -> i % 128).toArray();
    double[] columns = IntStream.range(0, 768).mapToDouble(i -> 3 + 5 * (i / 128)).toArray();
    Scatter scatter = new Scatter(rows, columns, rows).of(wave(cylinder));
    assertTrue(error(scatter, cylinder) < 0.1, () -> "error " + error(scatter, cylinder));
  }

  private static double error(Scatter scatter, Lattice lattice) {
    double[] field = scatter.fill(Interpolation.THIN_PLATE, lattice);
    double[] truth = Scatter.field(lattice, wave(lattice));
    return IntStream.range(0, field.length)
        .mapToDouble(i -> Math.abs(field[i] - truth[i]))
        .max()
        .orElseThrow();
  }

  @Test
  void manyReadingsRoundATorusAreSolvedNearEachPoint() {
    Lattice torus = new Lattice(16, 16, 1, 1, true, true);
    Scatter scatter = Scatter.random(Rng.of(2), 1500, torus, 0.0625).of(wave(torus));
    assertTrue(error(scatter, torus) < 1e-2, () -> "error " + error(scatter, torus));
  }

  @ParameterizedTest
  @EnumSource
  void threadsDoNotDisturbEachOther(Interpolation method) {
    Lattice cylinder = new Lattice(16, 16, 0.1, 0.2, false, true);
    Scatter scatter = Scatter.random(Rng.of(3), 30, cylinder, 0.25);
    double[] alone = scatter.fill(method, cylinder);
    IntStream.range(0, 16)
        .parallel()
        .forEach(i -> assertArrayEquals(alone, scatter.fill(method, cylinder)));
  }

  // Every test of a circle is a tie here. The times are some 0.4 s; ten seconds would mean that
  // the effort grows with the square of the number of readings.
  @Test
  void aRegularGridOfReadingsIsFilledQuickly() {
    Lattice torus = new Lattice(128, 128, 1.0 / 128, 1.5 / 128, true, true);
    double[] rows = IntStream.range(0, 4096).mapToDouble(i -> i / 64 * 2).toArray();
    double[] columns = IntStream.range(0, 4096).mapToDouble(i -> i % 64 * 2).toArray();
    Scatter scatter = new Scatter(rows, columns, rows).of(wave(torus));
    double[] field =
        assertTimeout(Duration.ofSeconds(10), () -> scatter.fill(Interpolation.LINEAR, torus));
    assertArrayEquals(Scatter.field(torus, wave(torus)), field, 3e-3);
  }
}
