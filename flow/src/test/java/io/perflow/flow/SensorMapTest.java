package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
    new SensorMap(mask, 0, height, width, periodicHeight, periodicWidth).writeDistance(found, 0, 1);
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

  @Test
  void rowsAreJoinedByStraightLinesRoundTheTorus() {
    float[] mask = {0, 1, 0, 0, 0, 1, 0, 0};
    float[] values = {0, 2, 0, 0, 0, 6, 0, 0};
    float[] filled = new float[8];
    new SensorMap(mask, 0, 1, 8, false, true).fillRows(values, 0, filled, 0);
    assertRow(new float[] {3, 2, 3, 4, 5, 6, 5, 4}, filled);
    new SensorMap(mask, 0, 1, 8, false, false).fillRows(values, 0, filled, 0);
    assertRow(new float[] {2, 2, 3, 4, 5, 6, 6, 6}, filled);
  }

  @Test
  void rowsWithoutSensorsTakeTheNearest() {
    float[] mask = {0, 1, 0, 0, 0, 0};
    float[] values = {0, 7, 0, 0, 0, 0};
    float[] filled = new float[6];
    new SensorMap(mask, 0, 2, 3, false, false).fillRows(values, 0, filled, 0);
    assertRow(new float[] {7, 7, 7, 7, 7, 7}, filled);
  }

  private static void assertRow(float[] expected, float[] found) {
    for (int i = 0; i < expected.length; i++) {
      assertEquals(expected[i], found[i], 1e-6, "pixel " + i);
    }
  }

  @Test
  void aMaskWithoutSensorsIsRefused() {
    assertThrows(
        IllegalArgumentException.class, () -> new SensorMap(new float[4], 0, 2, 2, false, false));
  }
}
