package io.perflow.cli.figure;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ColorMapTest {
  private static double[] lab(ColorMap map, double value) {
    return OkLab.fromRgb(map.rgb(value));
  }

  private static double distance(double[] p, double[] q) {
    return Math.sqrt(
        Math.pow(p[0] - q[0], 2) + Math.pow(p[1] - q[1], 2) + Math.pow(p[2] - q[2], 2));
  }

  @ParameterizedTest
  @EnumSource(ColorMap.class)
  void equalStepsLookEqual(ColorMap map) {
    // 32 steps: fine enough to see the curve, coarse enough for 8-bit colours
    double[] steps = new double[32];
    double mean = 0;
    for (int i = 0; i < steps.length; i++) {
      steps[i] = distance(lab(map, i / 32.0), lab(map, (i + 1) / 32.0));
      mean += steps[i] / steps.length;
    }
    for (double step : steps) {
      assertEquals(mean, step, 0.2 * mean, map + " is uneven");
    }
  }

  @Test
  void lightnessTellsOrder() {
    for (int i = 0; i < 64; i++) {
      double here = i / 64.0;
      double next = (i + 1) / 64.0;
      assertTrue(lab(ColorMap.SEQUENTIAL, here)[0] < lab(ColorMap.SEQUENTIAL, next)[0]);
      assertTrue(lab(ColorMap.ERROR, here)[0] > lab(ColorMap.ERROR, next)[0]);
    }
  }

  @Test
  void divergingIsWhiteInTheMiddleAndAlikeOnBothSides() {
    double[] middle = lab(ColorMap.DIVERGING, 0.5);
    assertTrue(middle[0] > 0.95 && Math.hypot(middle[1], middle[2]) < 1e-3);
    for (double side : new double[] {0.1, 0.25, 0.5}) {
      double below = lab(ColorMap.DIVERGING, 0.5 - side)[0];
      assertEquals(below, lab(ColorMap.DIVERGING, 0.5 + side)[0], 0.02);
    }
    assertTrue(lab(ColorMap.DIVERGING, 0)[2] < -0.05, "negative is blue");
    assertTrue(lab(ColorMap.DIVERGING, 1)[1] > 0.05, "positive is red");
  }

  @Test
  void numbersBeyondTheEndsHaveTheirColours() {
    assertEquals(ColorMap.SEQUENTIAL.rgb(0), ColorMap.SEQUENTIAL.rgb(-5));
    assertEquals(ColorMap.SEQUENTIAL.rgb(1), ColorMap.SEQUENTIAL.rgb(Double.POSITIVE_INFINITY));
    assertEquals(0xe4e6ea, ColorMap.SEQUENTIAL.rgb(Double.NaN));
  }

  @Test
  void okLabHasItsPublishedNumbers() {
    // white, and sRGB red as Ottosson's definition gives it
    assertArrayEquals(new double[] {1, 0, 0}, OkLab.fromRgb(0xffffff), 1e-4);
    assertArrayEquals(new double[] {0.62796, 0.22486, 0.12585}, OkLab.fromRgb(0xff0000), 1e-4);
    for (int rgb : new int[] {0, 0x123456, 0xfedcba, 0x00ff00}) {
      assertEquals(rgb, OkLab.toRgb(OkLab.fromRgb(rgb)));
    }
  }
}
