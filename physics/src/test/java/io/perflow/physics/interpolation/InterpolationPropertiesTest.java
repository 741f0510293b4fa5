package io.perflow.physics.interpolation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.Rng;
import java.util.Arrays;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** What holds for every interpolation, for random grids, periods and readings. */
class InterpolationPropertiesTest {
  @Provide
  Arbitrary<Lattice> lattices() {
    Arbitrary<Integer> extents = Arbitraries.integers().between(1, 20);
    Arbitrary<Double> spacings = Arbitraries.of(1.0, 0.5, 0.3);
    Arbitrary<Boolean> periodic = Arbitraries.of(true, false);
    return Combinators.combine(extents, extents, spacings, spacings, periodic, periodic)
        .as(Lattice::new);
  }

  @Property(tries = 200)
  void reproducesReadingsAtPointsOfTheGrid(
      @ForAll Interpolation method,
      @ForAll("lattices") Lattice lattice,
      @ForAll @IntRange(min = 1, max = 40) int size,
      @ForAll long seed) {
    Scatter scatter = Scatter.onGrid(Rng.of(seed), size, lattice);
    double[] field = scatter.fill(method, lattice);
    double tolerance = method == Interpolation.THIN_PLATE ? 1e-9 : 0;
    for (int i = 0; i < scatter.values().length; i++) {
      int at = (int) (scatter.rows()[i] * lattice.width() + scatter.columns()[i]);
      assertEquals(scatter.values()[i], field[at], tolerance);
    }
  }

  @Property(tries = 200)
  void givesConstantsForConstantReadings(
      @ForAll Interpolation method,
      @ForAll("lattices") Lattice lattice,
      @ForAll @IntRange(min = 1, max = 20) int size,
      @ForAll long seed) {
    Scatter scatter = Scatter.random(Rng.of(seed), size, lattice, 0.25).of((r, c) -> 3);
    double[] expected = Scatter.field(lattice, (r, c) -> 3);
    assertArrayEquals(expected, scatter.fill(method, lattice), 1e-9);
  }

  @Property(tries = 200)
  void orderAndPeriodsOfReadingsDoNotMatter(
      @ForAll Interpolation method,
      @ForAll("lattices") Lattice lattice,
      @ForAll @IntRange(min = 1, max = 20) int size,
      @ForAll @IntRange(min = -3, max = 3) int periods,
      @ForAll long seed) {
    Rng rng = Rng.of(seed);
    Scatter scatter = Scatter.random(rng, size, lattice, 0.25);
    double[] field = scatter.fill(method, lattice);
    int down = lattice.periodicRows() ? periods * lattice.height() : 0;
    int right = lattice.periodicColumns() ? periods * lattice.width() : 0;
    Scatter other = scatter.picked(rng.permutation(size)).shifted(down, right);
    assertArrayEquals(field, other.fill(method, lattice));
  }

  @Property(tries = 200)
  void rollingTheReadingsRollsTheField(
      @ForAll("lattices") Lattice lattice,
      @ForAll @IntRange(min = 1, max = 20) int size,
      @ForAll @IntRange(min = -20, max = 20) int rows,
      @ForAll @IntRange(min = -20, max = 20) int columns,
      @ForAll long seed) {
    assertRolls(Scatter.random(Rng.of(seed), size, lattice, 0.25), lattice, rows, columns);
  }

  // many readings on one circle everywhere: the same diagonals have to win in every period
  @Property(tries = 200)
  void rollingReadingsAtPointsOfTheGridRollsTheField(
      @ForAll @IntRange(min = 2, max = 12) int extent,
      @ForAll @IntRange(min = 1, max = 60) int size,
      @ForAll @IntRange(min = -12, max = 12) int rows,
      @ForAll @IntRange(min = -12, max = 12) int columns,
      @ForAll long seed) {
    Lattice torus = new Lattice(extent, extent + 1, 0.3, 0.3, true, true);
    assertRolls(Scatter.onGrid(Rng.of(seed), size, torus), torus, rows, columns);
  }

  private static void assertRolls(Scatter scatter, Lattice lattice, int rows, int columns) {
    int down = lattice.periodicRows() ? rows : 0;
    int right = lattice.periodicColumns() ? columns : 0;
    for (Interpolation method : new Interpolation[] {Interpolation.NEAREST, Interpolation.LINEAR}) {
      double[] field = scatter.fill(method, lattice);
      double[] rolled =
          Scatter.field(
              lattice,
              (r, c) ->
                  field[
                      Math.floorMod((int) r - down, lattice.height()) * lattice.width()
                          + Math.floorMod((int) c - right, lattice.width())]);
      double[] actual = scatter.shifted(down, right).fill(method, lattice);
      assertArrayEquals(rolled, actual, 1e-12, method.name());
    }
  }

  @Property(tries = 100)
  void linearFieldsAreReproduced(
      @ForAll @IntRange(min = 2, max = 20) int height,
      @ForAll @IntRange(min = 2, max = 20) int width,
      @ForAll @IntRange(min = 0, max = 40) int size,
      @ForAll long seed) {
    Lattice lattice = new Lattice(height, width, 0.5, 0.3, false, false);
    Scatter inside = Scatter.random(Rng.of(seed), size, lattice, 0.125);
    double[] rows = Arrays.copyOf(inside.rows(), size + 4);
    double[] columns = Arrays.copyOf(inside.columns(), size + 4);
    for (int i = 0; i < 4; i++) {
      rows[size + i] = i / 2 * (height - 1); // the corners, so that the hull is the grid
      columns[size + i] = i % 2 * (width - 1);
    }
    DoubleBinaryOperator linear = (r, c) -> 0.7 * r - 0.4 * c + 2;
    Scatter scatter = new Scatter(rows, columns, new double[0]).of(linear);
    double[] expected = Scatter.field(lattice, linear);
    assertArrayEquals(expected, scatter.fill(Interpolation.LINEAR, lattice), 1e-12);
    assertArrayEquals(expected, scatter.fill(Interpolation.THIN_PLATE, lattice), 1e-10);
  }

  @Property(tries = 100)
  void nearestAndLinearStayBetweenTheReadings(
      @ForAll("lattices") Lattice lattice,
      @ForAll @IntRange(min = 1, max = 20) int size,
      @ForAll long seed) {
    Scatter scatter = Scatter.random(Rng.of(seed), size, lattice, 0.25);
    double least = Arrays.stream(scatter.values()).min().orElseThrow() - 1e-12;
    double most = Arrays.stream(scatter.values()).max().orElseThrow() + 1e-12;
    for (Interpolation method : new Interpolation[] {Interpolation.NEAREST, Interpolation.LINEAR}) {
      for (double value : scatter.fill(method, lattice)) {
        assertTrue(value >= least && value <= most, () -> method + " gives " + value);
      }
    }
  }

  @Property(tries = 100)
  void readingsAtOnePlaceAreAveraged(
      @ForAll Interpolation method,
      @ForAll("lattices") Lattice lattice,
      @ForAll @IntRange(min = 1, max = 20) int size,
      @ForAll long seed) {
    Scatter scatter = Scatter.onGrid(Rng.of(seed), size, lattice);
    int n = scatter.values().length;
    Scatter twice = scatter.picked(IntStream.range(0, 2 * n).map(i -> i % n).toArray());
    for (int i = 0; i < n; i++) {
      twice.values()[i] += 0.5;
      twice.values()[n + i] -= 0.5;
    }
    assertArrayEquals(scatter.fill(method, lattice), twice.fill(method, lattice), 1e-9);
  }

  @Property(tries = 100)
  void nearestIsTheNearestOnTheTorus(
      @ForAll("lattices") Lattice lattice,
      @ForAll @IntRange(min = 1, max = 60) int size,
      @ForAll long seed) {
    Scatter scatter = Scatter.random(Rng.of(seed), size, lattice, 0.125);
    // readings at one place would be averaged: those get one value
    Scatter distinct = scatter.of((r, c) -> Math.sin(100 * r + c));
    double[] field = distinct.fill(Interpolation.NEAREST, lattice);
    for (int i = 0; i < field.length; i++) {
      double best = Double.POSITIVE_INFINITY;
      double chosen = Double.POSITIVE_INFINITY;
      for (int k = 0; k < size; k++) {
        double x =
            gap(i / lattice.width(), distinct.rows()[k], lattice.height(), lattice.periodicRows());
        double y =
            gap(
                i % lattice.width(),
                distinct.columns()[k],
                lattice.width(),
                lattice.periodicColumns());
        double distance = Math.hypot(x * lattice.rowSpacing(), y * lattice.columnSpacing());
        best = Math.min(best, distance);
        // the mean of three equal values may be off by a rounding
        boolean same = Math.abs(distinct.values()[k] - field[i]) < 1e-14;
        chosen = same ? Math.min(chosen, distance) : chosen;
      }
      assertEquals(best, chosen, 1e-12);
    }
  }

  private static double gap(double a, double b, int period, boolean periodic) {
    double d = Math.abs(a - b);
    return periodic ? Math.min(d, period - d) : d;
  }
}
