package io.perflow.interop;

import io.perflow.physics.Problem;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The numbers of a quantity that may be the same in all fields: its mean over the grid, its means
 * along each axis, and its values on each edge.
 */
final class Regularities {
  private static final int FIELDS = 200; // the number of fields on which residuals are measured

  /** The range of a number over all fields. */
  static final class Range {
    private double least = Double.POSITIVE_INFINITY;
    private double most = Double.NEGATIVE_INFINITY;
    private double sum;
    private long count;

    private void add(double value) {
      least = Math.min(least, value);
      most = Math.max(most, value);
      sum += value;
      count++;
    }

    double least() {
      return least;
    }

    double most() {
      return most;
    }

    double spread() {
      return most - least;
    }

    /** Returns the common value with the fewest digits that the range allows. */
    double value(double scale) {
      return Legal.number(sum / count, Math.max(spread() / 2, 1e-9 * scale));
    }
  }

  private final Range mean = new Range();
  private final List<Range> lines = List.of(new Range(), new Range());
  private final List<Range> edges = List.of(new Range(), new Range(), new Range(), new Range());

  private Regularities() {}

  /** Measures a quantity in some of the fields. */
  static Regularities of(Problem problem, Tensor fields, String quantity) {
    Regularities found = new Regularities();
    int count = Math.min(FIELDS, fields.dim(0));
    int[] channels = problem.select(quantity);
    for (int i = 0; i < count; i++) {
      int index = (int) ((long) i * fields.dim(0) / count);
      for (int channel : channels) {
        found.add(fields.select(0, index).select(0, channel).toDoubles(), fields.dim(3));
      }
    }
    return found;
  }

  private void add(double[] plane, int width) {
    int height = plane.length / width;
    double[] rows = new double[height];
    double[] columns = new double[width];
    double sum = 0;
    for (int i = 0; i < plane.length; i++) {
      rows[i / width] += plane[i];
      columns[i % width] += plane[i];
      sum += plane[i];
    }
    mean.add(sum / plane.length);
    for (int x = 0; x < width; x++) {
      lines.get(0).add(columns[x] / height);
      edges.get(0).add(plane[x]);
      edges.get(1).add(plane[plane.length - width + x]);
    }
    for (int y = 0; y < height; y++) {
      lines.get(1).add(rows[y] / width);
      edges.get(2).add(plane[y * width]);
      edges.get(3).add(plane[y * width + width - 1]);
    }
  }

  /** Returns the mean over the grid. */
  Range mean() {
    return mean;
  }

  /**
   * Returns the means along the rows' axis (0) or the columns' (1), at every place of the other
   * one.
   */
  Range line(int axis) {
    return lines.get(axis);
  }

  /**
   * Returns the values where the rows' axis begins (0) and ends (1), and where the columns' begins
   * and ends (2 and 3).
   */
  List<Range> edges() {
    return new ArrayList<>(edges);
  }
}
