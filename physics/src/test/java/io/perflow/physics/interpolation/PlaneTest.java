package io.perflow.physics.interpolation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.perflow.tensor.Rng;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Places that are a hair off a line or a circle, less than the rounding errors of doubles. */
class PlaneTest {
  private static final double[] WIDE = {1, 0.3};

  private static double position(Rng rng, int low) {
    return low + Math.rint(rng.nextDouble() * 1000 / Readings.QUANTUM) * Readings.QUANTUM;
  }

  private static Plane plane(double[] rows, double[] columns, double rowSpacing) {
    Lattice lattice = new Lattice(32_000, 32_000, rowSpacing, 1, false, false);
    return new Plane(Readings.of(rows, columns, new double[rows.length], lattice));
  }

  // the corners of a rectangle are on a circle whatever the spacings; the fourth is moved
  @Property(tries = 100)
  void circlesAreExact(
      @ForAll @IntRange(min = -1, max = 1) int off,
      @ForAll @IntRange(min = 0, max = 1) int spacing,
      @ForAll long seed) {
    Rng rng = Rng.of(seed);
    double top = position(rng, 0);
    double bottom = position(rng, 30_000);
    double left = position(rng, 0);
    double right = position(rng, 30_000);
    double moved = right + off * Readings.QUANTUM;
    double[] rows = {top, top, bottom, bottom};
    double[] columns = {left, right, left, moved};
    Plane plane = plane(rows, columns, WIDE[spacing]);
    assertEquals(-off, plane.inCircle(0, 2, 1, 3));
    assertEquals(-off, plane.inCircle(2, 1, 0, 3));
    assertEquals(-off, plane.inCircle(1, 0, 2, 3));
    assertEquals(off, plane.inCircle(0, 1, 2, 3));
  }

  @Property(tries = 100)
  void linesAreExact(
      @ForAll @IntRange(min = -1, max = 1) int off,
      @ForAll @IntRange(min = 1, max = 14) int times,
      @ForAll long seed) {
    Rng rng = Rng.of(seed);
    double u = position(rng, 1000);
    double v = position(rng, 1000);
    double row = position(rng, 0);
    double column = position(rng, 0);
    Plane plane = plane(new double[] {row, row + u}, new double[] {column, column + v}, 1);
    double r = row + (1 + times) * u;
    double c = column + (1 + times) * v + off * Readings.QUANTUM;
    assertEquals(off, plane.turn(0, 1, r, c));
    assertEquals(-off, plane.turn(1, 0, r, c));
  }
}
