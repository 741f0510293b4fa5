package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Dataset;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.Sensors;
import io.perflow.physics.constraint.StreamFunction;
import io.perflow.physics.solver.Benchmark;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.Npy;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A new user's way from a file of fields to a reconstruction, and the mistakes on that way. */
class InitCommandTest {
  @TempDir static Path home;
  private static Path plate;

  private static String good(Object... args) {
    return Shell.good(args).out();
  }

  private static void bad(String line, Object... args) {
    assertEquals("perflow: " + line, Shell.bad(args));
  }

  private static Object[] init(Path file, Path out, Object... more) {
    return Stream.concat(Stream.of("init", file, "--out", out), Stream.of(more)).toArray();
  }

  private static Path fresh(String name) {
    return home.resolve(name);
  }

  private static Path npz(String name, Map<String, Tensor> arrays) throws IOException {
    Path file = home.resolve(name);
    Npz.write(file, arrays);
    return file;
  }

  @BeforeAll
  static void plainData() {
    plate = home.resolve("plate.npz");
    good("generate", "heat", "--samples", 30, "--size", 16, "--plain", "--out", plate);
  }

  // ---- the way of a new user

  @Test
  void plainFilesAreWhatOtherToolsWrite() throws IOException {
    try (Npz npz = Npz.read(plate)) {
      assertEquals(List.of("T", "y", "x"), List.copyOf(npz.names()));
      assertEquals(Shape.of(30, 16, 16), npz.shape("T"));
      assertEquals(0.03125, npz.load("x").get(0));
      assertTrue(npz.text("metadata.json").isEmpty());
      Path own = fresh("own.npz");
      good("generate", "heat", "--samples", 30, "--size", 16, "--out", own);
      assertArrayEquals(Dataset.read(own).fields().toFloats(), npz.load("T").toFloats());
    }
    Path flow = fresh("flow.npz");
    good("generate", "ns", "--samples", 2, "--size", 16, "--plain", "--out", flow);
    try (Npz npz = Npz.read(flow)) {
      Problem problem = flow(16);
      assertEquals(problem.quantities().size() + 3, npz.names().size());
      String first = problem.quantities().getFirst().name();
      assertEquals(Shape.of(2, problem.frameCount(), 16, 16), npz.shape(first));
    }
    Path plain = fresh("plain.safetensors");
    bad(
        "[generate] %s: a plain file is named *.npz".formatted(plain),
        "generate",
        "heat",
        "--samples",
        1,
        "--plain",
        "--out",
        plain);
  }

  private static Problem flow(int size) {
    return Benchmark.named("ns").generator("", size).problem();
  }

  @Test
  void fromAFileToAReconstruction() throws IOException {
    Path out = fresh("walk");
    String report = good(init(plate, out, "--unit", "T=K", "--conserve", "T", "--sensors", "8"));
    assertTrue(report.contains("fields      30: 24 to train, 3 to validate, 3 to test"), report);
    assertTrue(report.contains("rows        y from 0.0 to 1.0, 16 cells"), report);
    assertTrue(report.contains("quantity    T [K] from "), report);
    assertTrue(report.contains("constraint  mass:T=300: root mean square residual "), report);
    assertTrue(report.contains("sensors     8 random points"), report);
    assertFalse(report.contains("suggestion"), report);
    Problem problem = Problem.read(out.resolve("problem.json"));
    assertEquals(Dataset.read(out.resolve("test.safetensors")).problem(), problem);
    List<List<String>> next =
        report
            .lines()
            .filter(line -> line.startsWith("  perflow "))
            .map(line -> List.of(line.strip().split(" ")))
            .toList();
    assertEquals(
        List.of("train", "evaluate", "reconstruct"), next.stream().map(w -> w.get(1)).toList());
    good(more(next.get(0), "--network", "tiny", "--steps", "2", "--batch", "2"));
    String measured = good(more(next.get(1), "--samples", "2", "--steps", "2"));
    assertTrue(measured.contains("on 3 fields, 2 samples each"), measured);
    String made = good(more(next.get(2), "--samples", "2", "--steps", "2"));
    assertTrue(made.contains("8 readings"), made);
    assertTrue(Files.exists(out.resolve("reconstruction/figure.png")));
  }

  private static Object[] more(List<String> words, String... options) {
    return Stream.concat(words.stream().skip(1), Stream.of(options)).toArray();
  }

  @Test
  void partsAreAPermutationInTheUnitsOfTheTrainingPart() throws IOException {
    Tensor fields =
        IntStream.range(0, 20)
            .mapToObj(i -> Tensor.ones(1, 4, 4).mul(i))
            .reduce((a, b) -> Tensor.concat(0, a, b))
            .get();
    Path file =
        npz("numbers.npz", Map.of("u", fields.add(Rng.of(1).uniform(Shape.of(20, 4, 4)).mul(0.1))));
    Path out = fresh("parts");
    good(init(file, out, "--split", "2,1,1", "--seed", 5));
    List<Integer> seen = new ArrayList<>();
    Map<String, Integer> sizes = new LinkedHashMap<>();
    Normalization units = Dataset.read(out.resolve("train.safetensors")).normalization();
    for (String part : List.of("train", "val", "test")) {
      Dataset data = Dataset.read(out.resolve(part + ".safetensors"));
      sizes.put(part, data.size());
      assertEquals(units, data.normalization());
      assertEquals(part, data.origin().get("split"));
      assertEquals(List.of(file.toString()), data.origin().get("source"));
      for (int i = 0; i < data.size(); i++) {
        seen.add((int) data.fields().get(i, 0, 0, 0));
      }
    }
    assertEquals(Map.of("train", 10, "val", 5, "test", 5), sizes);
    assertEquals(IntStream.range(0, 20).boxed().toList(), seen.stream().sorted().toList());
    assertFalse(seen.equals(seen.stream().sorted().toList()), "drawn at random");
    Dataset train = Dataset.read(out.resolve("train.safetensors"));
    assertEquals(Normalization.fit(train.fields(), train.problem().groups()), units);
    assertEquals(DataType.F32, train.fields().type());
  }

  @Test
  void theExampleReadingsAreThoseOfTheFirstTestField() throws IOException {
    Path file = npz("two.npz", Map.of("T", random(9, 3, 8, 8), "p", random(9, 3, 8, 8)));
    Path out = fresh("template");
    good(
        init(
            file,
            out,
            "--dims",
            "sample,time,lat,lon",
            "--extent",
            "time=0..1e-3",
            "--unit",
            "lat=°, north"));
    List<String> lines = Files.readAllLines(out.resolve("readings.csv"));
    assertTrue(lines.get(0).startsWith("# Example made by perflow init"), lines.get(0));
    Dataset test = Dataset.read(out.resolve("test.safetensors"));
    Readings readings = Readings.read(out.resolve("readings.csv"), test.problem());
    assertEquals(List.of(), readings.notes());
    assertTrue(readings.onGrid());
    assertEquals(0, readings.size() % 6, "as many for each quantity and frame");
    for (Readings.Reading reading : readings.all()) {
      int cell = reading.cells()[0];
      float expected = (float) test.fields().get(0, reading.channel(), cell / 8, cell % 8);
      assertEquals(expected, (float) reading.value());
    }
  }

  private static Tensor random(int... shape) {
    return Rng.of(shape[0]).normal(Shape.of(shape));
  }

  @Test
  void everythingCanBeSaid() throws IOException {
    Path file = npz("flow2.npz", Map.of("a", random(10, 8, 8), "b", random(10, 8, 8)));
    Path out = fresh("said");
    Path places = Files.writeString(home.resolve("places.csv"), "name,x [m],y\nA,0.1,1\nB,1.9,0\n");
    String report =
        good(
            init(
                file,
                out,
                "--name",
                "tank",
                "--channel",
                "v=b",
                "--channel",
                "u=a",
                "--periodic",
                "y, x",
                "--extent",
                "x=0..2",
                "--unit",
                "x=m",
                "--vector",
                "v,u",
                "--symmetry",
                "transpose",
                "--symmetry",
                "shift:x",
                "--sensors-at",
                places,
                "--together",
                "--type",
                "F64"));
    Problem problem = Problem.read(out.resolve("problem.json"));
    assertEquals("tank", problem.name());
    assertEquals(List.of("v", "u"), problem.channels());
    assertEquals("x [m] from 0.0 to 2.0, 8 points, periodic", problem.grid().columns().toString());
    assertEquals(1, problem.groups().size());
    assertEquals(2, problem.symmetries().size());
    assertEquals(List.of(List.of(1.0, 0.1), List.of(0.0, 1.9)), problem.sensors().places());
    assertEquals(Sensors.Sharing.SHARED, problem.sensors().sharing());
    assertEquals(DataType.F64, Dataset.read(out.resolve("val.safetensors")).fields().type());
    assertTrue(report.contains("sensors     2 fixed places, each reads all quantities"), report);
    Path lines = fresh("lines");
    good(init(file, lines, "--lines", "x", "--sensors", "2..3"));
    assertEquals(Sensors.lines("x", 2, 3), Problem.read(lines.resolve("problem.json")).sensors());
    good(init(file, lines, "--lines", "y", "--force"));
    assertEquals(Sensors.lines("y", 1, 2), Problem.read(lines.resolve("problem.json")).sensors());
  }

  @Test
  void numbersForPrograms() throws IOException {
    Path out = fresh("json");
    Map<String, Object> json = Json.object(Json.parse(good(init(plate, out, "--json"))), "report");
    assertEquals(24L, json.get("training_fields"));
    assertEquals(List.of("--constrain mass:T=300"), json.get("suggestions"));
    assertEquals(Problem.read(out.resolve("problem.json")).toJson(), json.get("problem"));
  }

  @Test
  void aDirectoryOfFilesIsOneDataSet() throws IOException {
    Path runs = Files.createDirectory(fresh("runs"));
    for (int i = 0; i < 5; i++) {
      Npy.write(runs.resolve("u_" + i + ".npy"), random(6, 6));
    }
    String report = good(init(runs, fresh("joined")));
    assertTrue(report.contains("fields      5: 3 to train, 1 to validate, 1 to test"), report);
    assertTrue(report.contains("files       5 files from " + runs.resolve("u_0.npy")), report);
    bad(
        runs + " holds the data themselves; choose another directory with --out",
        init(runs, runs, "--force"));
  }

  // ---- mistakes

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--periodic=X          | --periodic: there is no axis of the grid 'X'; there are y and x",
        "--dims=sample,t,y,x   | T has 3 dimensions, [30, 16, 16], but --dims names 4: sample, t,"
            + " y, x",
        "--sensors=300         | [sensors] 300 sensors, but there are only 256 points of the 16 x"
            + " 16 grid",
        "--sensors=many        | --sensors 'many' must be a number of at least 1, as 5, or a range,"
            + " as 3..8",
        "--unit=temperature=K  | --unit: there is no axis or quantity 'temperature'; there are y, x"
            + " and T",
        "--conserve=Q          | plate has no quantity 'Q'; it has T",
        "--constrain=mass:Q=1  | constraint 'mass:Q=1': plate has no quantity 'Q'; it has T",
        "--extent=x=0-1        | --extent x=0-1 must be two numbers with two dots between, as in"
            + " --extent x=0..2.5",
        "--extent=x=1..0       | [extent] axis x from 1.0 to 0.0: both ends must be finite, the"
            + " smaller one first",
        "--split=80,20         | --split '80,20' must be three positive numbers, as 80,10,10 for"
            + " training, validation, test",
        "--lines=z             | there is no axis 'z'; there are y and x",
        "--symmetry=shift:x    | [problem plate] symmetry shift:x: axis x has walls, only periodic"
            + " axes can be shifted",
        "--samples=2           | only 2 fields were found, but training, validation and test need"
            + " at least one each, so at least 3",
        "--vector=u,v          | plate has no quantity 'u'; it has T",
        "--name=a/b            | [problem] 'a/b' is not a valid name: use letters, digits, _ . and"
            + " -",
      })
  void mistakesAreOneLineAndLeaveNothing(String option, String line) {
    Path out = fresh("nothing");
    bad(line, init(plate, out, option));
    assertFalse(Files.exists(out));
  }

  @Test
  void constraintsThatTheDataBreakAreRefused() throws IOException {
    Path out = fresh("broken");
    Shell.Result result = Shell.run(init(plate, out, "--constrain", "mass:T=301"));
    assertEquals(1, result.code());
    assertTrue(
        result
            .err()
            .matches(
                "perflow: the data break the constraint mass:T=301: root mean square residual"
                    + " 1\\.00 in the data's units, 0\\.\\d+ normalized, more than rounding; drop"
                    + " it from the problem, correct its value, or repair the data\n"),
        result.err());
    Path free = npz("free.npz", Map.of("u", random(9, 8, 8)));
    Shell.Result other = Shell.run(init(free, out, "--conserve", "u"));
    assertTrue(
        other
            .err()
            .startsWith(
                "perflow: --conserve u: the mean of u over the grid is not the same in all fields,"
                    + " it goes from "),
        other.err());
    assertFalse(Files.exists(out));
  }

  @Test
  void filesThatAreNoneAreNamed() throws IOException {
    Path out = fresh("none");
    Path missing = home.resolve("missing.npz");
    bad(missing + ": there is no such file", init(missing, out));
    Path text = Files.writeString(home.resolve("fields.csv"), "1,2,3\n");
    bad(text + ": is none of HDF5, MATLAB 5.0, MATLAB 7.3, NetCDF, npy and npz", init(text, out));
    Path one = npz("one.npz", Map.of("u", random(8, 8)));
    bad(
        one
            + ": has no array of fields, which have at least three dimensions: samples, rows,"
            + " columns; it has u [8, 8]",
        init(one, out));
    Path single = npz("single.npz", Map.of("u", random(1, 8, 8)));
    bad(
        "only 1 field was found, but training, validation and test need at least one each, so at"
            + " least 3",
        init(single, out));
    assertFalse(Files.exists(out));
  }

  @Test
  void tablesOfPlacesAreChecked() throws IOException {
    Path out = fresh("placed");
    Path places = Files.writeString(home.resolve("at.csv"), "y,z\n0,0\n");
    bad(
        places + ": has no column x; its first line must name the axes y,x",
        init(plate, out, "--sensors-at", places));
    Files.writeString(places, "y,x\n0.5,0.5\n0.5,2\n");
    bad(
        places + ": line 3: [axis x] x = 2.0 lies outside [0.0, 1.0]",
        init(plate, out, "--sensors-at", places));
    Files.writeString(places, "y,x\n");
    bad(
        places + ": has no line with a place below its line of names",
        init(plate, out, "--sensors-at", places));
    bad(
        "--sensors-at %s says where the sensors are; leave --sensors and --lines out"
            .formatted(places),
        init(plate, out, "--sensors-at", places, "--sensors", 3));
  }

  @Test
  void directoriesThatAreThereAreNotLost() throws IOException {
    Path out = Files.createDirectory(fresh("there"));
    Path mine = Files.writeString(out.resolve("mine.txt"), "precious");
    bad(
        out + " is there already; choose another --out, or write into it: --force",
        init(plate, out));
    good(init(plate, out, "--force"));
    assertEquals("precious", Files.readString(mine));
    try (Stream<Path> entries = Files.list(home)) {
      assertTrue(entries.noneMatch(e -> e.getFileName().toString().startsWith(".there")));
    }
    bad(mine + " is a file; choose another directory with --out", init(plate, mine, "--force"));
    bad(mine + ": is not a directory", init(plate, mine.resolve("below")));
  }

  /** u along x and v along y of a random stream function, in arrays [sample, y, x]. */
  @Test
  void componentsOfAFlowComeInTheOrderTheyAreNamed() throws IOException {
    Tensor psi = Rng.of(5).normal(Shape.of(12, 1, 8, 8)).to(DataType.F64);
    Tensor both = StreamFunction.spectral().velocity(psi); // the first along the rows, y
    Map<String, Tensor> arrays = new LinkedHashMap<>();
    arrays.put("u", both.slice(1, 1, 2).reshape(12, 8, 8).contiguous());
    arrays.put("v", both.slice(1, 0, 1).reshape(12, 8, 8).contiguous());
    Path file = npz("flow.npz", arrays);
    Object[] asked = {"--periodic", "x,y", "--type", "F64", "--constrain", "divergence-free"};
    String refused = Shell.bad(init(file, fresh("flow-wrong"), asked));
    assertTrue(
        refused.endsWith(
            "divergence-free takes u along y and v along x: if it is the other way round, use"
                + " --vector v,u"),
        refused);
    good(Shell.with(init(file, fresh("flow"), asked), "--vector", "v,u"));
    Problem problem = Problem.read(fresh("flow").resolve("problem.json"));
    assertEquals(List.of("v", "u"), problem.channels());
    assertEquals(1, problem.groups().size());
    Dataset train = Dataset.read(fresh("flow").resolve("train.safetensors"));
    assertTrue(train.residuals().getFirst().normalized() < 1e-12, "" + train.residuals());
  }

  @Test
  void whatIsNoProblemOrModelIsNamed() throws IOException {
    Path nowhere = home.resolve("nowhere");
    bad(
        nowhere + " is not a problem.json; perflow init makes one from your fields",
        "train",
        nowhere);
    Path problem = home.resolve("lone.json");
    Benchmark.named("heat").generator("", 8).problem().write(problem);
    bad(
        problem + " is not a model; perflow train writes one, named best.safetensors",
        "reconstruct",
        "--model",
        problem,
        "--observations",
        problem,
        "--out",
        home.resolve("none"));
  }
}
