package io.perflow.physics.constraint;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;

/**
 * A search for the nearest field with prescribed means within a box: all values of a mean move by
 * the same number and stop at their bounds.
 */
final class BoundedMean {
  private final Mass mass;
  private final Box box;

  BoundedMean(Mass mass, Box box) {
    this.mass = mass;
    this.box = box;
  }

  /**
   * Returns the nearest field, F64 as {@code x} is.
   *
   * @throws IllegalArgumentException when a mean lies outside what the bounds allow
   */
  Tensor nearest(Tensor x) {
    Shape field = x.shape();
    double[] values = x.toDoubles();
    double[] nearest = box.clip(x).toDoubles(); // the answer where means are free
    double[] lower = Box.spread(box.lower(), field);
    double[] upper = Box.spread(box.upper(), field);
    Tensor wanted = mass.wanted(field);
    Shape means = wanted.shape().with(0, field.dim(0));
    double[] goals = wanted.expand(means).toDoubles();
    int[] channels = mass.channels(field);
    for (int i = 0; i < goals.length; i++) {
      int[] cells = cells(i, means, channels, field);
      double[] l = gather(lower, cells);
      double[] u = gather(upper, cells);
      requirePossible(goals[i], l, u, cells[0], field);
      double[] ones = new double[cells.length];
      Arrays.fill(ones, 1);
      double t = DualRoot.of(gather(values, cells), ones, l, u, goals[i] * cells.length);
      for (int k = 0; k < cells.length; k++) {
        nearest[cells[k]] = Math.clamp(values[cells[k]] - t, l[k], u[k]);
      }
    }
    return x.device().backend().memory().upload(nearest, field);
  }

  // Returns the flat indices of the values of mean i.
  private static int[] cells(int i, Shape means, int[] channels, Shape field) {
    int rows = means.dim(2);
    int columns = means.dim(3);
    int plane = i / (rows * columns);
    int sample = plane / channels.length;
    int channel = channels[plane % channels.length];
    int height = field.dim(2);
    int width = field.dim(3);
    int start = (sample * field.dim(1) + channel) * height * width;
    int row = rows == 1 ? 0 : i / columns % rows;
    int column = columns == 1 ? 0 : i % columns;
    int across = columns == 1 ? width : 1; // the number of columns that the mean is over
    int[] cells = new int[(rows == 1 ? height : 1) * across];
    Arrays.setAll(cells, k -> start + (row + k / across) * width + column + k % across);
    return cells;
  }

  private static double[] gather(double[] values, int[] cells) {
    double[] some = new double[cells.length];
    Arrays.setAll(some, k -> values[cells[k]]);
    return some;
  }

  private void requirePossible(
      double wanted, double[] lower, double[] upper, int first, Shape field) {
    double least = Arrays.stream(lower).average().orElseThrow();
    double most = Arrays.stream(upper).average().orElseThrow();
    if (Pins.differ(Math.clamp(wanted, least, Math.max(least, most)), wanted)) {
      throw Conflict.ofBoundedMean(mass, wanted, least, most, first, field);
    }
  }
}
