package io.perflow.flow;

import java.util.Arrays;

/**
 * Where the nearest sensor of every pixel of one mask is, and fields filled in from sensors.
 *
 * <p>The distance is the exact Euclidean one, in pixels, round the torus along periodic axes. It is
 * found in two passes: along the columns by two sweeps, then along the rows outwards from each
 * pixel until no farther column can be nearer.
 */
final class SensorMap {
  private static final int NONE = -1;

  private final int height;
  private final int width;
  private final boolean periodicWidth;
  private final boolean[] sensor;
  private final int[] nearest;
  private final float[] distance;

  /** Reads a mask of {@code height * width} numbers that starts at {@code offset}. */
  SensorMap(
      float[] mask,
      int offset,
      int height,
      int width,
      boolean periodicHeight,
      boolean periodicWidth) {
    this.height = height;
    this.width = width;
    this.periodicWidth = periodicWidth;
    sensor = new boolean[height * width];
    boolean any = false;
    for (int i = 0; i < sensor.length; i++) {
      sensor[i] = mask[offset + i] != 0;
      any |= sensor[i];
    }
    if (!any) {
      throw new IllegalArgumentException(
          "[observations] the mask has no sensor at all: at least one is needed");
    }
    nearest = new int[sensor.length];
    distance = new float[sensor.length];
    int[] rows = nearestRows(periodicHeight);
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        search(rows, y, x, periodicHeight);
      }
    }
  }

  // for every pixel the row of the nearest sensor in its own column
  private int[] nearestRows(boolean periodic) {
    int[] rows = new int[sensor.length];
    for (int x = 0; x < width; x++) {
      int last = NONE;
      // a second round lets the torus look across its seam
      for (int i = 0; i < (periodic ? 2 : 1) * height; i++) {
        int y = i % height;
        last = sensor[y * width + x] ? y : last;
        rows[y * width + x] = last;
      }
      last = NONE;
      for (int i = (periodic ? 2 : 1) * height - 1; i >= 0; i--) {
        int y = i % height;
        last = sensor[y * width + x] ? y : last;
        int before = rows[y * width + x];
        if (before == NONE || last != NONE && gap(y, last, periodic) < gap(y, before, periodic)) {
          rows[y * width + x] = last;
        }
      }
    }
    return rows;
  }

  private int gap(int a, int b, boolean periodic) {
    int d = Math.abs(a - b);
    return periodic ? Math.min(d, height - d) : d;
  }

  private void search(int[] rows, int y, int x, boolean periodicHeight) {
    long best = Long.MAX_VALUE;
    int found = NONE;
    int reach = periodicWidth ? width / 2 : width - 1;
    for (int d = 0; d <= reach && (long) d * d < best; d++) {
      for (int side = -1; side <= 1; side += 2) {
        int column = x + side * d;
        if (periodicWidth) {
          column = Math.floorMod(column, width);
        } else if (column < 0 || column >= width) {
          continue;
        }
        int row = rows[y * width + column];
        if (row != NONE) {
          long down = gap(y, row, periodicHeight);
          long square = down * down + (long) d * d;
          if (square < best) {
            best = square;
            found = row * width + column;
          }
        }
      }
    }
    nearest[y * width + x] = found;
    distance[y * width + x] = (float) Math.sqrt(best);
  }

  /** Writes the distances of all pixels, times {@code factor}. */
  void writeDistance(float[] target, int offset, float factor) {
    for (int i = 0; i < distance.length; i++) {
      target[offset + i] = factor * distance[i];
    }
  }

  /** Gives every pixel the reading of its nearest sensor. */
  void fillNearest(float[] values, int source, float[] target, int offset) {
    for (int i = 0; i < nearest.length; i++) {
      target[offset + i] = values[source + nearest[i]];
    }
  }

  /**
   * Joins the sensors of every row by straight lines, round the torus when the rows are periodic
   * and level beyond the outermost ones when not; rows without a sensor take the nearest reading.
   */
  void fillRows(float[] values, int source, float[] target, int offset) {
    int[] columns = new int[width];
    for (int y = 0; y < height; y++) {
      int count = 0;
      for (int x = 0; x < width; x++) {
        if (sensor[y * width + x]) {
          columns[count++] = x;
        }
      }
      if (count == 0) {
        for (int i = y * width; i < (y + 1) * width; i++) {
          target[offset + i] = values[source + nearest[i]];
        }
      } else {
        joinRow(values, source + y * width, target, offset + y * width, columns, count);
      }
    }
  }

  private void joinRow(
      float[] values, int source, float[] target, int offset, int[] columns, int count) {
    for (int i = 0; i < count; i++) {
      int from = columns[i];
      boolean last = i == count - 1;
      int to = last ? columns[0] + width : columns[i + 1];
      float start = values[source + from];
      float end = values[source + to % width];
      for (int x = from; x < to; x++) {
        float part = (float) (x - from) / (to - from);
        boolean level = last && !periodicWidth;
        if (!level || x < width) {
          target[offset + x % width] = level ? start : start + part * (end - start);
        }
      }
    }
    if (!periodicWidth) {
      Arrays.fill(target, offset, offset + columns[0], values[source + columns[0]]);
    }
  }
}
