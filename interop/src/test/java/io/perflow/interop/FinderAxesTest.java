package io.perflow.interop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class FinderAxesTest extends FinderFiles {
  @Test
  void periodsEndAStepAfterTheLastPoint() throws IOException {
    Path file = npz("u", counted(5, 3, 4), "x", even(0, 0.75, 4));
    Found found = find(PLAIN.periodic(List.of("x", "y")), file);
    assertEquals(
        "y from 0.0 to 1.0, 3 points, periodic; x from 0.0 to 1.0, 4 points, periodic",
        axes(found));
    assertEquals(
        "x from 0.0 to 2.0, 4 points, periodic",
        find(PLAIN.periodic(List.of("x")).extent("x", 0, 2), file)
            .problem()
            .grid()
            .columns()
            .toString());
    assertEquals(
        "--periodic: there is no axis of the grid 'z'; there are y and x",
        refused(PLAIN.periodic(List.of("z")), file));
  }

  @Test
  void repeatedPointsOfAPeriodAreDropped() throws IOException {
    Tensor waves = waves(9);
    Path file = npz("u", Tensor.concat(2, waves, waves.slice(2, 0, 1)), "x", even(0, 1, 17));
    Found found = find(PLAIN.periodic(List.of("x")), file);
    assertEquals(Shape.of(9, 1, 16, 16), found.fields().shape());
    assertEquals(
        "x from 0.0 to 1.0, 16 points, periodic", found.problem().grid().columns().toString());
    noted(
        found,
        "The last points of the periodic axis x repeat the first in all fields and were dropped,"
            + " which leaves 16.");
  }

  /** Smooth periodic fields [count, 16, 16] with random phases. */
  @Test
  void cellsAreTakenWhereTheFirstPointIsHalfAStepIn() throws IOException {
    Path file = npz("u", counted(5, 3, 4), "x", even(0.25, 1.75, 4).to(DataType.F32));
    Found found = find(PLAIN, file);
    assertEquals("x from 0.0 to 2.0, 4 cells", found.problem().grid().columns().toString());
    noted(
        found,
        "The points of x are taken as the centres of cells, since the first is half a step from 0;"
            + " for points on nodes use --extent x=0.25..1.75.");
    assertEquals(
        "x from 0.25 to 1.75, 4 points",
        find(PLAIN.extent("x", 0.25, 1.75), file).problem().grid().columns().toString());
    Path shifted = npz("u", counted(5, 3, 4), "x", even(1.25, 2.75, 4));
    assertEquals(
        "x from 1.0 to 3.0, 4 cells",
        find(PLAIN.cells(List.of("x")), shifted).problem().grid().columns().toString());
  }

  @Test
  void singlePrecisionIsShownWithItsDigits() throws IOException {
    Path file = npz("u", counted(5, 3, 11), "x", even(0.1, 0.6, 11).to(DataType.F32));
    assertEquals(
        "x from 0.1 to 0.6, 11 points", find(PLAIN, file).problem().grid().columns().toString());
  }

  @Test
  void unequalStepsAreRefused() throws IOException {
    Tensor x = Tensor.of(new double[] {0, 1, 3, 4}, 4);
    Path file = npz("u", counted(5, 3, 4), "x", x);
    assertEquals(
        file
            + ": entry 'x': these coordinates of x are not equally spaced: their steps go from"
            + " 1.000 to 2.000; interpolate the fields to equal steps, or treat the points as"
            + " equally spaced with --extent x=0..4",
        refused(PLAIN, file));
    assertEquals(
        "x from 0.0 to 4.0, 4 points",
        find(PLAIN.extent("x", 0, 4), file).problem().grid().columns().toString());
  }

  @Test
  void aStrideLeavesMoreThanOnePoint() throws IOException {
    Path file = npz("u", counted(5, 3, 8));
    assertEquals(
        "--stride 8 leaves one of 3 x 8 points; take a smaller one",
        refused(PLAIN.stride(8), file));
  }

  @Test
  void strides() throws IOException {
    Path file = npz("u", counted(5, 3, 8), "x", even(0, 7, 8));
    Found found = find(PLAIN.stride(3), file);
    assertEquals("y from 0.0 to 0.0, 1 points; x from 0.0 to 6.0, 3 points", axes(found));
    assertArrayEquals(new float[] {0, 3, 6}, found.fields().slice(0, 0, 1).toFloats());
    assertEquals(
        "--stride 3 does not divide the 8 points of the periodic axis x",
        refused(PLAIN.stride(3).periodic(List.of("x")), file));
    assertEquals(
        "--stride 2: the points that are kept are no longer the centres of cells of x; leave x out"
            + " of --cells",
        refused(PLAIN.stride(2).cells(List.of("x")), file));
  }

  @Test
  void namesThatAreNotThereAreRefused() throws IOException {
    Path file = npz("T", counted(5, 3, 4));
    assertEquals(
        "--unit: there is no axis or quantity 'Q'; there are y, x and T",
        refused(PLAIN.unit("Q", "K"), file));
    assertEquals(
        "--extent: there is no axis 'z'; there are y and x",
        refused(PLAIN.extent("z", 0, 1), file));
    assertEquals(
        "--cells: there is no axis 'z'; there are y and x",
        refused(PLAIN.cells(List.of("z")), file));
    assertEquals("--time: there is no axis 'z'; there are y and x", refused(PLAIN.time("z"), file));
    assertEquals(
        "--time t: this dimension of T counts the samples, since no other one is named after"
            + " samples; name that one with --dims, as in --dims time,sample,x",
        refused(PLAIN.time("t"), npz("T", counted(5, 3, 4), "t", even(0, 1, 5))));
  }
}
