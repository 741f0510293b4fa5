package io.perflow.physics;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Close;
import io.perflow.physics.constraint.AffineConstraint;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleBinaryOperator;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** The laws of rows of H, for random grids and places. */
class ReadingsPropertiesTest {
  /** Kinds of axes, from -1 to 2. */
  enum Ends {
    WALLS,
    CELLS,
    PERIODIC,
    PERIODIC_CELLS;

    Axis axis(String name, int points) {
      Axis walls = Axis.of(name, -1, 2, points);
      Axis periodic = Axis.periodic(name, -1, 2, points);
      return switch (this) {
        case WALLS -> walls;
        case CELLS -> walls.cells();
        case PERIODIC -> periodic;
        case PERIODIC_CELLS -> periodic.cells();
      };
    }
  }

  private static Problem problem(Ends rows, Ends columns, int height, int width) {
    return Problem.named("p")
        .axis(rows.axis("y", height))
        .axis(columns.axis("x", width))
        .channel("f")
        .channel("g")
        .build();
  }

  private static double[] place(Random random) {
    return new double[] {3 * random.nextDouble() - 1, 3 * random.nextDouble() - 1};
  }

  private static double apply(Readings.Reading reading, double[] field) {
    double sum = 0;
    for (int i = 0; i < reading.cells().length; i++) {
      sum += reading.weights()[i] * field[reading.cells()[i]];
    }
    return sum;
  }

  // Value of a function at all points, on rows then columns.
  private static double[] sampled(Grid grid, DoubleBinaryOperator f) {
    double[] field = new double[grid.cells()];
    for (int i = 0; i < field.length; i++) {
      field[i] =
          f.applyAsDouble(
              grid.rows().coordinate(i / grid.width()),
              grid.columns().coordinate(i % grid.width()));
    }
    return field;
  }

  @Property(tries = 200)
  void bilinearFieldsAreReadExactly(
      @ForAll @IntRange(min = 2, max = 9) int height,
      @ForAll @IntRange(min = 2, max = 9) int width,
      @ForAll Random random) {
    Problem problem = problem(Ends.WALLS, Ends.WALLS, height, width);
    double[] c = random.doubles(4, -1, 1).toArray();
    DoubleBinaryOperator f = (y, x) -> c[0] + c[1] * y + c[2] * x + c[3] * y * x;
    double[] field = sampled(problem.grid(), f);
    double[] a = place(random);
    double[] b = place(random);
    Readings readings = Readings.of(problem).at("f", 0, a).line("g", 0, a, b).build();
    // a place within a millionth of a spacing of a grid point is moved there
    assertEquals(f.applyAsDouble(a[0], a[1]), apply(readings.all().get(0), field), 1e-5);
    // along a line the field is a parabola, for which Simpson's rule is exact
    double middle = f.applyAsDouble((a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
    double mean = (f.applyAsDouble(a[0], a[1]) + 4 * middle + f.applyAsDouble(b[0], b[1])) / 6;
    assertEquals(mean, apply(readings.all().get(1), field), 1e-5);
  }

  @Property(tries = 300)
  void weightsArePositiveAndAddUpToOne(
      @ForAll Ends rows,
      @ForAll Ends columns,
      @ForAll @IntRange(min = 1, max = 9) int height,
      @ForAll @IntRange(min = 1, max = 9) int width,
      @ForAll Random random) {
    Problem problem = problem(rows, columns, height, width);
    double[] a = place(random);
    double[] b = place(random);
    double[] low = {Math.min(a[0], b[0]), Math.min(a[1], b[1])};
    double[] high = {Math.max(a[0], b[0]), Math.max(a[1], b[1])};
    Readings readings =
        Readings.of(problem).at("f", 1, a).line("f", 1, a, b).box("g", 1, low, high).build();
    for (Readings.Reading reading : readings.all()) {
      double sum = 0;
      int last = -1;
      for (int i = 0; i < reading.cells().length; i++) {
        assertTrue(reading.weights()[i] > 0, reading::toString);
        assertTrue(reading.cells()[i] > last && reading.cells()[i] < height * width);
        last = reading.cells()[i];
        sum += reading.weights()[i];
      }
      assertEquals(1, sum, 1e-14);
    }
  }

  // The hat of a point, summed over the images of a period.
  private static double hat(Axis axis, int point, double coordinate) {
    double sum = 0;
    for (int image = axis.periodic() ? -1 : 0; image <= (axis.periodic() ? 1 : 0); image++) {
      double distance = coordinate - axis.coordinate(point) - image * (axis.to() - axis.from());
      sum += Math.max(0, 1 - Math.abs(distance) / axis.spacing());
    }
    return sum;
  }

  @Property(tries = 200)
  void rowsAreProductsOfHats(
      @ForAll boolean periodicRows,
      @ForAll boolean periodicColumns,
      @ForAll @IntRange(min = 2, max = 9) int height,
      @ForAll @IntRange(min = 2, max = 9) int width,
      @ForAll Random random) {
    Problem problem =
        problem(
            periodicRows ? Ends.PERIODIC_CELLS : Ends.WALLS,
            periodicColumns ? Ends.PERIODIC : Ends.WALLS,
            height,
            width);
    double[] field = random.doubles((long) height * width).toArray();
    double[] a = place(random);
    double[] b = place(random);
    Readings readings = Readings.of(problem).at("f", 0, a).line("g", 0, a, b).build();
    assertEquals(dense(problem.grid(), field, a), apply(readings.all().get(0), field), 1e-5);
    double mean = 0;
    int samples = 2000;
    for (int i = 0; i < samples; i++) {
      double t = (i + 0.5) / samples;
      double[] place = {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])};
      mean += dense(problem.grid(), field, place) / samples;
    }
    assertEquals(mean, apply(readings.all().get(1), field), 1e-4);
  }

  private static double dense(Grid grid, double[] field, double[] place) {
    double sum = 0;
    for (int i = 0; i < field.length; i++) {
      sum +=
          field[i]
              * hat(grid.rows(), i / grid.width(), place[0])
              * hat(grid.columns(), i % grid.width(), place[1]);
    }
    return sum;
  }

  @Property(tries = 100)
  void boxesAverageCells(
      @ForAll Ends rows,
      @ForAll Ends columns,
      @ForAll @IntRange(min = 2, max = 6) int height,
      @ForAll @IntRange(min = 2, max = 6) int width,
      @ForAll Random random) {
    Problem problem = problem(rows, columns, height, width);
    Grid grid = problem.grid();
    double[] a = place(random);
    double[] b = place(random);
    double[] low = {Math.min(a[0], b[0]), Math.min(a[1], b[1])};
    double[] high = {Math.max(a[0], b[0]), Math.max(a[1], b[1])};
    double[] field = random.doubles((long) height * width).toArray();
    int n = 400; // samples along each axis, each of which sees the cell it lies in
    double mean = 0;
    for (int i = 0; i < n * n; i++) {
      int row = nearest(grid.rows(), low[0] + (i / n + 0.5) / n * (high[0] - low[0]));
      int column = nearest(grid.columns(), low[1] + (i % n + 0.5) / n * (high[1] - low[1]));
      mean += field[row * width + column] / (n * n);
    }
    Readings readings = Readings.of(problem).box("f", 0, low, high).build();
    assertEquals(mean, apply(readings.all().getFirst(), field), 0.05);
  }

  private static int nearest(Axis axis, double coordinate) {
    return (int) Math.round(axis.position(coordinate)) % axis.points();
  }

  @Property(tries = 100)
  void rasterOfGridPointsGivesTheReadingsBack(
      @ForAll Sensors.Sharing sharing,
      @ForAll @IntRange(min = 1, max = 8) int height,
      @ForAll @IntRange(min = 1, max = 8) int width,
      @ForAll @IntRange(min = 1, max = 3) int frames,
      @ForAll long seed) {
    Problem problem =
        Problem.named("p")
            .axis("y", 0, 1, height)
            .axis("x", 0, 1, width)
            .frames(Axis.time("t", 0, 1, frames))
            .channel("u")
            .channel("v")
            .sensors(Sensors.points(1, height * width).sharing(sharing))
            .build();
    Rng rng = Rng.of(seed);
    Tensor field = rng.split("x").normal(Device.cpu(), problem.batch(1), DataType.F32);
    Tensor planes = problem.masks().draw(rng.split("mask"), 1);
    Readings readings = Readings.observe(problem, field, planes);
    Readings.Raster raster = readings.raster();
    Close.assertClose("values", field.mul(problem.expand(planes)), raster.values(), 0);
    Close.assertClose("planes", planes, raster.planes(), 0);
    assertEquals(readings.size(), raster.shown());
    assertTrue(readings.onGrid());
    assertEquals(0, readings.agreement().orElseThrow().meanSquare(field).item());
    assertEquals(List.of(), readings.unlike(Normalization.identity(2 * frames)));
  }

  @Property(tries = 100)
  void orderDoesNotMatter(
      @ForAll Ends rows, @ForAll Ends columns, @ForAll boolean offGrid, @ForAll Random random) {
    Problem problem = problem(rows, columns, 6, 5);
    List<double[]> given = new ArrayList<>(); // value, sigma, place
    for (int i = 0; i < 12; i++) {
      Grid grid = problem.grid();
      double[] place =
          offGrid
              ? place(random)
              : new double[] {
                grid.rows().coordinate(random.nextInt(6)),
                grid.columns().coordinate(random.nextInt(5))
              };
      given.add(
          new double[] {random.nextGaussian(), 0.1 + random.nextDouble(), place[0], place[1]});
    }
    Readings first = build(problem, given);
    Collections.shuffle(given, random);
    Readings second = build(problem, given);
    Close.assertClose("values", first.raster().values(), second.raster().values(), 1e-6);
    Close.assertClose("planes", first.raster().planes(), second.raster().planes(), 0);
    Tensor x = Rng.of(1).normal(Device.cpu(), problem.batch(1), DataType.F64);
    double[] misfits = {
      first.misfit(x).getFirst().rms(), first.agreement().orElseThrow().meanSquare(x).item()
    };
    double[] shuffled = {
      second.misfit(x).getFirst().rms(), second.agreement().orElseThrow().meanSquare(x).item()
    };
    assertArrayEquals(misfits, shuffled, 1e-12);
  }

  private static Readings build(Problem problem, List<double[]> given) {
    Readings.Builder readings = Readings.of(problem);
    for (double[] r : given) {
      readings.sigma(r[1]).at("f", r[0], r[2], r[3]);
    }
    return readings.build();
  }

  @Property(tries = 50)
  void agreementHasItsTranspose(@ForAll Ends rows, @ForAll Ends columns, @ForAll Random random) {
    Problem problem = problem(rows, columns, 7, 6);
    Readings.Builder builder = Readings.of(problem);
    for (int i = 0; i < 5; i++) {
      builder.at("f", 1, place(random)).line("g", 2, place(random), place(random));
    }
    Readings readings = builder.build();
    AffineConstraint h = readings.agreement().orElseThrow();
    Rng rng = Rng.of(random.nextLong());
    Tensor x = rng.normal(Device.cpu(), problem.batch(2), DataType.F64);
    Tensor r = rng.normal(Device.cpu(), Shape.of(2, readings.size()), DataType.F64);
    double left = h.linear(x).mul(r).sum().item();
    assertEquals(left, h.adjoint(r, x.shape()).mul(x).sum().item(), 1e-11);
    double[] field = x.toDoubles();
    for (int i = 0; i < readings.size(); i++) {
      Readings.Reading reading = readings.all().get(i);
      double[] channel =
          Arrays.copyOfRange(field, reading.channel() * 42, reading.channel() * 42 + 42);
      assertEquals(apply(reading, channel), h.linear(x).toDoubles()[i], 1e-13);
    }
  }
}
