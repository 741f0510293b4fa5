package io.perflow.interop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jhdf.HdfFile;
import io.perflow.fixtures.Resources;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Npy;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Files of SciPy, netCDF4, h5py and NumPy, written by array_files.py, and files written here. The
 * fields of the script are 100 time + 10 row + column.
 */
class ArrayFilesTest {
  @TempDir Path directory;

  private Path fixture(String name) throws IOException {
    Path file = directory.resolve(name);
    if (!Files.exists(file)) {
      Files.copy(Resources.path("/interop/" + name), file);
    }
    return file;
  }

  private ArrayFiles open(String name) throws IOException {
    return ArrayFiles.open(List.of(fixture(name)));
  }

  private static void fails(Executable call, String... parts) {
    var e = assertThrows(FileFormatException.class, call);
    for (String part : parts) {
      assertTrue(e.getMessage().contains(part), e.getMessage());
    }
    assertEquals(1, e.getMessage().lines().count(), e.getMessage());
  }

  private static void assertField(Tensor x, DataType type) {
    assertEquals(type, x.type());
    assertEquals(Shape.of(3, 4, 5), x.shape());
    double[] numbers = x.contiguous().toDoubles();
    for (int i = 0; i < 60; i++) {
      assertEquals(100 * (i / 20) + 10 * (i / 5 % 4) + i % 5, numbers[i]);
    }
  }

  private static double[] values(DimensionInfo dimension) {
    return dimension.likely().orElseThrow().values();
  }

  private static List<String> candidates(ArrayFiles files, String array, int axis) {
    return files.array(array).orElseThrow().dimensions().get(axis).candidates().stream()
        .map(Coordinates::array)
        .toList();
  }

  private static Map<String, String> reasons(ArrayFiles files) {
    return files.skipped().stream()
        .collect(Collectors.toMap(SkippedArray::name, SkippedArray::reason));
  }

  // ---- one file

  @ParameterizedTest
  @CsvSource({
    "classic.nc,  T,            F32",
    "offset64.nc, T,            F32",
    "data64.nc,   T,            F32",
    "four.nc,     run/fields/T, F32",
    "types.h5,    /run1/fields/T, F32",
    "five.mat,    u,            F32",
    "fortran.npy, fortran,      F32",
    "big.npy,     big,          F32",
    "mixed.npz,   u,            F32"
  })
  void fieldsOfAllTools(String file, String name, DataType type) throws IOException {
    try (ArrayFiles files = open(file)) {
      ArrayInfo info = files.array(name).orElseThrow();
      assertEquals(List.of(3, 4, 5), info.shape());
      assertEquals(type, info.type());
      Tensor all = files.load(name);
      assertField(all, type);
      for (int first = 0; first < 3; first++) {
        for (int count = 1; count <= 3 - first; count++) {
          assertArrayEquals(
              all.slice(0, first, first + count).contiguous().toDoubles(),
              files.load(name, first, count).contiguous().toDoubles());
        }
      }
      assertEquals(0, files.missing(name));
      assertThrows(IllegalArgumentException.class, () -> files.load(name, 2, 2));
      assertThrows(IllegalArgumentException.class, () -> files.load(name, 0, 0));
      fails(() -> files.load("nothing"), file, "no array is named nothing", "[3, 4, 5]");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic.nc", "offset64.nc"})
  void netcdfStatesDimensionsAndUnits(String file) throws IOException {
    try (ArrayFiles files = open(file)) {
      ArrayInfo info = files.array("T").orElseThrow();
      assertEquals(Optional.of("K"), info.unit());
      assertEquals(Optional.of("temperature"), info.longName());
      assertEquals("T [3, 4, 5] F32 in K", info.toString());
      assertEquals(
          List.of("time", "lat", "lon"),
          info.dimensions().stream().map(d -> d.name().orElseThrow()).toList());
      assertEquals(Optional.of("degrees_north"), info.dimensions().get(1).unit());
      assertArrayEquals(new double[] {0, 0.5, 1}, values(info.dimensions().get(0)));
      assertArrayEquals(new double[] {60, 50, 40, 30}, values(info.dimensions().get(1)));
      assertEquals(-10, info.dimensions().get(1).likely().orElseThrow().step().orElseThrow());
      assertEquals(Map.of("label", "texts"), reasons(files));
    }
  }

  @Test
  void packedNumbersAreUnpackedAndMissingOnesCounted() throws IOException {
    try (ArrayFiles files = open("classic.nc")) {
      Tensor packed = files.load("packed");
      assertEquals(DataType.F64, packed.type());
      assertEquals(DataType.F64, files.array("packed").orElseThrow().type());
      double[] numbers = packed.toDoubles();
      for (int i = 0; i < 15; i++) {
        assertEquals(i == 7 ? Double.NaN : 273.15 + 0.1 * i, numbers[i], 1e-12);
      }
      assertEquals(1, files.missing("packed"));
    }
    try (ArrayFiles files = open("four.nc")) {
      Tensor packed = files.load("packed");
      assertEquals(DataType.F32, packed.type());
      assertArrayEquals(
          new float[] {10, 10.5f, 11, 11.5f, Float.NaN, 12.5f, 13, 13.5f, 14, 14.5f},
          packed.toFloats());
      assertEquals(1, files.missing("packed"));
      assertArrayEquals(new float[] {1, 2, Float.NaN, Float.NaN}, files.load("part").toFloats());
      assertEquals(2, files.missing("part"));
    }
    try (ArrayFiles files = open("five.mat")) {
      assertEquals(1, files.missing("nan"));
    }
  }

  @Test
  void theLibraryOfNetcdfWritesUnsignedNumbersAndScalars() throws IOException {
    try (ArrayFiles files = open("data64.nc")) {
      assertEquals(0.01, files.load("nu").item());
      assertEquals(List.of(), files.array("nu").orElseThrow().shape());
      assertThrows(IllegalArgumentException.class, () -> files.load("nu", 0, 1));
      assertEquals(10, files.missing("half"));
      assertArrayEquals(new double[] {0, 2, 4, 6, 8}, files.load("half", 0, 1).toDoubles());
    }
  }

  @Test
  void recordsOfOneOddVariableAreNotPadded() throws IOException {
    try (ArrayFiles files = open("odd.nc")) {
      assertArrayEquals(new float[] {0, 1, 2, 3, 4, 5}, files.load("b").toFloats());
      assertArrayEquals(new float[] {3, 4, 5}, files.load("b", 1, 1).toFloats());
    }
  }

  @Test
  void netcdf4StatesDimensionsByScales() throws IOException {
    try (ArrayFiles files = open("four.nc")) {
      ArrayInfo info = files.array("run/fields/T").orElseThrow();
      assertEquals(
          List.of("time", "lat", "lon"),
          info.dimensions().stream().map(d -> d.name().orElseThrow()).toList());
      assertEquals(Optional.of("K"), info.unit());
      assertEquals(Optional.of("air_temperature"), info.longName());
      assertEquals(Optional.of("s"), info.dimensions().get(0).unit());
      assertArrayEquals(new double[] {60, 50, 40, 30}, values(info.dimensions().get(1)));
      assertEquals(Optional.empty(), info.dimensions().get(2).likely());
      // lon and member are dimensions, not arrays
      assertEquals(
          List.of("lat", "packed", "part", "run/fields/T", "time"),
          files.arrays().stream().map(ArrayInfo::name).sorted().toList());
      assertEquals(
          Optional.of("member"), files.array("packed").orElseThrow().dimensions().get(0).name());
      assertEquals(Map.of("word", "texts or lists of differing length"), reasons(files));
    }
  }

  @Test
  void hdfTypesGroupsAndLinks() throws IOException {
    try (ArrayFiles files = open("types.h5")) {
      Map<String, DataType> types =
          files.arrays().stream().collect(Collectors.toMap(ArrayInfo::name, ArrayInfo::type));
      assertEquals(
          Map.of(
              "run1/fields/T", DataType.F32,
              "run1/x", DataType.F64,
              "half", DataType.F32,
              "big", DataType.F64,
              "i1", DataType.F32,
              "u2", DataType.F32,
              "i4", DataType.F64,
              "u8", DataType.F64,
              "number", DataType.F64,
              "scale_of_rows", DataType.F64),
          types);
      assertArrayEquals(new float[] {-1, 2}, files.load("i1").toFloats());
      assertArrayEquals(new float[] {1, 65535}, files.load("u2").toFloats());
      assertArrayEquals(new double[] {1, 1 << 30}, files.load("i4").toDoubles());
      assertArrayEquals(new double[] {1, 0x1p64 - 2048}, files.load("u8").toDoubles());
      assertEquals(0.25, files.load("number").item());
      double[] first = files.load("run1/fields/T", 0, 1).to(DataType.F64).toDoubles();
      assertArrayEquals(first, files.load("big").toDoubles());
      assertArrayEquals(first, files.load("half").to(DataType.F64).toDoubles());

      ArrayInfo field = files.array("run1/fields/T").orElseThrow();
      assertEquals(Optional.of("time"), field.dimensions().get(0).name());
      assertEquals(List.of("run1/x"), candidates(files, "run1/fields/T", 2));
      DimensionInfo rows = files.array("half").orElseThrow().dimensions().get(0);
      assertEquals(Optional.of("row"), rows.name());
      assertEquals(Optional.of("m"), rows.unit());

      Map<String, String> reasons = reasons(files);
      assertTrue(reasons.get("complex").startsWith("complex numbers"));
      assertTrue(reasons.get("compound").contains("structures of a, b"));
      assertEquals("texts", reasons.get("text"));
      assertTrue(reasons.get("words").contains("texts"));
      assertTrue(reasons.get("flags").contains("booleans"));
      assertTrue(reasons.get("reference").contains("references"));
      assertTrue(reasons.get("empty").contains("no numbers"));
      assertTrue(reasons.get("soft").contains("link"));
      assertTrue(reasons.get("outside").contains("link"));
      assertEquals(9, reasons.size());
    }
  }

  @Test
  void matlabVectorsAreCandidatesToo() throws IOException {
    try (ArrayFiles files = open("five.mat")) {
      assertEquals(List.of("t"), candidates(files, "u", 0));
      assertEquals(List.of(), candidates(files, "u", 1));
      assertEquals(List.of("x"), candidates(files, "u", 2));
      assertArrayEquals(new float[] {1, -2}, files.load("i2").toFloats());
      Map<String, String> reasons = reasons(files);
      assertTrue(reasons.get("z").contains("complex"));
      assertEquals("text", reasons.get("s"));
      assertTrue(reasons.get("st").contains("struct"));
    }
  }

  @Test
  void numpyTypesThatAreNotRead() throws IOException {
    try (ArrayFiles files = open("mixed.npz")) {
      assertEquals(
          List.of("u", "t", "y", "x", "nu"), files.arrays().stream().map(ArrayInfo::name).toList());
      assertEquals(0.01, files.load("nu").item());
      Map<String, String> reasons = reasons(files);
      assertTrue(reasons.get("c").contains("complex"));
      assertTrue(reasons.get("o").contains("|O"));
      assertTrue(reasons.get("w").contains("<U1"));
      assertTrue(reasons.get("r").contains("[('a', '<i4'), ('b', '<f8')]"));
    }
  }

  @Test
  void candidatesAreMonotoneAndUsualNamesComeFirst() throws IOException {
    Path file = directory.resolve("c.npz");
    Tensor rising = Tensor.arange(4);
    try (Npz.Writer npz = Npz.writer(file)) {
      npz.add("u", Tensor.ones(2, 4, 4));
      npz.add("index", rising);
      npz.add("noise", Tensor.of(new float[] {0, 2, 1, 3}, 4));
      npz.add("x", rising);
      npz.add("y-coordinate", rising.neg());
      npz.commit();
    }
    try (ArrayFiles files = ArrayFiles.open(List.of(file))) {
      assertEquals(List.of(), candidates(files, "u", 0));
      assertEquals(List.of("x", "y-coordinate", "index"), candidates(files, "u", 1));
      assertEquals(List.of("y-coordinate", "index", "x"), candidates(files, "u", 2));
      assertEquals(List.of(), candidates(files, "x", 0));
    }
  }

  @Test
  void groupsOfOurOwnMaking() throws IOException {
    Path path = directory.resolve("groups.h5");
    try (var hdf = HdfFile.write(path)) {
      var group = hdf.putGroup("a");
      for (int i = 0; i < 20; i++) {
        group = group.putGroup("deeper");
      }
      group.putDataset("u", new double[][] {{1, 2}, {3, 4}}).putAttribute("units", "m/s");
    }
    try (ArrayFiles files = ArrayFiles.open(List.of(path))) {
      ArrayInfo only = files.arrays().getFirst();
      assertEquals("a/" + "deeper/".repeat(20) + "u", only.name());
      assertEquals(Optional.of("m/s"), only.unit());
      assertArrayEquals(new double[] {3, 4}, files.load(only.name(), 1, 1).toDoubles());
    }
    try (var hdf = HdfFile.write(path)) {
      var group = hdf.putGroup("a");
      for (int i = 0; i < 70; i++) {
        group = group.putGroup("d");
      }
      group.putDataset("u", new double[] {1});
    }
    fails(() -> ArrayFiles.open(List.of(path)), "groups.h5", "more than 64 deep");
  }

  // ---- several files

  private void write(String name, Map<String, Tensor> arrays) throws IOException {
    Files.createDirectories(directory.resolve(name).getParent());
    Npz.write(directory.resolve(name), arrays);
  }

  private static Tensor full(double value, int... shape) {
    return Tensor.ones(shape).mul(value);
  }

  private ArrayFiles openAll(Stacking stacking) throws IOException {
    return ArrayFiles.open(List.of(directory.resolve("runs")), stacking);
  }

  @Test
  void oneSampleAFileInTheNaturalOrderOfNames() throws IOException {
    Tensor x = Tensor.arange(4);
    for (int i : new int[] {10, 9, 1, 2}) {
      write("runs/run" + i + ".npz", Map.of("u", full(i, 4, 3), "nu", Tensor.scalar(i), "x", x));
    }
    Files.writeString(directory.resolve("runs/README.txt"), "what I did");
    try (ArrayFiles files = openAll(Stacking.GUESS)) {
      assertEquals(
          List.of("run1.npz", "run2.npz", "run9.npz", "run10.npz"),
          files.files().stream().map(f -> f.getFileName().toString()).toList());
      ArrayInfo u = files.array("u").orElseThrow();
      assertEquals(List.of(4, 4, 3), u.shape());
      assertEquals(Optional.of(DimensionInfo.SAMPLE), u.dimensions().get(0).name());
      assertEquals("x", u.dimensions().get(1).likely().orElseThrow().array());
      assertArrayEquals(new float[] {1, 2, 9, 10}, files.load("nu").toFloats());
      assertEquals(List.of(4), files.array("x").orElseThrow().shape());
      Tensor two = files.load("u", 1, 2);
      assertEquals(Shape.of(2, 4, 3), two.shape());
      assertEquals(2, two.select(0, 0).select(0, 3).select(0, 2).item());
      assertEquals(9, two.select(0, 1).select(0, 3).select(0, 2).item());
      assertEquals(Map.of("README.txt", ForeignArrays.UNKNOWN), reasons(files));
    }
  }

  @Test
  void batchesOfDifferentLengthAreJoined() throws IOException {
    write("runs/a.npz", Map.of("u", full(1, 2, 3, 3), "id", full(1, 2)));
    write("runs/b.npz", Map.of("u", full(2, 5, 3, 3), "id", full(2, 5)));
    try (ArrayFiles files = openAll(Stacking.GUESS)) {
      assertEquals(List.of(7, 3, 3), files.array("u").orElseThrow().shape());
      assertArrayEquals(new float[] {1, 1, 2, 2, 2, 2, 2}, files.load("id").toFloats());
      assertArrayEquals(new float[] {1, 2, 2}, files.load("id", 1, 3).toFloats());
      assertEquals(0, files.missing("u"));
    }
    fails(() -> openAll(Stacking.ONE_EACH), "b.npz", "[5", "does not go with", "[2", "a.npz");
  }

  @Test
  void whatFilesHoldIsGuessedOrSaid() throws IOException {
    write("runs/a.npz", Map.of("u", full(1, 6, 4, 3)));
    write("runs/b.npz", Map.of("u", full(2, 6, 4, 3)));
    try (ArrayFiles files = openAll(Stacking.GUESS)) { // six are more than two
      assertEquals(List.of(12, 4, 3), files.array("u").orElseThrow().shape());
    }
    try (ArrayFiles files = openAll(Stacking.ONE_EACH)) {
      assertEquals(List.of(2, 6, 4, 3), files.array("u").orElseThrow().shape());
    }
    // times that are the same in all files are axes of a field
    Tensor t = Tensor.arange(6);
    write("runs/a.npz", Map.of("u", full(1, 6, 4, 3), "t", t));
    write("runs/b.npz", Map.of("u", full(2, 6, 4, 3), "t", t));
    try (ArrayFiles files = openAll(Stacking.GUESS)) {
      assertEquals(List.of(2, 6, 4, 3), files.array("u").orElseThrow().shape());
      assertEquals(List.of(6), files.array("t").orElseThrow().shape());
    }
    try (ArrayFiles files = openAll(Stacking.BATCHES)) {
      assertEquals(List.of(12, 4, 3), files.array("u").orElseThrow().shape());
    }
    // times that go on from file to file are samples
    write("runs/b.npz", Map.of("u", full(2, 6, 4, 3), "t", t.add(6)));
    try (ArrayFiles files = openAll(Stacking.GUESS)) {
      assertEquals(List.of(12, 4, 3), files.array("u").orElseThrow().shape());
      assertArrayEquals(Tensor.arange(12).toFloats(), files.load("t").toFloats());
    }
    write("runs/a.npz", Map.of("u", full(1, 1, 4, 3)));
    write("runs/b.npz", Map.of("u", full(2, 1, 4, 3)));
    try (ArrayFiles files = openAll(Stacking.GUESS)) {
      assertEquals(List.of(2, 4, 3), files.array("u").orElseThrow().shape());
    }
  }

  @Test
  void statedCoordinatesGoOnFromFileToFile() throws IOException {
    Files.copy(fixture("classic.nc"), directory.resolve("second.nc"));
    List<Path> both = List.of(directory.resolve("second.nc"), directory.resolve("classic.nc"));
    try (ArrayFiles files = ArrayFiles.open(both)) { // the same times: one sample each
      assertEquals(List.of(2, 3, 4, 5), files.array("T").orElseThrow().shape());
      assertEquals(List.of(4), files.array("lat").orElseThrow().shape());
    }
    try (ArrayFiles files = ArrayFiles.open(both, Stacking.BATCHES)) {
      ArrayInfo field = files.array("T").orElseThrow();
      assertEquals(List.of(6, 4, 5), field.shape());
      assertArrayEquals(new double[] {0, 0.5, 1, 0, 0.5, 1}, values(field.dimensions().get(0)));
      assertEquals(2, files.missing("packed"));
    }
  }

  @Test
  void whatDoesNotGoTogetherIsNamed() throws IOException {
    write("runs/a.npz", Map.of("u", full(1, 4, 3)));
    write("runs/b.npz", Map.of("u", full(2, 4, 5)));
    fails(
        () -> openAll(Stacking.GUESS),
        "b.npz",
        "entry 'u'",
        "shape [4, 5] does not go with shape [4, 3]",
        "a.npz");
    write("runs/b.npz", Map.of("u", full(2, 4, 3), "v", full(2, 4, 3)));
    try (ArrayFiles files = openAll(Stacking.GUESS)) {
      assertEquals(1, files.arrays().size());
      assertTrue(reasons(files).get("v").contains("a.npz"), reasons(files).toString());
    }
    Path empty = Files.createDirectory(directory.resolve("empty"));
    fails(() -> ArrayFiles.open(List.of(empty)), "empty", "HDF5");
    Path text = Files.writeString(directory.resolve("x.csv"), "1,2");
    fails(() -> ArrayFiles.open(List.of(text)), "x.csv", "is none of HDF5");
    assertThrows(
        IOException.class, () -> ArrayFiles.open(List.of(directory.resolve("missing.h5"))));
  }

  @Test
  void npyFilesAreNamedWithoutTheirNumbers() throws IOException {
    Path runs = Files.createDirectory(directory.resolve("runs"));
    for (int i : new int[] {2, 10}) {
      Npy.write(runs.resolve("u_" + i + ".npy"), full(i, 4, 3));
      Npy.write(runs.resolve("p_" + i + ".npy"), full(-i, 2));
    }
    Npy.write(runs.resolve("x1.npy"), Tensor.arange(4));
    try (ArrayFiles files = openAll(Stacking.GUESS)) {
      assertEquals(List.of(2, 4, 3), files.array("u").orElseThrow().shape());
      assertArrayEquals(new float[] {-2, -2, -10, -10}, files.load("p").contiguous().toFloats());
      assertEquals(List.of(4), files.array("x1").orElseThrow().shape());
      assertEquals(3, files.arrays().size());
    }
    Path only = Files.createDirectory(directory.resolve("only"));
    Npy.write(only.resolve("1.npy"), full(1, 2));
    Npy.write(only.resolve("2.npy"), full(2, 2).to(DataType.F64));
    try (ArrayFiles files = ArrayFiles.open(List.of(only))) {
      assertEquals(DataType.F64, files.array("only").orElseThrow().type());
      assertArrayEquals(new double[] {1, 1, 2, 2}, files.load("only").toDoubles());
    }
  }
}
