package io.perflow.physics;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Sensors.Sharing;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MaskSamplerTest {
  private static Problem.Builder grid(int height, int width) {
    return Problem.named("grid")
        .axis("y", 0, height - 1, height)
        .axis("x", 0, width - 1, width)
        .channel("a")
        .channel("b");
  }

  private static Problem problem(Sensors law) {
    return grid(4, 6).sensors(law).build();
  }

  private static double[] sumsOfPlanes(Tensor planes) {
    return planes.sum(2, 3).toDoubles();
  }

  private static void fails(String message, Executable call) {
    assertEquals(message, assertThrows(ShapeException.class, call).getMessage());
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void everyPlaneHasExactlyKOnes(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 9) int height,
      @ForAll @IntRange(min = 1, max = 9) int width,
      @ForAll @IntRange(min = 1, max = 81) int wanted) {
    int k = Math.min(wanted, height * width);
    Problem problem =
        grid(height, width)
            .frames(Axis.time("t", 0, 1, 3))
            .sensors(Sensors.points(k).sharing(Sharing.PER_FRAME))
            .build();
    Tensor drawn = problem.masks().draw(Rng.of(seed), 2);
    assertEquals(Shape.of(2, 3, height, width), drawn.shape());
    for (double sum : sumsOfPlanes(drawn)) {
      assertEquals(k, sum);
    }
    for (float value : drawn.toFloats()) {
      assertTrue(value == 0 || value == 1);
    }
  }

  @Test
  void everyCellIsAsLikely() {
    Problem problem = grid(5, 5).sensors(Sensors.points(5).sharing(Sharing.SHARED)).build();
    int draws = 4000;
    double[] hits = problem.masks().draw(Rng.of(3), draws).sum(0, 1).toDoubles();
    // 4000 draws of probability 1/5: mean 800, standard deviation 25
    for (double hit : hits) {
      assertEquals(800, hit, 5 * 25.3);
    }
  }

  @Test
  void aRangeIsDrawnForEachSampleAndSharedByItsPlanes() {
    Tensor drawn = problem(Sensors.points(3, 7)).masks().draw(Rng.of(1), 200);
    double[] sums = sumsOfPlanes(drawn);
    boolean[] seen = new boolean[8];
    for (int b = 0; b < 200; b++) {
      assertEquals(sums[2 * b], sums[2 * b + 1]);
      seen[(int) sums[2 * b]] = true;
    }
    assertArrayEquals(
        new boolean[] {false, false, false, true, true, true, true, true}, seen, "3 to 7");
  }

  @Test
  void planesAndDrawsDiffer() {
    Rng rng = Rng.of(5);
    MaskSampler masks = grid(16, 16).sensors(Sensors.points(30)).build().masks();
    Tensor first = masks.draw(rng, 1);
    assertFalse(Arrays.equals(first.select(1, 0).toFloats(), first.select(1, 1).toFloats()));
    assertFalse(Arrays.equals(first.toFloats(), masks.draw(rng, 1).toFloats()));
    assertArrayEquals(first.toFloats(), masks.draw(Rng.of(5), 1).toFloats());
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "y"})
  void linesAreWhole(String axis) {
    Tensor drawn = problem(Sensors.lines(axis, 3)).masks().draw(Rng.of(2), 5);
    int along = axis.equals("x") ? 2 : 3; // rows of a column, columns of a row
    int length = axis.equals("x") ? 4 : 6;
    int chosen = 0;
    for (double sum : drawn.sum(along).toDoubles()) {
      assertTrue(sum == 0 || sum == length, "a line is seen whole or not at all");
      chosen += sum > 0 ? 1 : 0;
    }
    assertEquals(3 * 2 * 5, chosen);
  }

  @Test
  void fixedSensorsAreAtTheNearestPointsOfEveryPlane() {
    Sensors law = Sensors.at(List.of(List.of(0.4, 2.6), List.of(3.0, 5.0)));
    Tensor drawn = problem(law).masks().draw(Rng.of(1), 3);
    float[] expected = new float[24];
    expected[3] = 1;
    expected[3 * 6 + 5] = 1;
    for (int b = 0; b < 3; b++) {
      for (int plane = 0; plane < 2; plane++) {
        assertArrayEquals(expected, drawn.select(0, b).select(0, plane).toFloats());
      }
    }
  }

  @Test
  void aFixedSensorBeyondTheLastPointOfACircleIsAtTheFirst() {
    Problem circle =
        Problem.named("circle")
            .axis(Axis.periodic("t", 0, 1, 4))
            .axis(Axis.periodic("x", 0, 1, 4).cells())
            .channel("u")
            .sensors(Sensors.at(List.of(List.of(0.9, 0.99))))
            .build();
    float[] expected = new float[16];
    expected[3] = 1; // row 0; the centre of the last cell is nearer than that of the first
    assertArrayEquals(expected, circle.masks().draw(Rng.of(1), 1).toFloats());
  }

  @Test
  void fixedSensorsDrawNothingFromTheStream() {
    Rng rng = Rng.of(4);
    problem(Sensors.at(List.of(List.of(1.0, 1.0)))).masks().draw(rng, 2);
    assertEquals(Rng.of(4).state(), rng.state());
  }

  @Test
  void moreSensorsThanPlacesAreRefused() {
    fails(
        "[sensors] 25 sensors, but there are only 24 points of the 4 x 6 grid",
        () -> problem(Sensors.points(1, 25)));
    fails(
        "[sensors] 7 sensors, but there are only 6 points along axis x",
        () -> problem(Sensors.lines("x", 7)));
    fails(
        "[sensors] 5 sensors, but there are only 4 points along axis y",
        () -> problem(Sensors.lines("y", 5)));
    fails(
        "[axis x] x = 5.5 lies outside [0.0, 5.0]",
        () -> problem(Sensors.at(List.of(List.of(1.0, 5.5)))));
    fails(
        "[axis y] y = NaN lies outside [0.0, 3.0]",
        () -> problem(Sensors.at(List.of(List.of(Double.NaN, 5.0)))));
  }
}
