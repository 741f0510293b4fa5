package io.perflow.physics.interpolation;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.IntStream;

/** A drawing of the triangles of a triangulation, linear between their corners, into a grid. */
final class PiecewiseLinear {
  private final Readings readings;
  private final Lattice lattice;
  private final Plane plane;
  private final double[] field;

  private PiecewiseLinear(Readings readings) {
    this.readings = readings;
    lattice = readings.lattice();
    plane = new Plane(readings);
    field = new double[lattice.height() * lattice.width()];
    Arrays.fill(field, Double.NaN); // not drawn yet
  }

  /** Fills the grid from readings that are already repeated along periodic axes. */
  static double[] fill(Readings readings) {
    double tolerance = Readings.SAME / 2 * readings.lattice().spacing();
    Optional<Line> line = Line.through(readings.x(), readings.y(), tolerance);
    if (line.isPresent()) {
      return along(line.get(), readings);
    }
    PiecewiseLinear drawing = new PiecewiseLinear(readings);
    Triangulation triangles = new Triangulation(drawing.plane, readings.size());
    for (int t = 0; t < triangles.size(); t++) {
      drawing.draw(triangles.corner(t, 0), triangles.corner(t, 1), triangles.corner(t, 2));
    }
    drawing.fillOutside();
    return drawing.field;
  }

  private static double[] along(Line line, Readings readings) {
    double[] x = readings.x();
    double[] y = readings.y();
    int[] order =
        IntStream.range(0, readings.size())
            .boxed()
            .sorted(Comparator.comparingDouble(i -> line.along(x[i], y[i])))
            .mapToInt(Integer::intValue)
            .toArray();
    double[] at = Arrays.stream(order).mapToDouble(i -> line.along(x[i], y[i])).toArray();
    double[] value = Arrays.stream(order).mapToDouble(readings::value).toArray();
    Lattice lattice = readings.lattice();
    return lattice.map(
        (row, column) -> {
          double px = row * lattice.rowSpacing();
          double py = column * lattice.columnSpacing();
          return between(at, value, line.along(px, py));
        });
  }

  private static double between(double[] at, double[] value, double place) {
    int found = Arrays.binarySearch(at, place);
    if (found >= 0) {
      return value[found];
    }
    int right = -found - 1;
    if (right == 0 || right == at.length) {
      return value[Math.max(0, right - 1)];
    }
    double part = (place - at[right - 1]) / (at[right] - at[right - 1]);
    return value[right - 1] + part * (value[right] - value[right - 1]);
  }

  private void draw(int a, int b, int c) {
    double first = Math.min(Math.min(readings.row(a), readings.row(b)), readings.row(c));
    double last = Math.max(Math.max(readings.row(a), readings.row(b)), readings.row(c));
    int bottom = (int) Math.min(lattice.height() - 1, Math.floor(last));
    for (int i = (int) Math.max(0, Math.ceil(first)); i <= bottom; i++) {
      double left = Double.POSITIVE_INFINITY;
      double right = Double.NEGATIVE_INFINITY;
      for (int[] side : new int[][] {{a, b}, {b, c}, {c, a}}) {
        left = Math.min(left, crossing(side[0], side[1], i, true));
        right = Math.max(right, crossing(side[0], side[1], i, false));
      }
      // One more column on either side compensates for round-off; whether a point is inside is
      // decided exactly.
      int end = (int) Math.min(lattice.width() - 1, Math.floor(right) + 1);
      for (int j = (int) Math.max(0, Math.ceil(left) - 1); j <= end; j++) {
        drawPoint(a, b, c, i, j);
      }
    }
  }

  // Returns the smallest or the largest column where the side meets a row.
  private double crossing(int a, int b, double row, boolean least) {
    double ra = readings.row(a) - row;
    double rb = readings.row(b) - row;
    double ca = readings.column(a);
    double cb = readings.column(b);
    if (ra * rb > 0) {
      return least ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
    }
    if (ra == rb) {
      return least ? Math.min(ca, cb) : Math.max(ca, cb);
    }
    return ca + ra / (ra - rb) * (cb - ca);
  }

  private void drawPoint(int a, int b, int c, int i, int j) {
    if (plane.turn(a, b, i, j) < 0 || plane.turn(b, c, i, j) < 0 || plane.turn(c, a, i, j) < 0) {
      return;
    }
    double atA = Math.max(0, plane.area(b, c, i, j));
    double atB = Math.max(0, plane.area(c, a, i, j));
    double atC = Math.max(0, plane.area(a, b, i, j));
    double sum = atA * readings.value(a) + atB * readings.value(b) + atC * readings.value(c);
    field[i * lattice.width() + j] = sum / (atA + atB + atC);
  }

  private void fillOutside() {
    Neighbours neighbours = new Neighbours(readings, 1);
    for (int i = 0; i < field.length; i++) {
      if (Double.isNaN(field[i])) {
        int nearest = neighbours.of(i / lattice.width(), i % lattice.width())[0];
        field[i] = readings.value(nearest);
      }
    }
  }
}
