package io.perflow.flow;

import io.perflow.physics.Grid;
import java.util.Arrays;

/**
 * A map of the nearest sensor of every pixel for one mask, which fills in fields from sensors.
 *
 * <p>The distance is the exact Euclidean one, in pixels, periodic along periodic axes. It is found
 * in two passes: along the columns by two sweeps, then along the rows outwards from each pixel
 * until no farther column can contain a nearer sensor.
 */
final class SensorMap {
  private static final int NONE = -1;

  private final int height;
  private final int width;
  private final boolean periodicWidth;
  private final boolean[] sensor;
  private final int[] nearest;
  private final float[] distance;

  /** Reads a mask of the grid's size that starts at {@code offset}; it may hold no sensor. */
  SensorMap(float[] mask, int offset, Grid grid) {
    height = grid.height();
    width = grid.width();
    periodicWidth = grid.columns().periodic();
    boolean periodicHeight = grid.rows().periodic();
    sensor = new boolean[height * width];
    boolean any = false;
    for (int i = 0; i < sensor.length; i++) {
      sensor[i] = mask[offset + i] != 0;
      any |= sensor[i];
    }
    nearest = new int[sensor.length];
    distance = new float[sensor.length];
    if (any) {
      int[] rows = nearestRows(periodicHeight);
      for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
          search(rows, y, x, periodicHeight);
        }
      }
    } else {
      // Without sensors, each pixel refers to itself; no sensor is farther away than a diagonal.
      Arrays.setAll(nearest, i -> i);
      Arrays.fill(distance, (float) Math.hypot(height, width));
    }
  }

  // Finds for every pixel the row of the nearest sensor in its own column.
  private int[] nearestRows(boolean periodic) {
    int[] rows = new int[sensor.length];
    for (int x = 0; x < width; x++) {
      int last = NONE;
      // Periodic columns need a second round.
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

  /** Writes for every pixel the index of its nearest sensor, in planes that begin at a source. */
  void writeNearest(int source, int[] target, int offset) {
    for (int i = 0; i < nearest.length; i++) {
      target[offset + i] = source + nearest[i];
    }
  }

  /**
   * Writes for every pixel the sensors of its row between which it lies, and the fraction of the
   * way from the left one to the right one. Periodic rows wrap around; otherwise values are
   * constant beyond the outermost sensors. Rows without a sensor take the nearest one.
   */
  void writeRows(int source, int[] left, int[] right, float[] part, int offset) {
    writeNearest(source, left, offset);
    writeNearest(source, right, offset);
    int[] columns = new int[width];
    for (int y = 0; y < height; y++) {
      int count = 0;
      for (int x = 0; x < width; x++) {
        if (sensor[y * width + x]) {
          columns[count++] = x;
        }
      }
      int next = 0; // the first sensor beyond x
      for (int x = 0; x < width && count > 0; x++) {
        next += next < count && columns[next] <= x ? 1 : 0;
        boolean inside = periodicWidth || next > 0 && next < count;
        int from = next > 0 ? columns[next - 1] : columns[count - 1] - width;
        int to = next < count ? columns[next] : columns[0] + width;
        int level = next > 0 ? columns[next - 1] : columns[0];
        int pixel = offset + y * width + x;
        int row = source + y * width;
        left[pixel] = row + (inside ? Math.floorMod(from, width) : level);
        right[pixel] = row + (inside ? to % width : level);
        part[pixel] = inside ? (float) (x - from) / (to - from) : 0;
      }
    }
  }
}
