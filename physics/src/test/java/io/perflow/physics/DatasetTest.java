package io.perflow.physics;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.solver.Benchmark;
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
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatasetTest {
  @TempDir Path directory;

  private static Tensor fields(DataType type) {
    return Rng.of(1).normal(Device.cpu(), Shape.of(5, 2, 4, 6), type);
  }

  private static Problem.Builder rock() {
    return Problem.named("rock")
        .axis("x", 0, 3, 4)
        .axis("y", 0, 5, 6)
        .channel("a")
        .channel("p", "Pa")
        .constrain("dirichlet:p=0");
  }

  private static final Problem ROCK = rock().build();

  private static Dataset dataset(DataType type) {
    return Dataset.of(ROCK, fields(type), Scaling.UNIT, Map.of("split", "train", "seed", 3L));
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
    assertEquals(ROCK, read.problem());
    assertEquals(data.normalization(), read.normalization());
    assertEquals(data.origin(), read.origin());
    assertEquals(type, read.fields().type());
    assertArrayEquals(data.fields().toDoubles(), read.fields().toDoubles());
    assertEquals(5, read.size());
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
        () -> Dataset.of(ROCK, bad, Scaling.UNIT, Map.of()));
  }

  @Test
  void fieldsOfAnotherShapeAreRefused() {
    Tensor x = fields(DataType.F32);
    fails(
        ShapeException.class,
        "[dataset of rock] fields has shape [5, 1, 4, 6], expected [5, 2, 4, 6]",
        () -> Dataset.of(ROCK, x.slice(1, 0, 1), Scaling.UNIT, Map.of()));
    fails(
        ShapeException.class,
        "expected [5, 2, 6, 4]",
        () -> Dataset.of(ROCK.resized(6, 4), x, Scaling.UNIT, Map.of()));
    fails(
        ShapeException.class,
        "4 axes",
        () -> Dataset.of(ROCK, x.select(0, 0), Scaling.UNIT, Map.of()));
    fails(
        ShapeException.class,
        "hold no number",
        () -> Dataset.of(ROCK, x.slice(0, 0, 0), Scaling.UNIT, Map.of()));
    fails(
        ShapeException.class,
        "for 3 channels",
        () -> Dataset.of(ROCK, x, Normalization.identity(3), Map.of()));
  }

  @Test
  void partsAndOtherUnitsAndOtherProblems() {
    Dataset data = dataset(DataType.F32);
    assertArrayEquals(data.fields().slice(0, 1, 4).toFloats(), data.part(1, 4).fields().toFloats());
    fails(ShapeException.class, "samples 2 to 2 of 5", () -> data.part(2, 2));
    fails(ShapeException.class, "samples 2 to 6 of 5", () -> data.part(2, 6));
    Normalization units = Normalization.identity(2);
    assertEquals(units, data.with(units).normalization());
    fails(ShapeException.class, "for 3 channels", () -> data.with(Normalization.identity(3)));
    Problem other = ROCK.with(Sensors.points(7));
    assertEquals(other, data.with(other).problem());
    Problem coarse = ROCK.resized(2, 3);
    fails(ShapeException.class, "expected [5, 2, 2, 3]", () -> data.with(coarse));
  }

  // ---- constraints written in Java

  /** The largest value of a field is 1, which the grammar has no words for. */
  private record Largest(String name, double value) implements Constraint {
    @Override
    public Tensor residual(Tensor x) {
      return x.max(false, 1, 2, 3).add(-value);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"own.safetensors", "own.npz"})
  void aProblemOfOnesOwnWithConstraintsWrittenInJavaSurvives(String name) throws IOException {
    Constraint peak = new Largest("peak", 1);
    Constraint crest = new Largest("crest", 2);
    Problem own =
        rock()
            .constrain(peak)
            .constrain("mass:a=0.5")
            .constrain(crest)
            .symmetries("mirror:y")
            .build();
    Path file = directory.resolve(name);
    Dataset.of(own, fields(DataType.F32), Scaling.HALF, Map.of()).write(file);

    Dataset read = Dataset.read(file, crest, peak);
    assertEquals(own, read.problem());
    assertSame(peak, read.problem().constraints().get(1));
    assertSame(crest, read.problem().constraints().get(3));
    String refusal =
        "constraint 'crest' was written in Java, and a file cannot hold it; pass a constraint of"
            + " this name when loading";
    fails(FileFormatException.class, refusal, () -> Dataset.read(file, peak));
    fails(FileFormatException.class, name + ": ", () -> Dataset.read(file, peak));
    fails(FileFormatException.class, "constraint 'peak'", () -> Dataset.read(file));
  }

  // ---- files of version 0.1

  private static final String UNITS = "\"normalization\":{\"mean\":[0,0],\"scale\":[1,1]}";
  private static final String OLD =
      "{\"format\":\"perflow-dataset-1\",\"benchmark\":\"darcy\","
          + "\"channels\":[\"a\",\"p\"],"
          + UNITS
          + ",\"origin\":{}}";

  @Test
  void anOldFileIsOfTheProblemOfItsBenchmark() throws IOException {
    String notes =
        """
        {"format": "perflow-dataset-1", "benchmark": "burgers", "channels": ["u"],
         "normalization": {"mean": [-0.25], "scale": [0.5]},
         "origin": {"split": "test", "seed": 7, "scaling": "unit",
          "parameters": {"equation": "burgers", "times": 8, "points": 8}, "preset": "paper"}}
        """;
    Dataset old = Dataset.read(file(notes, Tensor.ones(3, 1, 8, 8)));
    Problem now = Benchmark.named("burgers").generator("paper", 8).problem();
    // whose equation was solved with which parameters an old file does not say
    assertEquals(now.toBuilder().equation(null).build(), old.problem());
    assertEquals(new Normalization(List.of(-0.25), List.of(0.5)), old.normalization());
    assertEquals("paper", old.origin().get("preset"));
    Path again = directory.resolve("again.npz");
    old.write(again);
    assertEquals(old.problem(), Dataset.read(again).problem());
  }

  @Test
  void theOldPresetDecidesWhereTheValuesAre() throws IOException {
    String cells = OLD.replace("\"origin\":{}", "\"origin\":{\"preset\":\"diffusionpde\"}");
    Tensor x = Tensor.ones(3, 2, 8, 8);
    Problem nodes = Dataset.read(file(OLD, x)).problem();
    assertEquals("dirichlet:p=0", nodes.text(nodes.constraints().getFirst()));
    assertEquals(List.of(), Dataset.read(file(cells, x)).problem().constraints());
  }

  @ParameterizedTest
  @CsvSource({"4, 6", "6, 4", "1, 1", "2, 300", "300, 2"})
  void oldFieldsOfAnyShapeAreRead(int height, int width) throws IOException {
    Dataset old = Dataset.read(file(OLD, Tensor.ones(3, 2, height, width)));
    assertEquals(height, old.problem().grid().height());
    assertEquals(width, old.problem().grid().width());
    assertEquals(
        List.of("mirror:x", "mirror:y"),
        old.problem().symmetries().stream()
            .map(Object::toString)
            .filter(s -> s.contains(":"))
            .toList());
  }

  @Test
  void hostileOldNotesAreOneLine() throws IOException {
    Tensor x = fields(DataType.F32);
    String[][] cases = {
      {OLD.replace("darcy", "wave"), "unknown benchmark 'wave'; known: burgers, poisson"},
      {OLD.replace("darcy", "ns"), "fields has shape [5, 2, 4, 6], expected [5, 20, 4, 6]"},
      {OLD.replace("\"darcy\"", "7"), "benchmark must be a string"},
      {OLD.replace("\"darcy\"", "\"a\\nb\""), "unknown benchmark 'a\ufffdb'"},
      {OLD.replace("{}", "{\"preset\":\"fno\"}"), "darcy has no preset 'fno'"},
      {OLD.replace("\"origin\":{}", "\"origin\":[]"), "origin must be an object"},
    };
    for (String[] c : cases) {
      Path file = file(c[0], x);
      fails(FileFormatException.class, c[1], () -> Dataset.read(file));
      fails(FileFormatException.class, file.toString(), () -> Dataset.read(file));
    }
    Path flat = file(OLD, Tensor.ones(5, 2, 24));
    fails(FileFormatException.class, "must have 4 axes", () -> Dataset.read(flat));
    Path huge = file(OLD, Tensor.zeros(0, 2, 70000, 70000));
    fails(FileFormatException.class, "70000 x 70000 points are too many", () -> Dataset.read(huge));
  }

  // ---- hostile files

  private static final String GOOD =
      """
      {"format": "perflow-dataset-2",
       "problem": {"name": "rock",
         "axes": [{"name": "x", "from": 0, "to": 3, "points": 4},
                  {"name": "y", "from": 0, "to": 5, "points": 6}],
         "channels": [{"name": "a"}, {"name": "p"}]},
       "normalization": {"mean": [0, 0], "scale": [1, 1]}, "origin": {}}
      """;

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
      {GOOD.replace("dataset-2", "dataset-9"), "has format 'perflow-dataset-9'"},
      {GOOD.replace("\"perflow-dataset-2\"", "2"), "format must be a string"},
      {GOOD.replace("\"problem\"", "\"benchmark\""), "problem must be an object, found nothing"},
      {GOOD.replace("\"points\": 6", "\"points\": 7"), "has shape [5, 2, 4, 6]"},
      {GOOD.replace("\"points\": 6", "\"points\": 0"), "0 points"},
      {GOOD.replace("\"p\"", "\"a\""), "two of its axes and quantities are named a"},
      {GOOD.replace("[1, 1]", "[1, 0]"), "scales positive"},
      {GOOD.replace("[1, 1]", "[1]"), "2 means and 1 scales"},
      {GOOD.replace("[1, 1]", "[1, \"a\"]"), "must be a number"},
      {GOOD.replace("[0, 0]", "[0,0,0]").replace("[1, 1]", "[1,1,1]"), "for 3 channels"},
      {GOOD.replace("\"origin\": {}", "\"origin\": []"), "origin must be an object"},
      {GOOD.substring(1), "notes"},
      {"[]", "must be an object"},
    };
    for (String[] c : cases) {
      Path file = file(c[0], x);
      fails(FileFormatException.class, c[1], () -> Dataset.read(file));
      fails(FileFormatException.class, file.toString(), () -> Dataset.read(file));
    }
  }

  @Test
  void hostileFieldsAreOneLine() throws IOException {
    Path flat = file(GOOD, Tensor.ones(5, 2, 24));
    fails(FileFormatException.class, "must have 4 axes", () -> Dataset.read(flat));
    float[] numbers = new float[48];
    numbers[24] = Float.NaN;
    Path nan = file(GOOD, Tensor.of(numbers, 1, 2, 4, 6));
    fails(FileFormatException.class, "channel p, row 0, column 0 is NaN", () -> Dataset.read(nan));
    Path empty = file(GOOD, Tensor.zeros(0, 2, 4, 6));
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
