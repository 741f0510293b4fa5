package io.perflow.physics;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Npz;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatasetTest {
  @TempDir Path directory;

  private static Tensor fields(DataType type) {
    return Rng.of(1).normal(Device.cpu(), Shape.of(5, 2, 4, 6), type);
  }

  private static Dataset dataset(DataType type) {
    return Dataset.of(
        Benchmark.DARCY, fields(type), Scaling.UNIT, Map.of("split", "train", "seed", 3L));
  }

  private static void fails(Class<? extends Exception> kind, String part, Executable call) {
    var e = assertThrows(kind, call);
    assertTrue(e.getMessage().contains(part), e.getMessage());
    assertEquals(1, e.getMessage().lines().count(), e.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"x.safetensors, F32", "x.safetensors, F64", "x.npz, F32", "x.NPZ, F64"})
  void whatIsWrittenIsRead(String name, DataType type) throws IOException {
    Path file = directory.resolve(name);
    Dataset data = dataset(type);
    data.write(file);
    Dataset read = Dataset.read(file);
    assertEquals(Benchmark.DARCY, read.benchmark());
    assertEquals(data.normalization(), read.normalization());
    assertEquals(data.origin(), read.origin());
    assertEquals(type, read.fields().type());
    assertArrayEquals(data.fields().toDoubles(), read.fields().toDoubles());
    assertEquals(5, read.size());
    assertEquals(4, read.height());
    assertEquals(6, read.width());
  }

  @Test
  void batchesAreChosenSamplesInF32() {
    Dataset data = dataset(DataType.F64);
    Tensor batch = data.batch(3, 0, 3);
    assertEquals(Shape.of(3, 2, 4, 6), batch.shape());
    assertEquals(DataType.F32, batch.type());
    assertArrayEquals(data.fields().select(0, 3).toFloats(), batch.select(0, 0).toFloats());
    assertArrayEquals(data.fields().select(0, 0).toFloats(), batch.select(0, 1).toFloats());
    assertArrayEquals(data.fields().select(0, 3).toFloats(), batch.select(0, 2).toFloats());
    fails(ShapeException.class, "index 5", () -> data.batch(5));
  }

  @Test
  void theFirstSamplesKeepTheirUnits() {
    Dataset data = dataset(DataType.F32);
    Dataset two = data.first(2);
    assertEquals(2, two.size());
    assertEquals(data.normalization(), two.normalization());
    assertArrayEquals(data.fields().slice(0, 0, 2).toFloats(), two.fields().toFloats());
    fails(ShapeException.class, "the first 6 of 5", () -> data.first(6));
  }

  @Test
  void numbersThatAreNotFiniteAreNamed() {
    double[] numbers = fields(DataType.F64).toDoubles();
    numbers[3 * 48 + 24 + 2 * 6 + 5] = Double.POSITIVE_INFINITY;
    Tensor bad = Tensor.of(numbers, 5, 2, 4, 6);
    fails(
        ShapeException.class,
        "sample 3, channel p, row 2, column 5 is Infinity",
        () -> Dataset.of(Benchmark.DARCY, bad, Scaling.UNIT, Map.of()));
  }

  @Test
  void fieldsOfAnotherBenchmarkAreRefused() {
    Tensor x = fields(DataType.F32);
    fails(
        ShapeException.class,
        "channels of burgers: shape [5, 2, 4, 6] has 2, expected 1",
        () -> Dataset.of(Benchmark.BURGERS, x, Scaling.UNIT, Map.of()));
    fails(
        ShapeException.class,
        "4 axes",
        () -> Dataset.of(Benchmark.DARCY, x.select(0, 0), Scaling.UNIT, Map.of()));
    fails(
        ShapeException.class,
        "hold no number",
        () -> Dataset.of(Benchmark.DARCY, x.slice(0, 0, 0), Scaling.UNIT, Map.of()));
    fails(
        ShapeException.class,
        "for 3 channels",
        () -> Dataset.of(Benchmark.DARCY, x, Normalization.identity(3), Map.of()));
  }

  private static final String UNITS = "\"normalization\":{\"mean\":[0,0],\"scale\":[1,1]}";
  private static final String GOOD =
      "{\"format\":\"perflow-dataset-1\",\"benchmark\":\"darcy\"," + UNITS + ",\"origin\":{}}";

  private Path file(String notes, Tensor fields) throws IOException {
    Path file = directory.resolve("hostile.safetensors");
    SafeTensors.write(file, Map.of("fields", fields), Map.of("perflow", notes));
    return file;
  }

  @Test
  void theSmallestGoodFileIsRead() throws IOException {
    assertEquals(5, Dataset.read(file(GOOD, fields(DataType.F32))).size());
  }

  @Test
  void hostileNotesAreOneLine() throws IOException {
    Tensor x = fields(DataType.F32);
    String[][] cases = {
      {GOOD.replace("darcy", "heat"), "unknown benchmark 'heat'; known: burgers, poisson"},
      {GOOD.replace("darcy", "ns"), "channels of ns"},
      {GOOD.replace("dataset-1", "dataset-9"), "has format 'perflow-dataset-9'"},
      {GOOD.replace("[1,1]", "[1,0]"), "scales positive"},
      {GOOD.replace("[1,1]", "[1]"), "2 means and 1 scales"},
      {GOOD.replace("[1,1]", "[1,\"a\"]"), "must be a number"},
      {GOOD.replace("[0,0]", "[0,0,0]").replace("[1,1]", "[1,1,1]"), "for 3 channels"},
      {GOOD.replace("\"origin\":{}", "\"origin\":[]"), "origin must be an object"},
      {GOOD.replace("\"darcy\"", "7"), "benchmark must be a string"},
      {GOOD.substring(1), "notes"},
      {"[]", "must be an object"},
    };
    for (String[] c : cases) {
      Path file = file(c[0], x);
      fails(FileFormatException.class, c[1], () -> Dataset.read(file));
    }
  }

  @Test
  void hostileFieldsAreOneLine() throws IOException {
    Path flat = file(GOOD, Tensor.ones(5, 2, 24));
    fails(FileFormatException.class, "must have 4 axes", () -> Dataset.read(flat));
    Path nan = file(GOOD, Tensor.of(new float[] {1, Float.NaN}, 1, 2, 1, 1));
    fails(FileFormatException.class, "channel p, row 0, column 0 is NaN", () -> Dataset.read(nan));
    Path empty = file(GOOD, Tensor.zeros(0, 2, 4, 4));
    fails(FileFormatException.class, "hold no number", () -> Dataset.read(empty));
    Path npz = directory.resolve("plain.npz");
    Npz.write(npz, Map.of("fields", fields(DataType.F32)));
    fails(FileFormatException.class, "no notes of a data set", () -> Dataset.read(npz));
    Path text = Files.writeString(directory.resolve("text.safetensors"), "no tensors at all");
    fails(FileFormatException.class, "text.safetensors", () -> Dataset.read(text));
    fails(
        IllegalArgumentException.class,
        "*.safetensors or *.npz",
        () -> Dataset.read(directory.resolve("x.csv")));
  }
}
