package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.Npz;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The steps of a user (generate, train, evaluate, reconstruct) and the mistakes on that way. */
class FlowCommandsTest {
  private static final String NETWORK =
      """
      {"in_channels": 1, "out_channels": 1, "patch": 4, "widths": [16], "blocks": 1,
       "attention": [true], "heads": 2, "groups": 4, "time_width": 16}
      """;

  @TempDir static Path home;
  private static Path model;

  private static void bad(String expected, Object... args) {
    String said = Shell.bad(args);
    assertTrue(said.contains(expected), said);
  }

  @BeforeAll
  static void trained() throws IOException {
    Path data = home.resolve("train.safetensors");
    Shell.good("generate", "burgers", "--samples", 12, "--size", 16, "--out", data);
    Files.writeString(home.resolve("net.json"), NETWORK);
    Shell.good(train("run", "2..3"));
    model = home.resolve("run/best.safetensors");
  }

  private static Object[] train(String run, String sensors, Object... more) {
    Object[] usual = {
      "train",
      "--data",
      home.resolve("train.safetensors"),
      "--network",
      home.resolve("net.json"),
      "--steps",
      12,
      "--batch",
      2,
      "--sensors",
      sensors,
      "--out",
      home.resolve(run)
    };
    return Shell.with(usual, more);
  }

  @Test
  void trainingLeavesModelsLogsAndAFigure() {
    for (String name :
        List.of(
            "best.safetensors", "last.safetensors", "train.csv", "validation.csv", "loss.png")) {
      assertTrue(Files.exists(home.resolve("run").resolve(name)), name);
    }
    assertTrue(Shell.good("summary", model).out().contains("total"));
  }

  @Test
  void errorBarsOfEveryKindOfModelAreCalibrated() throws IOException {
    Path data = home.resolve("train.safetensors");
    Path prior = home.resolve("kriging");
    Shell.good("train", "--data", data, "--system", "kriging", "--uncalibrated", "--out", prior);
    for (Path sound : List.of(model, prior.resolve("best.safetensors"))) {
      Path file = home.resolve("calibrated.safetensors");
      Files.copy(sound, file, StandardCopyOption.REPLACE_EXISTING);
      String said = Shell.good("calibrate", "--model", file, "--data", data).out();
      assertTrue(said.contains(file + ": error bars calibrated on 12 fields"), said);
      try (SafeTensors open = SafeTensors.read(file)) {
        String kept = open.metadata().get("calibration");
        assertTrue(kept.contains("finest_deviation"), kept);
      }
    }
  }

  private static Object[] trainFrom(String run, String data, Object... more) {
    Object[] usual = {
      "train",
      "--data",
      home.resolve(data),
      "--from",
      model,
      "--steps",
      1,
      "--batch",
      2,
      "--out",
      home.resolve(run)
    };
    return Shell.with(usual, more);
  }

  @Test
  void trainingGoesOnFromATrainedFlow() throws IOException {
    // with a rate of next to nothing the weights stay what they were
    Shell.good(trainFrom("more", "train.safetensors", "--rate", 1e-30));
    try (SafeTensors before = SafeTensors.read(model);
        SafeTensors after = SafeTensors.read(home.resolve("more/best.safetensors"))) {
      assertEquals(before.names(), after.names());
      for (String name : before.names()) {
        assertArrayEquals(before.load(name).toFloats(), after.load(name).toFloats(), 1e-7f, name);
      }
    }
  }

  @Test
  void aFlowToGoOnFromMustFit() {
    String other = "small.npz";
    Shell.good("generate", "burgers", "--samples", 2, "--size", 8, "--out", home.resolve(other));
    bad(
        "best.safetensors was trained on other fields than those in %s: 16 x 16 points and 8 x 8"
            .formatted(home.resolve(other)),
        trainFrom("no", other));
    bad(
        "leave --network, --unprojected and --sensors out, or --from",
        trainFrom("no", "train.safetensors", "--unprojected"));
    assertFalse(Files.exists(home.resolve("no")), "a refused run left a directory");
  }

  @Test
  void evaluationPrintsAndWritesItsNumbers() throws IOException {
    Path test = home.resolve("test.npz");
    Shell.good(
        "generate", "burgers", "--split", "test", "--samples", 2, "--size", 16, "--out", test);
    Map<String, Object> numbers = evaluation(test, "3");
    double physErr = Json.number(numbers.get("phys_err"), "phys_err");
    assertTrue(physErr <= 1e-14, "mass is off by " + physErr);
    List<?> sweep = Json.list(evaluation(test, "3,6").get("sweep"), "sweep");
    assertEquals(2, sweep.size());
    Map<String, Object> first = Json.object(sweep.getFirst(), "sweep");
    assertEquals(numbers.get("rel_l2"), first.get("rel_l2"));
    assertTrue(first.get("sensors").toString().startsWith("3 random "), sweep.toString());
  }

  private static Map<String, Object> evaluation(Path test, String sensors) throws IOException {
    Path json = home.resolve("numbers.json");
    Object[] usual = {"evaluate", "--model", model, "--data", test, "--samples", 3, "--steps", 4};
    Shell.Result result = Shell.good(Shell.with(usual, "--sensors", sensors, "--json", json));
    assertTrue(result.out().contains("Phys-Err"), result.out());
    return Json.object(Json.read(json), "numbers");
  }

  @Test
  void anExportedModelIsHalfAsLargeAndWorks() throws IOException {
    Path small = home.resolve("small.safetensors");
    Shell.good("export", "--model", model, "--out", small);
    assertTrue(Files.size(small) < 0.6 * Files.size(model));
    Shell.good("summary", small);
  }

  private static Path readings(String name, String... lines) throws IOException {
    return Files.write(home.resolve(name), List.of(lines));
  }

  private static Object[] reconstruct(Path observations, Object... more) {
    Object[] usual = {
      "reconstruct",
      "--model",
      model,
      "--observations",
      observations,
      "--samples",
      2,
      "--steps",
      3,
      "--out",
      home.resolve("out")
    };
    return Shell.with(usual, more);
  }

  @Test
  void readingsBecomeAFieldWithACertificate() throws IOException {
    Path csv = readings("good.csv", "t,x,u", "0,0.25,0.5", "# a note", "1,0.75,-0.25");
    Shell.good(reconstruct(csv, "--exact-sensors"));
    try (Npz fields = Npz.read(home.resolve("out/fields.npz"))) {
      Tensor samples = fields.load("samples");
      assertEquals("[2, 1, 16, 16]", samples.shape().toString());
      assertEquals(1, fields.load("t").get(15)); // an axis with ends, and a periodic one
      assertEquals(15 / 16.0, fields.load("x").get(15));
      double[] x = samples.toDoubles();
      assertEquals(0.5, x[4], 1e-6);
      assertEquals(-0.25, x[15 * 16 + 12], 1e-6);
      double mass = 0;
      for (int i = 0; i < 16; i++) {
        mass += x[i];
      }
      assertEquals(0, mass / 16, 1e-15);
      assertArrayEquals(new int[] {1, 16, 16}, dims(fields.load("mean")));
    }
    assertTrue(Files.exists(home.resolve("out/figure.png")));
    Map<String, Object> certificate =
        Json.object(Json.read(home.resolve("out/certificate.json")), "certificate");
    assertEquals(2, Json.list(certificate.get("samples"), "samples").size());
  }

  @Test
  void assimilationNeedsNoNetworkAndIsWhatItsModelDoes() throws IOException {
    Path own = home.resolve("assimilation");
    Path data = home.resolve("train.safetensors");
    Shell.good("train", "--system", "assimilation", "--data", data, "--out", own);
    String said =
        Shell.good("evaluate", "--model", own, "--data", data, "--fields", 1, "--samples", 2).out();
    assertTrue(said.contains("assimilation on 1 field"), said);
    Path csv = readings("assimilated.csv", "t,x,u", "0,0.25,0.5", "1,0.75,-0.25");
    Object[] usual = {
      "reconstruct", "--model", own, "--observations", csv, "--out", home.resolve("solutions")
    };
    Shell.good(Shell.with(usual, "--samples", 2));
    bad(
        "leave --exact-sensors, --fit-sensors and --constrain out",
        Shell.with(usual, "--exact-sensors"));
    Shell.good(Shell.with(usual, "--samples", 2, "--system", "kriging", "--polish", 2));
    bad("assimilation solves the equation already", Shell.with(usual, "--polish", 2));
    bad("choose one of flow, kriging, assimilation", Shell.with(usual, "--system", "krieging"));
    bad("holds a Gaussian prior", Shell.with(usual, "--system", "flow"));
    bad("states no equation", "train", "--system", "assimilation", "--data", heat(), "--out", own);
  }

  @Test
  void aPriorHasAsManyModesAsAreAskedFor() {
    Path data = home.resolve("train.safetensors");
    Object[] usual = {"train", "--data", data, "--out", home.resolve("modes"), "--modes", 3};
    String said = Shell.good(Shell.with(usual, "--system", "kriging")).out();
    assertTrue(said.contains(", 3 modes"), said);
    Object[] flow = {"train", "--data", data, "--out", home.resolve("flow"), "--modes", 3};
    bad("leave it out for a flow", flow);
  }

  private static Path heat() {
    Path data = home.resolve("heat.safetensors");
    Shell.good("generate", "heat", "--samples", 4, "--size", 8, "--out", data);
    return data;
  }

  private static int[] dims(Tensor tensor) {
    int[] dims = new int[tensor.rank()];
    java.util.Arrays.setAll(dims, tensor::dim);
    return dims;
  }

  @Test
  void mistakesInReadingsAreNamedWithTheirLine() throws IOException {
    bad(
        "a.csv: line 1: no column for the axis t; found 'x', 'u'; expected t,x,u or"
            + " t,x,quantity,value",
        reconstruct(readings("a.csv", "x,u", "0,1")));
    bad("t = 1.5 lies outside [0.0, 1.0]", reconstruct(readings("d.csv", "t,x,u", "", "1.5,0,1")));
    bad("e.csv: line 2: 2 cells, expected 3", reconstruct(readings("e.csv", "t,x,u", "0,0.25")));
    bad("'high' is not a number", reconstruct(readings("g.csv", "t,x,u", "0,0.25,high")));
  }

  @Test
  void readingsMayLieBetweenGridPoints() throws IOException {
    Path csv = readings("h.csv", "x,t,u", "0.26,0,1");
    Shell.good(reconstruct(csv, "--exact-sensors"));
    try (Npz fields = Npz.read(home.resolve("out/fields.npz"))) {
      double[] x = fields.load("mean").toDoubles();
      double between = 16 * 0.26 - 4; // of points 4 and 5 of the first row
      assertEquals(1, (1 - between) * x[4] + between * x[5], 1e-6);
    }
  }

  @Test
  void aLayoutThatIsNotTheTrainingsIsWarnedOf() throws IOException {
    // two points, where the model knows sensors that read all times
    Path csv = readings("k.csv", "t,x,u", "0,0.25,0.5", "1,0.75,-0.25");
    String err = Shell.good(reconstruct(csv)).err();
    String expected =
        "sensors for u: 2 of 2 are not on a whole line; the model was trained with 2 to 3";
    assertTrue(err.startsWith("warning: " + expected), err);
    Object certificate = Json.read(home.resolve("out/certificate.json"));
    Object warnings = Json.object(certificate, "certificate").get("warnings");
    assertTrue(warnings.toString().contains(expected), warnings.toString());
  }

  @Test
  void aFileWithoutReadingsIsNotedAndGivesFieldsOfTheModel() throws IOException {
    Shell.Result result = Shell.good(reconstruct(readings("f.csv", "t,x,u")));
    assertTrue(result.err().contains("f.csv: there is no reading"), result.err());
  }

  @Test
  void otherMistakesAreOneLineToo() throws IOException {
    bad("unknown benchmark 'euler'; known: burgers", "generate", "euler", "--out", "x.npz");
    bad("--sensors '0'", train("k0", "0", "--threads", 1));
    bad("other settings", train("run", "2..3", "--rate", 1e-5));
    bad("holds no flow", "summary", home.resolve("train.safetensors"));
    bad("nowhere.csv", reconstruct(home.resolve("nowhere.csv")));
    bad(
        "solver 'ode45' is unknown",
        reconstruct(readings("i.csv", "t,x,u", "0,0,1"), "--solver", "ode45"));
    bad(
        "17 sensors, but there are only 16 points along axis x",
        train("many", "17", "--threads", 1));
    assertFalse(Files.exists(home.resolve("k0")), "a refused run left a directory");
  }
}
