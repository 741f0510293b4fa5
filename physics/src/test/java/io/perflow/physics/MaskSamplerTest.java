package io.perflow.physics;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.MaskSampler.Line;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class MaskSamplerTest {
  private static final MaskPlanes GRID = MaskPlanes.independent(2, 4, 6);

  private static double[] sumsOfPlanes(Tensor planes) {
    return planes.sum(2, 3).toDoubles();
  }

  private static void fails(String part, org.junit.jupiter.api.function.Executable call) {
    var e = assertThrows(Exception.class, call);
    assertTrue(e instanceof ShapeException || e instanceof FileFormatException, e.toString());
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void everyPlaneHasExactlyKOnes(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 9) int height,
      @ForAll @IntRange(min = 1, max = 9) int width,
      @ForAll @IntRange(min = 1, max = 81) int wanted) {
    int k = Math.min(wanted, height * width);
    MaskPlanes planes = MaskPlanes.perFrame(3, 2, height, width);
    Tensor drawn = MaskSampler.points(planes, k).draw(Rng.of(seed), 2);
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
    MaskSampler masks = MaskSampler.points(MaskPlanes.shared(1, 5, 5), 5);
    int draws = 4000;
    double[] hits = masks.draw(Rng.of(3), draws).sum(0, 1).toDoubles();
    // 4000 draws of probability 1/5: mean 800, standard deviation 25
    for (double hit : hits) {
      assertEquals(800, hit, 5 * 25.3);
    }
  }

  @Test
  void aRangeIsDrawnForEachSampleAndSharedByItsPlanes() {
    Tensor drawn = MaskSampler.points(GRID, 3, 7).draw(Rng.of(1), 200);
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
    MaskSampler masks = MaskSampler.points(MaskPlanes.independent(2, 16, 16), 30);
    Tensor first = masks.draw(rng, 1);
    assertFalse(Arrays.equals(first.select(1, 0).toFloats(), first.select(1, 1).toFloats()));
    assertFalse(Arrays.equals(first.toFloats(), masks.draw(rng, 1).toFloats()));
    assertArrayEquals(first.toFloats(), masks.draw(Rng.of(5), 1).toFloats());
  }

  @ParameterizedTest
  @EnumSource(Line.class)
  void linesAreWhole(Line line) {
    Tensor drawn = MaskSampler.lines(GRID, line, 3).draw(Rng.of(2), 5);
    int along = line == Line.SPACE ? 2 : 3; // rows of a column, columns of a row
    int length = line == Line.SPACE ? 4 : 6;
    int chosen = 0;
    for (double sum : drawn.sum(along).toDoubles()) {
      assertTrue(sum == 0 || sum == length, "a line is seen whole or not at all");
      chosen += sum > 0 ? 1 : 0;
    }
    assertEquals(3 * 2 * 5, chosen);
  }

  @Test
  void channelCIsSeenThroughPlaneCModG() {
    MaskPlanes planes = MaskPlanes.perFrame(3, 2, 4, 6);
    Tensor drawn = MaskSampler.points(planes, 5).draw(Rng.of(1), 2);
    Tensor all = planes.expand(drawn);
    assertEquals(Shape.of(2, 6, 4, 6), all.shape());
    for (int c = 0; c < 6; c++) {
      assertArrayEquals(drawn.select(1, c % 3).toFloats(), all.select(1, c).toFloats());
    }
    fails("expected [2, 3, 4, 6]", () -> planes.expand(drawn.slice(3, 0, 5)));
  }

  @ParameterizedTest
  @CsvSource({
    "burgers, 1, 640",
    "poisson, 2, 500",
    "darcy,   2, 500",
    "ns,     10, 200",
  })
  void thePapersMasks(String name, int planes, int ones) {
    MaskSampler masks = Benchmark.of(name).masks();
    assertEquals(planes, masks.planes());
    for (double sum : sumsOfPlanes(masks.draw(Rng.of(1), 2))) {
      assertEquals(ones, sum);
    }
  }

  @Test
  void moreSensorsThanCellsAreRefused() {
    fails("25 sensors, but there are only 24 cells", () -> MaskSampler.points(GRID, 1, 25));
    fails("7 sensors, but there are only 6 columns", () -> MaskSampler.lines(GRID, Line.SPACE, 7));
    fails("5 sensors, but there are only 4 rows", () -> MaskSampler.lines(GRID, Line.TIME, 5));
    fails("from 0 to 0", () -> MaskSampler.points(GRID, 0));
    fails("from 5 to 4", () -> MaskSampler.points(GRID, 5, 4));
    fails("500 sensors", () -> Benchmark.DARCY.masks(16, 16, 500, 500));
    fails("3 planes for 4 channels", () -> new MaskPlanes(4, 3, 8, 8));
  }

  @Test
  void sensorsOfAFile(@TempDir Path directory) throws IOException {
    Path csv = directory.resolve("sensors.csv");
    Files.writeString(csv, "plane,row,column\n# a comment\n\n0, 1, 2\n1,3,5\n");
    Tensor drawn = MaskSampler.sensors(GRID, csv).draw(Rng.of(1), 3);
    assertArrayEquals(new double[] {1, 1, 1, 1, 1, 1}, sumsOfPlanes(drawn));
    float[] one = drawn.select(0, 2).toFloats();
    assertEquals(1, one[1 * 6 + 2]);
    assertEquals(1, one[24 + 3 * 6 + 5]);

    Files.writeString(csv, "1,2\n3,5\n");
    assertArrayEquals(
        new double[] {2, 2}, sumsOfPlanes(MaskSampler.sensors(GRID, csv).draw(Rng.of(1), 1)));

    Path npz = directory.resolve("sensors.npz");
    Npz.write(npz, Map.of("sensors", Tensor.of(new float[] {0, 1, 2, 1, 3, 5}, 2, 3)));
    assertArrayEquals(one, MaskSampler.sensors(GRID, npz).draw(Rng.of(1), 1).toFloats());
    Npz.write(npz, Map.of("mask", drawn.select(0, 0)));
    assertArrayEquals(one, MaskSampler.sensors(GRID, npz).draw(Rng.of(1), 1).toFloats());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "4,0      | line 1: row 4 is not one of 0 to 3",
        "0,-1     | line 1: column -1",
        "0,1.5    | line 1: column 1.5",
        "2,0,0    | line 1: plane 2 is not one of 0 to 1",
        "0        | 1 numbers, expected row,column",
        "0,0,0,0  | 4 numbers",
        "0,x      | 'x' is not a number",
        "row,col  | no sensor",
        "0,NaN    | column NaN",
        "0,1e300  | column 1.0E300",
      })
  void aWrongSensorIsNamed(String line, String message, @TempDir Path directory)
      throws IOException {
    Path csv = directory.resolve("sensors.csv");
    Files.writeString(csv, line.strip() + "\n");
    fails(message, () -> MaskSampler.sensors(GRID, csv));
  }

  @Test
  void aMaskOfAnotherShapeOrKindIsRefused() {
    fails("[6, 4], expected [4, 6] or [2, 4, 6]", () -> MaskSampler.fixed(GRID, Tensor.ones(6, 4)));
    fails("holds 0.5", () -> MaskSampler.fixed(GRID, Tensor.ones(4, 6).mul(0.5)));
    fails("no sensor", () -> MaskSampler.fixed(GRID, Tensor.zeros(4, 6)));
  }
}
