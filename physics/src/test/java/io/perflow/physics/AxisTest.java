package io.perflow.physics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Axis.Placement;
import io.perflow.tensor.ShapeException;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Scale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AxisTest {
  private static void fails(String message, Executable call) {
    assertEquals(message, assertThrows(ShapeException.class, call).getMessage());
  }

  @Test
  void pointsAreWhereTheJavadocSays() {
    Axis walls = Axis.of("x", 0, 1, 64);
    assertEquals(0, walls.coordinate(0));
    assertEquals(1.0 / 63, walls.coordinate(1));
    assertEquals(1, walls.coordinate(63));
    Axis circle = Axis.periodic("x", 0, 1, 64);
    assertEquals(1.0 / 64, circle.coordinate(1));
    assertEquals(63.0 / 64, circle.coordinate(63));
    Axis depth = Axis.of("depth", 0, 200, 50).unit("m").cells();
    assertEquals(2, depth.coordinate(0));
    assertEquals(6, depth.coordinate(1));
    assertEquals(198, depth.coordinate(49));
    assertEquals(4, depth.spacing());
  }

  @Test
  void positionsLieBetweenPoints() {
    Axis x = Axis.of("x", 10, 20, 11);
    assertEquals(2.5, x.position(12.5));
    assertEquals(10, x.position(20));
    Axis cells = Axis.of("x", 10, 20, 10).cells();
    assertEquals(0, cells.position(10.5));
    assertEquals(0, cells.position(10), "between the wall and the first centre");
    assertEquals(9, cells.position(20));
    assertEquals(3.25, cells.position(13.75));
  }

  // of any length and place on the line, from a metre of millimetres to the age of the earth
  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void positionsAreTheInverseOfCoordinates(
      @ForAll @DoubleRange(min = -1e6, max = 1e6) double from,
      @ForAll @Scale(6) @DoubleRange(min = 1e-3, max = 1e9) double length,
      @ForAll @IntRange(min = 2, max = 500) int points,
      @ForAll Placement placement,
      @ForAll boolean periodic,
      @ForAll @IntRange(min = 0, max = 499) int at) {
    Axis axis = new Axis("x", from, from + length, points, "", placement, periodic, false);
    int index = at % points;
    double coordinate = axis.coordinate(index);
    double rounding = 4 * Math.ulp(Math.abs(from) + length) / axis.spacing();
    assertEquals(index, axis.position(coordinate), 1e-9 + rounding);
    if (index > 0) {
      assertEquals(
          axis.spacing(),
          coordinate - axis.coordinate(index - 1),
          axis.spacing() * (1e-9 + rounding));
    }
    assertTrue(coordinate >= from && coordinate <= from + length + axis.spacing() * rounding);
  }

  @Property(tries = 300)
  void positionsOfACircleAreAtLeastZeroAndLessThanThePoints(
      @ForAll @DoubleRange(min = 0, max = 1) double share,
      @ForAll @IntRange(min = 1, max = 300) int points,
      @ForAll Placement placement) {
    Axis circle = new Axis("x", -2, 5, points, "", placement, true, false);
    double position = circle.position(-2 + 7 * share);
    assertTrue(position >= 0 && position < points, "position " + position);
  }

  @Test
  void theSeamOfACircleIsOnePlace() {
    Axis nodes = Axis.periodic("x", 0, 1, 8);
    assertEquals(0, nodes.position(0));
    assertEquals(0, nodes.position(1));
    assertEquals(7.5, nodes.position(0.9375));
    assertEquals(0, nodes.position(Math.nextDown(1.0)), "7.999… would round to a point 8");
    Axis cells = Axis.periodic("x", 0, 1, 8).cells();
    assertEquals(7.5, cells.position(0));
    assertEquals(7.5, cells.position(1));
    assertEquals(7.25, cells.position(0.96875));
    assertEquals(0, cells.position(0.0625));
  }

  @Test
  void anAxisOfOnePointHasOnePosition() {
    assertEquals(0, Axis.of("x", 3, 3, 1).position(3));
    assertEquals(3, Axis.of("x", 3, 3, 1).coordinate(0));
    assertEquals(0, Axis.periodic("x", 0, 1, 1).position(0.7));
    assertEquals(0, Axis.of("x", 0, 1, 1).cells().position(0.9));
    assertEquals(0.5, Axis.of("x", 0, 1, 1).cells().coordinate(0));
  }

  @Test
  void outsideIsRefused() {
    Axis depth = Axis.of("depth", 0, 200, 51).unit("m");
    fails("[axis depth] depth = 201.0 lies outside [0.0, 200.0] m", () -> depth.position(201));
    fails("[axis depth] depth = -0.1 lies outside [0.0, 200.0] m", () -> depth.position(-0.1));
    Axis circle = Axis.periodic("x", 0, 1, 8);
    fails("[axis x] x = 2.01 lies outside [0.0, 1.0]", () -> circle.position(2.01));
    // a period may be counted from elsewhere
    Axis longitude = Axis.periodic("lon", 0, 360, 36);
    assertEquals(longitude.position(200.9), longitude.position(-159.1), 1e-9);
    assertEquals(longitude.position(10), longitude.position(370), 1e-9);
    for (double odd : new double[] {Double.NaN, 1e308, Double.NEGATIVE_INFINITY}) {
      assertThrows(ShapeException.class, () -> circle.position(odd), "" + odd);
    }
  }

  @Test
  void theRoundingOfAPrintedNumberIsForgiven() {
    Axis third = Axis.of("x", 0, 1.0 / 3, 11);
    assertEquals(10, third.position(0.33333334));
    assertEquals(0, third.position(-1e-8));
    assertEquals(0, Axis.periodic("x", 0, 1.0 / 3, 11).position(0.33333334), 1e-6);
    assertThrows(ShapeException.class, () -> third.position(0.333334));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0      | 1      | 0  | '[axis x] 0 points: at least 1 is needed'",
        "0      | 1      | -3 | '[axis x] -3 points: at least 1 is needed'",
        "1      | 0      | 4  | '[axis x] runs from 1.0 to 0.0: both must be finite, the smaller"
            + " one first'",
        "1      | 0      | 1  | '[axis x] runs from 1.0 to 0.0: both must be finite, the smaller"
            + " one first'",
        "0      | 0      | 2  | '[axis x] runs from 0.0 to 0.0: both must be finite, the smaller"
            + " one first'",
        "NaN    | 1      | 4  | '[axis x] runs from NaN to 1.0: both must be finite, the smaller"
            + " one first'",
        "0 | Infinity    | 4  | '[axis x] runs from 0.0 to Infinity: both must be finite, the"
            + " smaller one first'",
        "-1e308 | 1e308  | 4  | '[axis x] runs from -1.0E308 to 1.0E308: both must be finite, the"
            + " smaller one first'",
        "0  | 4.9e-324   | 4  | '[axis x] 4 points from 0.0 to 4.9E-324 are closer together than"
            + " floating-point numbers can resolve'",
        "1e9 | 1000000000.00001 | 1000 | '[axis x] 1000 points from 1.0E9 to 1.00000000000001E9 are"
            + " closer together than floating-point numbers can resolve'",
      })
  void impossibleNumbersAreRefused(double from, double to, int points, String message) {
    fails(message, () -> Axis.of("x", from, to, points));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " x", "x ", "1x", "x\n", "x\u0007y", "x,y", "x:y", "x@y", "x=1", "x\"y"})
  void namesThatTablesAndTextsCannotCarryAreRefused(String name) {
    var e = assertThrows(ShapeException.class, () -> Axis.of(name, 0, 1, 4));
    assertTrue(e.getMessage().startsWith("[axis] '"), e.getMessage());
    assertTrue(
        e.getMessage().contains("is not a valid name: it must begin with a letter"),
        e.getMessage());
    assertEquals(1, e.getMessage().lines().count(), e.getMessage());
    var q = assertThrows(ShapeException.class, () -> new Quantity(name, ""));
    assertTrue(q.getMessage().startsWith("[quantity] '"), q.getMessage());
  }

  @Test
  void namesOfTheWorldAreFine() {
    for (String name : new String[] {"x", "_", "Höhe", "θ", "深さ", "sea level", "PM2.5", "x_1"}) {
      assertEquals(name, Axis.of(name, 0, 1, 4).name());
    }
    assertEquals("sea-level", new Quantity("sea-level", "m").name());
    fails(
        "[axis] 'sea-level' cannot name an axis: a hyphen would make x-low and shift:x-y"
            + " ambiguous",
        () -> Axis.of("sea-level", 0, 1, 4));
    String longest = "x".repeat(60);
    assertEquals(longest, Axis.of(longest, 0, 1, 4).name());
    fails(
        "[axis] '%s…' is not a valid name: it must begin with a letter, contain only letters, digits, _ . - and inner"
                .formatted("x".repeat(40))
            + " spaces, and have at most 60 characters",
        () -> Axis.of(longest + "x", 0, 1, 4));
  }

  @Test
  void unitsAreOneShortLine() {
    fails(
        "[axis x] 'm\ufffds' is not a unit: a unit is one line of at most 60 characters",
        () -> Axis.of("x", 0, 1, 4).unit("m\ns"));
    fails(
        "[quantity T] '\ufffd[2J' is not a unit: a unit is one line of at most 60 characters",
        () -> new Quantity("T", "\u001b[2J"));
    assertThrows(ShapeException.class, () -> new Quantity("T", "m".repeat(61)));
    assertEquals("v [m s⁻¹]", new Quantity("v", "m s⁻¹").label());
    assertEquals("v", new Quantity("v", "").label());
  }

  @Test
  void copiesChangeOneThing() {
    Axis axis = Axis.time("t", 0, 9, 10);
    assertTrue(axis.time());
    assertEquals(new Axis("t", 0, 9, 10, "s", Placement.NODES, false, true), axis.unit("s"));
    assertEquals(new Axis("t", 0, 9, 10, "", Placement.CELLS, false, true), axis.cells());
    assertEquals(new Axis("t", 0, 9, 4, "", Placement.NODES, false, true), axis.points(4));
    assertEquals("t [s] from 0.0 to 9.0, 10 points", axis.unit("s").toString());
    assertEquals(
        "x from 0.0 to 1.0, 4 cells, periodic", Axis.periodic("x", 0, 1, 4).cells().toString());
  }

  @Test
  void aGridKnowsItsAxesByName() {
    Grid grid = new Grid(Axis.of("y", 0, 1, 3), Axis.periodic("x", 0, 2, 5));
    assertEquals(3, grid.height());
    assertEquals(5, grid.width());
    assertEquals(15, grid.cells());
    assertEquals(grid.rows(), grid.axis("y"));
    assertEquals(grid.columns(), grid.axis("x"));
    assertEquals(2, grid.dimension("y"));
    assertEquals(3, grid.dimension("x"));
    var e = assertThrows(IllegalArgumentException.class, () -> grid.axis("z"));
    assertEquals("there is no axis 'z'; there are y and x", e.getMessage());
    Grid finer = grid.resized(6, 10);
    assertEquals(new Grid(Axis.of("y", 0, 1, 6), Axis.periodic("x", 0, 2, 10)), finer);
  }

  @Test
  void impossibleGridsAreRefused() {
    Axis x = Axis.of("x", 0, 1, 4);
    fails("[grid] both axes are named x", () -> new Grid(x, x.points(5)));
    fails(
        "[grid] 65536 x 32768 points are too many",
        () -> new Grid(x.points(65536), Axis.of("y", 0, 1, 32768)));
    assertEquals(65536 * 32767, new Grid(x.points(65536), Axis.of("y", 0, 1, 32767)).cells());
  }
}
