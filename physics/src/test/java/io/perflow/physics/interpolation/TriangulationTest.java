package io.perflow.physics.interpolation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.Rng;
import java.util.Arrays;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** The triangulation of places on small grids, where most circles hold more than three of them. */
class TriangulationTest {
  private record Corner(long row, long column) {}

  @Property(tries = 200)
  void coversTheHullWithEmptyCircles(
      @ForAll @IntRange(min = 2, max = 9) int height,
      @ForAll @IntRange(min = 2, max = 9) int width,
      @ForAll @IntRange(min = 3, max = 50) int size,
      @ForAll @IntRange(min = 1, max = 3) int rowSpacing,
      @ForAll long seed) {
    Lattice lattice = new Lattice(height, width, rowSpacing, 2, false, false);
    assertDelaunay(Scatter.onGrid(Rng.of(seed), size, lattice), lattice);
  }

  // the first readings are on a line, which the others see from both sides
  @Property(tries = 200)
  void mayStartWithALine(
      @ForAll @IntRange(min = 2, max = 5) int line,
      @ForAll @IntRange(min = 0, max = 2) int slope,
      @ForAll @IntRange(min = 1, max = 20) int size,
      @ForAll long seed) {
    Lattice lattice = new Lattice(9, 15, 1, 1, false, false);
    Lattice rest = new Lattice(9 - line, 15, 1, 1, false, false);
    Scatter below = Scatter.onGrid(Rng.of(seed), size, rest).shifted(line, 0);
    double[] rows = Arrays.copyOf(below.rows(), size + line);
    double[] columns = Arrays.copyOf(below.columns(), size + line);
    for (int i = 0; i < line; i++) {
      rows[size + i] = i;
      columns[size + i] = 6 + slope * (i - 1);
    }
    assertDelaunay(new Scatter(rows, columns, rows), lattice);
  }

  private static void assertDelaunay(Scatter scatter, Lattice lattice) {
    Readings readings = Readings.of(scatter.rows(), scatter.columns(), scatter.values(), lattice);
    Assume.that(Line.through(readings.x(), readings.y(), 1e-9).isEmpty());
    Triangulation triangles = new Triangulation(new Plane(readings), readings.size());
    long area = 0;
    for (int t = 0; t < triangles.size(); t++) {
      Corner a = corner(readings, triangles.corner(t, 0));
      Corner b = corner(readings, triangles.corner(t, 1));
      Corner c = corner(readings, triangles.corner(t, 2));
      assertTrue(twiceArea(a, b, c) > 0, "a triangle that turns right");
      area += twiceArea(a, b, c);
      for (int i = 0; i < readings.size(); i++) {
        assertTrue(inCircle(a, b, c, corner(readings, i)) <= 0, "a reading inside a circle");
      }
    }
    assertEquals(twiceAreaOfHull(readings), area);
  }

  // in whole multiples of the spacing: exact
  private static Corner corner(Readings readings, int i) {
    return new Corner(Math.round(readings.x()[i]), Math.round(readings.y()[i]));
  }

  private static long twiceArea(Corner a, Corner b, Corner c) {
    return (b.row - a.row) * (c.column - a.column) - (b.column - a.column) * (c.row - a.row);
  }

  private static long inCircle(Corner a, Corner b, Corner c, Corner d) {
    return lift(a, d) * twiceArea(d, b, c)
        + lift(b, d) * twiceArea(d, c, a)
        + lift(c, d) * twiceArea(d, a, b);
  }

  private static long lift(Corner a, Corner d) {
    return (a.row - d.row) * (a.row - d.row) + (a.column - d.column) * (a.column - d.column);
  }

  // by the edges that have no reading on their right; of those on one line, the pieces count once
  private static long twiceAreaOfHull(Readings readings) {
    Corner first = corner(readings, 0);
    long area = 0;
    for (int i = 0; i < readings.size(); i++) {
      for (int j = 0; j < readings.size(); j++) {
        Corner a = corner(readings, i);
        Corner b = corner(readings, j);
        boolean edge = i != j;
        for (int k = 0; k < readings.size() && edge; k++) {
          Corner c = corner(readings, k);
          long side = twiceArea(a, b, c);
          boolean between = side == 0 && k != i && k != j && within(a, b, c);
          edge = side >= 0 && !between;
        }
        area += edge ? twiceArea(first, a, b) : 0;
      }
    }
    return area;
  }

  private static boolean within(Corner a, Corner b, Corner c) {
    return (c.row - a.row) * (b.row - c.row) + (c.column - a.column) * (b.column - c.column) > 0;
  }
}
