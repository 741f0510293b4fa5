package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.perflow.physics.Axis;
import io.perflow.physics.Grid;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class SensorMapTest {

  @Property(tries = 60)
  void distancesAreThoseOfASearchThroughAllSensors(
      @ForAll @IntRange(min = 1, max = 12) int height,
      @ForAll @IntRange(min = 1, max = 12) int width,
      @ForAll boolean periodicHeight,
      @ForAll boolean periodicWidth,
      @ForAll long seed) {
    java.util.Random random = new java.util.Random(seed);
    float[] mask = new float[height * width];
    for (int i = 0; i < 1 + mask.length / 6; i++) {
      mask[random.nextInt(mask.length)] = 1;
    }
    float[] found = new float[mask.length];
    new SensorMap(mask, 0, grid(height, width, periodicHeight, periodicWidth))
        .writeDistance(found, 0, 1);
    for (int i = 0; i < mask.length; i++) {
      double best = Double.POSITIVE_INFINITY;
      for (int j = 0; j < mask.length; j++) {
        if (mask[j] != 0) {
          int dy = gap(i / width, j / width, height, periodicHeight);
          int dx = gap(i % width, j % width, width, periodicWidth);
          best = Math.min(best, Math.hypot(dy, dx));
        }
      }
      assertEquals(best, found[i], 1e-6, "pixel " + i);
    }
  }

  private static int gap(int a, int b, int size, boolean periodic) {
    int d = Math.abs(a - b);
    return periodic ? Math.min(d, size - d) : d;
  }

  private static Grid grid(int height, int width, boolean down, boolean across) {
    return new Grid(axis("y", height, down), axis("x", width, across));
  }

  private static Axis axis(String name, int points, boolean periodic) {
    return periodic ? Axis.periodic(name, 0, 1, points) : Axis.of(name, 0, 1, points);
  }

  private static float[] rows(float[] mask, float[] values, Grid grid) {
    int[] left = new int[mask.length];
    int[] right = new int[mask.length];
    float[] part = new float[mask.length];
    new SensorMap(mask, 0, grid).writeRows(0, left, right, part, 0);
    float[] filled = new float[mask.length];
    for (int i = 0; i < filled.length; i++) {
      filled[i] = values[left[i]] + part[i] * (values[right[i]] - values[left[i]]);
    }
    return filled;
  }

  @Test
  void rowsAreJoinedByStraightLinesRoundTheTorus() {
    float[] mask = {0, 1, 0, 0, 0, 1, 0, 0};
    float[] values = {0, 2, 0, 0, 0, 6, 0, 0};
    assertRow(new float[] {3, 2, 3, 4, 5, 6, 5, 4}, rows(mask, values, grid(1, 8, false, true)));
    assertRow(new float[] {2, 2, 3, 4, 5, 6, 6, 6}, rows(mask, values, grid(1, 8, false, false)));
  }

  @Test
  void rowsWithoutSensorsTakeTheNearest() {
    float[] mask = {0, 1, 0, 0, 0, 0};
    float[] values = {0, 7, 0, 0, 0, 0};
    assertRow(new float[] {7, 7, 7, 7, 7, 7}, rows(mask, values, grid(2, 3, false, false)));
  }

  private static void assertRow(float[] expected, float[] found) {
    for (int i = 0; i < expected.length; i++) {
      assertEquals(expected[i], found[i], 1e-6, "pixel " + i);
    }
  }

  @Test
  void withoutSensorsNothingIsFilledAndAllAreFar() {
    float[] values = {1, 2, 3, 4};
    // where nothing was read the readings are 0, and each pixel takes its own
    assertRow(values, rows(new float[4], values, grid(2, 2, false, false)));
    float[] far = new float[4];
    new SensorMap(new float[4], 0, grid(2, 2, true, false)).writeDistance(far, 0, 1);
    float diagonal = (float) Math.sqrt(8);
    assertRow(new float[] {diagonal, diagonal, diagonal, diagonal}, far);
  }
}
