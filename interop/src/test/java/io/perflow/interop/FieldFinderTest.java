package io.perflow.interop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jhdf.HdfFile;
import io.perflow.physics.Axis;
import io.perflow.physics.Problem;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Npy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FieldFinderTest extends FinderFiles {
  @Test
  void plainArraysAreSamplesRowsAndColumns() throws IOException {
    Found found = find(PLAIN, npz("T", counted(5, 3, 4), "step", Tensor.scalar(7)));
    Problem problem = found.problem();
    assertEquals("plate", problem.name());
    assertEquals(List.of("T"), problem.channels());
    assertEquals("y from 0.0 to 1.0, 3 points; x from 0.0 to 1.0, 4 points", axes(found));
    assertEquals(Shape.of(5, 1, 3, 4), found.fields().shape());
    assertArrayEquals(counted(5, 3, 4).toFloats(), found.fields().toFloats());
    assertEquals(List.of("T"), found.arrays());
    assertEquals(
        List.of(
            "No coordinates of y and x were found, so they run from 0 to 1; --extent y=FROM..TO"
                + " says otherwise."),
        found.notes());
  }

  @Test
  void coordinatesGiveNamesAndEnds() throws IOException {
    Path file = npz("T", counted(5, 3, 4), "lat", even(10, 20, 3), "x-coordinate", even(-1, 2, 4));
    Found found = find(PLAIN.unit("lat", "deg").unit("T", "K"), file);
    assertEquals(
        "lat [deg] from 10.0 to 20.0, 3 points; x from -1.0 to 2.0, 4 points", axes(found));
    assertEquals("T [K]", found.problem().quantities().getFirst().label());
    assertEquals(List.of(), found.notes());
  }

  @Test
  void axesOfOneLengthAreInTheUsualOrder() throws IOException {
    Tensor x = even(0, 3, 3);
    Tensor y = even(0, 1, 3);
    Found found = find(PLAIN, npz("T", counted(5, 3, 3), "x", x, "y", y));
    assertEquals("y from 0.0 to 1.0, 3 points; x from 0.0 to 3.0, 3 points", axes(found));
    String guess =
        "y and x have 3 points each, so the order of these dimensions is a guess: y comes first."
            + " If it is the other way round, use --dims sample,x,y.";
    noted(found, guess);
    Found told = find(PLAIN.dims("sample", "x", "y"), directory.resolve("plate.npz"));
    assertEquals("x from 0.0 to 3.0, 3 points; y from 0.0 to 1.0, 3 points", axes(told));
    assertEquals(List.of(), told.notes());
    Found usual = find(PLAIN, npz("T", counted(5, 3, 3), "y", y, "x", x));
    assertEquals("y from 0.0 to 1.0, 3 points; x from 0.0 to 3.0, 3 points", axes(usual));
    noted(usual, guess);
    Found timed = find(PLAIN, npz("T", counted(5, 3, 3), "x", x, "t", y));
    assertEquals("t from 0.0 to 1.0, 3 points; x from 0.0 to 3.0, 3 points", axes(timed));
    // as many samples as points
    Found cube = find(PLAIN, npz("T", counted(3, 3, 3), "y", y, "x", x));
    assertEquals("y from 0.0 to 1.0, 3 points; x from 0.0 to 3.0, 3 points", axes(cube));
    noted(cube, guess);
  }

  @Test
  void aTimeAndAPlaceMakeAGrid() throws IOException {
    Found found = find(PLAIN, npz("u", counted(6, 3, 5), "t", even(0, 2, 3), "x", even(0, 1, 5)));
    assertEquals("t from 0.0 to 2.0, 3 points; x from 0.0 to 1.0, 5 points", axes(found));
    assertTrue(found.problem().grid().rows().time());
    Found told = find(PLAIN.time("x"), npz("u", counted(6, 3, 5)));
    assertTrue(told.problem().grid().columns().time());
  }

  @Test
  void fewEntriesWithoutANameAreChannels() throws IOException {
    Path file = npz("fields", counted(5, 2, 3, 4));
    Found found = find(PLAIN, file);
    assertEquals(List.of("fields_0", "fields_1"), found.problem().channels());
    assertEquals(Shape.of(5, 2, 3, 4), found.fields().shape());
    noted(
        found,
        "The 2 entries of dimension 2 of fields [5, 2, 3, 4] are taken as channels; for frames use"
            + " --dims sample,time,y,x.");
    Found framed = find(PLAIN.dims("sample", "time", "y", "x"), file);
    assertEquals(List.of("fields1", "fields2"), framed.problem().channels());
    assertEquals("time from 0.0 to 1.0, 2 points", framed.problem().frames().get().toString());
    Map<String, String> chosen = new LinkedHashMap<>();
    chosen.put("v", "fields:1");
    chosen.put("u", "fields:0");
    Found named = find(PLAIN.channels(chosen), file);
    assertEquals(List.of("v", "u"), named.problem().channels());
    assertArrayEquals(counted(5, 2, 3, 4).gather(1, 1, 0).toFloats(), named.fields().toFloats());
    assertEquals(
        file + ": entry 'fields': has no channel 2; it has 2, counted from 0",
        refused(PLAIN.channels(Map.of("w", "fields:2")), file));
  }

  @Test
  void theShorterEndIsFrames() throws IOException {
    Found first = find(PLAIN, npz("u", counted(4, 5, 6, 7)));
    assertEquals(Shape.of(4, 5, 6, 7), first.fields().shape());
    assertEquals(5, first.problem().frameCount());
    Axis frames = first.problem().frames().get();
    assertEquals("t from 0.0 to 1.0, 5 points", frames.toString());
    assertTrue(frames.time());
    noted(
        first,
        "The 5 entries of dimension 2 of u [4, 5, 6, 7] are taken as frames; --dims says otherwise,"
            + " as in --dims sample,y,x,time.");
    Found last = find(PLAIN, npz("u", counted(4, 7, 6, 5)));
    assertEquals(Shape.of(4, 5, 7, 6), last.fields().shape());
    assertArrayEquals(
        counted(4, 7, 6, 5).permute(0, 3, 1, 2).contiguous().toFloats(), last.fields().toFloats());
  }

  @Test
  void namesOfTheUserDecide() throws IOException {
    Path file = npz("u", counted(3, 4, 5, 2, 6));
    Found found = find(PLAIN.dims("y", "x", "time", "component", "run"), file);
    assertEquals(Shape.of(6, 10, 3, 4), found.fields().shape());
    assertArrayEquals(
        counted(3, 4, 5, 2, 6).permute(4, 3, 2, 0, 1).contiguous().toFloats(),
        found.fields().toFloats());
    assertEquals(
        "u has 5 dimensions, [3, 4, 5, 2, 6], but --dims names 2: y, x",
        refused(PLAIN.dims("y", "x"), file));
    assertEquals(
        file
            + ": entry 'u': its shape [3, 4, 5, 2, 6] leaves 4 dimensions for a grid of two axes"
            + " besides samples, channels and frames; say what they are, as --dims"
            + " sample,time,y,x does",
        refused(PLAIN.dims("run", "a", "b", "d", "e"), file));
  }

  @Test
  void coordinatesTellWhichDimensionCountsSamples() throws IOException {
    Path file = npz("u", counted(3, 4, 20), "x", even(0, 1, 3), "y", even(0, 1, 4));
    Found found = find(PLAIN, file);
    assertEquals(Shape.of(20, 1, 3, 4), found.fields().shape());
    assertEquals("x from 0.0 to 1.0, 3 points; y from 0.0 to 1.0, 4 points", axes(found));
    noted(
        found,
        "u has coordinates for all dimensions but number 3 of [3, 4, 20], which is taken to count"
            + " the samples; --dims says otherwise.");
  }

  @Test
  void dimensionsOfOneEntrySayNothing() throws IOException {
    assertEquals(
        Shape.of(5, 1, 3, 4), find(PLAIN, npz("u", counted(5, 1, 3, 4, 1))).fields().shape());
  }

  @Test
  void unusualCoordinatesAreMentioned() throws IOException {
    Path file = npz("u", counted(5, 3, 4), "azimuth", even(0, 3, 4));
    noted(
        find(PLAIN, file),
        "Array azimuth may hold the coordinates of x. If so, put its name in place of x in"
            + " --dims.");
    assertEquals(
        "y from 0.0 to 1.0, 3 points; azimuth from 0.0 to 3.0, 4 points",
        axes(find(PLAIN.dims("sample", "y", "azimuth"), file)));
  }

  // ---- which arrays

  @Test
  void arraysOfTheLargestShapeAreQuantities() throws IOException {
    Path file =
        npz("mask", counted(1, 3, 4), "u", counted(5, 3, 4), "p(x)", counted(5, 3, 4).neg());
    Found found = find(PLAIN, file);
    assertEquals(List.of("u", "p_x"), found.problem().channels());
    assertEquals(Shape.of(5, 2, 3, 4), found.fields().shape());
    noted(
        found,
        "The fields are u [5, 3, 4], p(x) [5, 3, 4], the arrays of one shape that hold the most"
            + " numbers. Not used: mask [1, 3, 4]; --channel NAME=ARRAY chooses other arrays.");
    Found one = find(PLAIN.channels(Map.of("p", "p(x)")), file);
    assertEquals(List.of("p"), one.problem().channels());
    assertArrayEquals(counted(5, 3, 4).neg().toFloats(), one.fields().toFloats());
    assertEquals(
        file
            + ": has no array 'w' for --channel w; it has mask [1, 3, 4], u [5, 3, 4], p(x) [5, 3,"
            + " 4]",
        refused(PLAIN.channels(Map.of("w", "w")), file));
    Map<String, String> uneven = new LinkedHashMap<>();
    uneven.put("u", "u");
    uneven.put("m", "mask");
    assertEquals(
        file
            + ": entry 'mask': has dimensions [1, 3, 4], but u has [5, 3, 4]; all quantities of a"
            + " problem have the same",
        refused(PLAIN.channels(uneven), file));
  }

  @Test
  void namesNeverClash() throws IOException {
    assertEquals(
        "row from 0.0 to 1.0, 3 points; x from 0.0 to 1.0, 4 points",
        axes(find(PLAIN, npz("y", counted(5, 3, 4)))));
    Path path = directory.resolve("groups.h5");
    try (var hdf = HdfFile.write(path)) {
      hdf.putGroup("run1").putDataset("2T", new double[3][2][2]);
      hdf.putGroup("run2").putDataset("2T", new double[3][2][2]);
    }
    assertEquals(Set.of("run1_2T", "run2_2T"), Set.copyOf(find(PLAIN, path).problem().channels()));
  }

  @Test
  void noFieldsAtAll() throws IOException {
    Path file = npz("a", counted(3, 4), "b", counted(7));
    assertEquals(
        file
            + ": has no array of fields, which have at least three dimensions: samples, rows,"
            + " columns; it has a [3, 4], b [7]",
        refused(PLAIN, file));
  }

  // ---- other formats

  @Test
  void netcdfSaysItAll() throws IOException {
    Found found = find(PLAIN, fixture("classic.nc"));
    assertEquals("classic", found.problem().name());
    assertEquals("T [K]", found.problem().quantities().getFirst().label());
    assertEquals(
        "lat [degrees_north] from 30.0 to 60.0, 4 points;"
            + " lon [degrees_east] from 0.0 to 8.0, 5 points",
        axes(found));
    assertEquals(30, found.fields().get(0, 0, 0, 0)); // the last row of the file is the first
    assertEquals(200, found.fields().get(2, 0, 3, 0));
    noted(
        found,
        "The coordinates of lat fall in the file. The fields were turned over, so that they rise.");
    noted(
        found,
        "No dimension of T is named after samples, so each of the 3 values of time is a sample;"
            + " --dims says otherwise.");
    assertTrue(found.notes().stream().anyMatch(note -> note.contains("neighbouring times")));
  }

  @Test
  void severalNetcdfFilesAreSamplesWithFrames() throws IOException {
    Path one = fixture("classic.nc");
    Path two = Files.copy(one, directory.resolve("other.nc"));
    Found found = find(PLAIN, one, two);
    assertEquals(Shape.of(2, 3, 4, 5), found.fields().shape());
    assertEquals(
        "time [days since 2000-01-01] from 0.0 to 1.0, 3 points",
        found.problem().frames().get().toString());
    assertEquals(Legal.name(directory.getFileName().toString()), found.problem().name());
  }

  @Test
  void hdfGroupsAndMatlab() throws IOException {
    Found hdf = find(PLAIN, fixture("types.h5"));
    assertEquals(List.of("run1/fields/T"), hdf.arrays());
    assertEquals("T [K]", hdf.problem().quantities().getFirst().label());
    assertEquals("y from 0.0 to 1.0, 4 points; x from 0.0 to 8.0, 5 points", axes(hdf));
    Found matlab = find(PLAIN, fixture("five.mat"));
    assertEquals("y from 0.0 to 1.0, 4 points; x from 0.0 to 8.0, 5 points", axes(matlab));
    assertEquals(Shape.of(3, 1, 4, 5), matlab.fields().shape());
  }

  @Test
  void aDirectoryOfNpyFiles() throws IOException {
    Path runs = Files.createDirectory(directory.resolve("runs"));
    for (int i = 1; i <= 11; i++) {
      Npy.write(runs.resolve("u_" + i + ".npy"), Tensor.ones(3, 4).mul(i));
    }
    Found found = find(PLAIN, runs);
    assertEquals("runs", found.problem().name());
    assertEquals(List.of("u"), found.problem().channels());
    assertEquals(Shape.of(11, 1, 3, 4), found.fields().shape());
    assertEquals(11, found.fields().get(10, 0, 0, 0)); // 2 before 10
  }

  // ---- numbers

  @Test
  void arraysThatAreLeftOutAreNamed() throws IOException {
    Path file = npz("u", counted(5, 3, 8), "none", Tensor.zeros(0, 2));
    List<String> notes = find(PLAIN, file).notes();
    assertTrue(
        notes.contains("none is left out: shape [0, 2] holds no numbers."), notes.toString());
  }

  @Test
  void numbersThatMayMarkMissingOnesAreNoted() throws IOException {
    double[] numbers = counted(5, 3, 8).toDoubles();
    numbers[17] = -9999;
    Path once = npz("u", Tensor.of(numbers, 5, 3, 8));
    assertTrue(find(PLAIN, once).notes().stream().noneMatch(note -> note.contains("-9999")));
    numbers[5] = -9999;
    Path twice = npz("u", Tensor.of(numbers, 5, 3, 8));
    List<String> notes = find(PLAIN, twice).notes();
    assertTrue(
        notes.contains(
            "u is -9999 at 2 points and from 0 to 119 at all others; if this number marks missing"
                + " values, write NaN in its place."),
        notes.toString());
    numbers[5] = 1e20;
    numbers[17] = 1e20;
    List<String> large = find(PLAIN, npz("u", Tensor.of(numbers, 5, 3, 8))).notes();
    assertTrue(large.stream().anyMatch(note -> note.startsWith("u is 1")), large.toString());
  }

  @Test
  void missingNumbersAreRefusedOrDropped() throws IOException {
    float[] numbers = counted(5, 3, 4).toFloats();
    numbers[13] = Float.NaN;
    numbers[50] = Float.NaN;
    Path file = npz("T", Tensor.of(numbers, 5, 3, 4));
    assertEquals(
        file
            + ": entry 'T': 2 of 5 samples have missing numbers; leave these samples out with"
            + " --drop-missing, or repair the data",
        refused(PLAIN, file));
    Found found = find(PLAIN.dropMissing(true), file);
    assertEquals(3, found.fields().dim(0));
    assertEquals(24, found.fields().get(1, 0, 0, 0));
    noted(found, "2 of 5 samples have missing numbers and were left out, as --drop-missing says.");
    Arrays.fill(numbers, Float.NaN);
    Path none = npz("T", Tensor.of(numbers, 5, 3, 4));
    assertEquals(
        none
            + ": entry 'T': all 5 samples have missing numbers; fill them, for instance by"
            + " interpolation, before init",
        refused(PLAIN.dropMissing(true), none));
  }

  @Test
  void infiniteNumbersAreRefused() throws IOException {
    double[] numbers = new double[60];
    numbers[59] = 1e300;
    Path file = npz("p", Tensor.ones(5, 3, 4).to(DataType.F64), "T", Tensor.of(numbers, 5, 3, 4));
    assertEquals(
        file
            + ": entry 'T': 1 of 5 samples has infinite numbers, or numbers too large for F32;"
            + " repair the data",
        refused(PLAIN, file));
    Found exact = find(PLAIN.type(DataType.F64), file);
    assertEquals(DataType.F64, exact.fields().type());
    noted(
        exact,
        "p is 1 in all fields, so there is nothing to learn about it; --channel NAME=ARRAY chooses"
            + " other quantities.");
  }

  @Test
  void someSamplesAreTheFirst() throws IOException {
    Found found = find(PLAIN.samples(2), npz("T", counted(5, 3, 4)));
    assertArrayEquals(counted(2, 3, 4).toFloats(), found.fields().toFloats());
    assertEquals(
        2,
        find(PLAIN.samples(2).dims("y", "x", "run"), npz("T", counted(5, 3, 4))).fields().dim(0));
    assertThrows(IllegalArgumentException.class, () -> PLAIN.samples(0));
    assertThrows(IllegalArgumentException.class, () -> PLAIN.stride(0));
    assertThrows(IllegalArgumentException.class, () -> PLAIN.extent("x", 1, 1));
  }
}
