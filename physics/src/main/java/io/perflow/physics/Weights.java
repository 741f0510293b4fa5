package io.perflow.physics;

import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The weights of grid points in the value at a place, or in an average over a box or along a line.
 *
 * <p>Between grid points a field is bilinear (order 1). Between a wall and the centre of the cell
 * at the wall it is constant. On periodic axes the last point is followed by the first.
 */
final class Weights {
  // In spacings: a place this close to a grid point is taken for that point, printed with fewer
  // digits.
  private static final double SNAP = 1e-6;
  // The part of the whole below which a weight is rounding noise, which deserves no column.
  private static final double NEGLIGIBLE = 1e-12;
  private static final double GAUSS = 1 / Math.sqrt(3);

  private final Grid grid;
  private final TreeMap<Integer, Double> ofCell = new TreeMap<>();

  /**
   * The weights of neighbouring points of one axis, the first of them at an index before wrapping.
   */
  private record Run(int first, double... weights) {}

  private Weights(Grid grid) {
    this.grid = grid;
  }

  /** Returns the value at a place; coordinates are along the first and the second axis. */
  static Weights at(Grid grid, double[] place) {
    Weights weights = new Weights(grid);
    weights.add(
        interpolated(grid.rows(), index(grid.rows(), place[0])),
        interpolated(grid.columns(), index(grid.columns(), place[1])),
        1);
    return weights;
  }

  /**
   * Returns the average over a box: the weight of a grid point is the overlap of its cell with the
   * box. Along an axis on which the box has no extent, values are interpolated.
   */
  static Weights box(Grid grid, double[] from, double[] to) {
    Weights weights = new Weights(grid);
    weights.add(overlap(grid.rows(), from[0], to[0]), overlap(grid.columns(), from[1], to[1]), 1);
    return weights;
  }

  /**
   * Returns the average along a straight line. From one grid line to the next the field is a
   * polynomial of degree 2, for which two Gauss points are exact.
   */
  static Weights line(Grid grid, double[] from, double[] to) {
    double row = index(grid.rows(), from[0]);
    double column = index(grid.columns(), from[1]);
    double down = index(grid.rows(), to[0]) - row;
    double across = index(grid.columns(), to[1]) - column;
    SortedSet<Double> cuts = new TreeSet<>();
    cuts.add(0.0);
    cuts.add(1.0);
    addCrossings(cuts, row, down);
    addCrossings(cuts, column, across);
    Weights weights = new Weights(grid);
    double start = 0;
    for (double end : cuts) {
      double half = (end - start) / 2;
      for (double side : new double[] {-GAUSS, GAUSS}) {
        double t = start + half + side * half;
        weights.add(
            interpolated(grid.rows(), row + t * down),
            interpolated(grid.columns(), column + t * across),
            half);
      }
      start = end;
    }
    return weights;
  }

  private static void addCrossings(SortedSet<Double> cuts, double start, double extent) {
    double low = Math.min(start, start + extent);
    double high = Math.max(start, start + extent);
    for (double line = Math.ceil(low); line <= high && extent != 0; line++) {
      cuts.add(Math.clamp((line - start) / extent, 0.0, 1.0));
    }
  }

  // Returns the position of a coordinate among the points of an axis, before wrapping around a
  // period.
  private static double index(Axis axis, double coordinate) {
    axis.position(coordinate); // throws for places outside
    if (axis.points() == 1) {
      return 0;
    }
    double index = (coordinate - axis.coordinate(0)) / axis.spacing();
    return Math.abs(index - Math.rint(index)) < SNAP ? Math.rint(index) : index;
  }

  private static Run interpolated(Axis axis, double index) {
    double inside = axis.periodic() ? index : Math.clamp(index, 0, axis.points() - 1);
    int first = (int) Math.floor(inside);
    double part = inside - first;
    return part == 0 ? new Run(first, 1) : new Run(first, 1 - part, part);
  }

  private static Run overlap(Axis axis, double from, double to) {
    double low = index(axis, from);
    double high = index(axis, to);
    if (axis.points() == 1 || low == high) {
      return interpolated(axis, low);
    }
    if (low > high && axis.periodic()) {
      high += axis.points();
    }
    if (low > high) {
      throw new IllegalArgumentException(
          "[readings] a box from %s = %s to %s: the smaller coordinate comes first"
              .formatted(axis.name(), from, to));
    }
    int first = (int) Math.floor(low + 0.5); // the cell of point i reaches from i - 0.5 to i + 0.5
    double[] weights = new double[(int) Math.floor(high + 0.5) - first + 1];
    for (int i = 0; i < weights.length; i++) {
      double middle = first + i;
      weights[i] = Math.max(0, Math.min(high, middle + 0.5) - Math.max(low, middle - 0.5));
    }
    return new Run(first, weights);
  }

  private void add(Run rows, Run columns, double factor) {
    for (int i = 0; i < rows.weights.length; i++) {
      int row = wrapped(grid.rows(), rows.first + i);
      for (int j = 0; j < columns.weights.length; j++) {
        int cell = row * grid.width() + wrapped(grid.columns(), columns.first + j);
        ofCell.merge(cell, factor * rows.weights[i] * columns.weights[j], Double::sum);
      }
    }
  }

  private static int wrapped(Axis axis, int index) {
    return axis.periodic()
        ? Math.floorMod(index, axis.points())
        : Math.clamp(index, 0, axis.points() - 1);
  }

  /** Returns a reading with these weights, which add up to 1. */
  Readings.Reading reading(int channel, double value, double sigma, String source) {
    double all = ofCell.values().stream().mapToDouble(w -> w).sum();
    ofCell.values().removeIf(weight -> weight <= NEGLIGIBLE * all);
    double kept = ofCell.values().stream().mapToDouble(w -> w).sum();
    int[] cells = ofCell.keySet().stream().mapToInt(c -> c).toArray();
    double[] weights = ofCell.values().stream().mapToDouble(w -> w / kept).toArray();
    return new Readings.Reading(channel, cells, weights, value, sigma, source);
  }
}
