package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.flow.RectifiedFlow;
import io.perflow.physics.Problem;
import io.perflow.physics.constraint.Constraint;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The steps of a user with a problem of their own, from its file to a certified field. */
class OwnProblemTest {
  private static final List<String> CONSTRAINTS = List.of("mass:T=300", "dirichlet:p@x-low=5");

  @TempDir static Path home;
  private static Path model;
  private static String plan;

  @BeforeAll
  static void trained() throws IOException {
    Plate.write(home);
    plan = Shell.good(Plate.train(home)).out();
    model = home.resolve("run/best.safetensors");
  }

  private static Object[] reconstruct(Path flow, Path readings, String out, Object... more) {
    Object[] usual = {
      "reconstruct",
      "--model",
      flow,
      "--observations",
      readings,
      "--samples",
      2,
      "--steps",
      3,
      "--out",
      home.resolve(out)
    };
    return Shell.with(usual, more);
  }

  @Test
  void theTableSaysWhatIsTrainedOn() {
    String fields = "11 fields of T [K], p [Pa] on 8 x 12 points, and 1 to validate";
    assertTrue(plan.contains(fields), plan);
    for (String constraint : CONSTRAINTS) {
      assertTrue(plan.contains("constraint  " + constraint + ": root mean square"), plan);
    }
    assertTrue(plan.contains("sensors     4 to 6 random points"), plan);
    assertTrue(plan.contains("2 steps of 2 fields, which is every field 0.4 times"), plan);
  }

  @Test
  void theProblemIsKeptInTheModelAndInItsExport() throws IOException {
    assertEquals(Plate.problem(), RectifiedFlow.load(model).config().problem());
    Path small = home.resolve("small.safetensors");
    Shell.good("export", "--model", model, "--out", small);
    assertEquals(Plate.problem(), RectifiedFlow.load(small).config().problem());
    String summary = Shell.good("summary", small).out();
    for (String constraint : CONSTRAINTS) {
      assertTrue(summary.contains(" " + constraint + "\n"), summary);
    }
    assertTrue(summary.contains("columns y,x,T,p\n"), summary);
    Path problem = home.resolve("summary.json");
    Plate.problem().write(problem);
    assertTrue(summary.startsWith(Shell.good("summary", problem).out()), summary);
  }

  @Test
  void evaluationHoldsTheConstraintsAndPrintsInterpolationsBeside() throws IOException {
    Path test = home.resolve("test.npz");
    Plate.data(Plate.problem(), 2, 300).write(test);
    Object[] evaluate = {
      "evaluate", "--model", model, "--data", test, "--samples", 2, "--steps", 3, "--json"
    };
    Map<String, Object> numbers = Shell.good(evaluate).json();
    double held = Json.number(numbers.get("phys_err"), "phys_err");
    assertTrue(held < 1e-10, "constraints are off by " + held);
    List<Object> simple = Json.list(numbers.get("interpolations"), "interpolations");
    List<String> names = List.of("nearest", "linear", "thin-plate");
    assertEquals(names.size(), simple.size());
    for (int i = 0; i < simple.size(); i++) {
      Map<String, Object> row = Json.object(simple.get(i), "row");
      assertEquals(names.get(i), row.get("system"));
      double free = Json.number(row.get("phys_err"), "phys_err");
      assertTrue(free > 1e-6, "an interpolation knows no constraint, but is off by " + free);
    }
    String text =
        Shell.good("evaluate", "--model", model, "--data", test, "--samples", 1, "--steps", 3)
            .out();
    assertTrue(text.contains("PerFlow-G-euler-3 on 2 fields, 1 sample each\n"), text);
    assertTrue(text.contains("\n  thin-plate        Rel-l2 "), text);
  }

  @Test
  void samplesHoldTheConstraintsAndTheCertificateNamesThem() throws IOException {
    Shell.Result result = Shell.good(reconstruct(model, Plate.readings(home), "out"));
    assertEquals("", result.err(), "readings as in training are no reason to warn");
    assertTrue(result.out().contains("T: the mean of 2 samples misses 5 readings by "));
    assertTrue(result.out().contains(" K (rms)\n"), result.out());
    assertTrue(result.out().contains(" Pa (rms)\n"), result.out());
    checkFields(home.resolve("out/fields.npz"));
    Map<String, Object> certificate =
        Json.object(Json.read(home.resolve("out/certificate.json")), "certificate");
    assertEquals(List.of(), certificate.get("warnings"));
    assertEquals(CONSTRAINTS, names(certificate));
  }

  private static List<String> names(Map<String, Object> certificate) throws IOException {
    List<Object> samples = Json.list(certificate.get("samples"), "samples");
    assertEquals(2, samples.size());
    return Json.list(samples.getFirst(), "sample").stream()
        .map(entry -> (String) ((Map<?, ?>) entry).get("constraint"))
        .toList();
  }

  private static void checkFields(Path file) throws IOException {
    try (Npz fields = Npz.read(file)) {
      Tensor samples = fields.load("samples");
      assertEquals("[2, 2, 8, 12]", samples.shape().toString());
      for (double mean : samples.slice(1, 0, 1).mean(2, 3).toDoubles()) {
        assertEquals(300, mean, 1e-10);
      }
      for (double inflow : samples.slice(1, 1, 2).slice(3, 0, 1).contiguous().toDoubles()) {
        assertEquals(5, inflow, 1e-12);
      }
    }
  }

  @Test
  void anExportedModelReconstructsUnderTheSameConstraints() throws IOException {
    Path small = home.resolve("half.safetensors");
    Shell.good("export", "--model", model, "--out", small);
    Shell.good(reconstruct(small, Plate.readings(home), "half"));
    checkFields(home.resolve("half/fields.npz"));
  }

  @Test
  void whatIsConstrainedBesidesHoldsToo() throws IOException {
    Object[] more = {
      "--constrain",
      "mass:p@y=6",
      "--constrain",
      "dirichlet:T@y-high=295",
      "--constrain",
      "bounds:p=5.5..",
      "--json"
    };
    // without p = 5 at the inflow, where a mean of 6 along y would contradict it
    Path free = free();
    Map<String, Object> certificate =
        Shell.good(reconstruct(free, Plate.readings(home), "more", more)).json();
    assertEquals(
        List.of(
            "mass:T=300",
            "bounds:T=240..360",
            "mass:p@y=6",
            "dirichlet:T@y-high=295",
            "bounds:p=5.5.."),
        names(certificate));
    try (Npz fields = Npz.read(home.resolve("more/fields.npz"))) {
      Tensor samples = fields.load("samples");
      for (double mean : samples.slice(1, 1, 2).mean(2).toDoubles()) {
        assertEquals(6, mean, 1e-10);
      }
      for (double wall : samples.slice(1, 0, 1).slice(2, 7, 8).contiguous().toDoubles()) {
        assertEquals(295, wall, 1e-12);
      }
      double[] lowest = samples.min(false, 0, 2, 3).toDoubles();
      assertTrue(lowest[0] >= 240 && lowest[1] >= 5.5, Arrays.toString(lowest));
    }
    String said = Shell.bad(reconstruct(free, Plate.readings(home), "no", "--constrain", "mass:q"));
    assertEquals("perflow: constraint 'mass:q': plate has no quantity 'q'; it has T, p", said);
  }

  private static Path free() throws IOException {
    Path directory = home.resolve("free");
    Plate.write(directory);
    Problem problem = Plate.problem();
    List<Constraint> some =
        List.of(problem.constraints().getFirst(), problem.constraint("bounds:T=240..360"));
    problem.with(some).write(directory.resolve("problem.json"));
    Shell.good(Plate.train(directory, "--json"));
    return directory.resolve("run/best.safetensors");
  }

  @Test
  void theDataOfAnotherProblemAreRefused() throws IOException {
    Path heat = home.resolve("heat.npz");
    Shell.good("generate", "heat", "--samples", 2, "--size", 8, "--out", heat);
    assertEquals(
        "perflow: %s and %s do not belong together: channels [T, p] and [T]".formatted(model, heat),
        Shell.bad("evaluate", "--model", model, "--data", heat));
    assertEquals(
        "perflow: %s was trained on other fields than those in %s: channels [T, p] and [T]"
            .formatted(model, heat),
        Shell.bad("train", "--from", model, "--data", heat, "--out", home.resolve("no")));
    assertEquals(
        "perflow: %s and %s do not belong together: channels [T, p] and [T]"
            .formatted(home.resolve("problem.json"), heat),
        Shell.bad(Plate.train(home, "--data", heat, "--out", home.resolve("no"))));
    assertEquals(
        "perflow: %s and %s do not belong together: channels [T, p] and [T]"
            .formatted(home.resolve("train.safetensors"), heat),
        Shell.bad(Plate.train(home, "--val", heat, "--out", home.resolve("no"))));
    assertFalse(Files.exists(home.resolve("no")), "a refused run left a directory");
  }

  @Test
  void theReadingsOfAnotherProblemAreRefused() throws IOException {
    Path file = Files.writeString(home.resolve("other.csv"), "lat,lon,u\n0,0.5,1\n");
    assertEquals(
        "perflow: %s: line 1: no column for any quantity; found 'lat', 'lon', 'u'; expected y,x,T,p or"
                .formatted(file)
            + " y,x,quantity,value",
        Shell.bad(reconstruct(model, file, "no")));
  }

  @Test
  void dataThatBreakAConstraintAreRefusedBeforeTraining() throws IOException {
    Path warm = home.resolve("warm.npz");
    Plate.data(Plate.problem(), 4, 301.5).write(warm);
    Path run = home.resolve("warm");
    String said = Shell.bad(Plate.train(home, "--data", warm, "--out", run));
    assertTrue(
        said.matches(
            "perflow: the data break the constraint mass:T=300: root mean square residual 1.50 in"
                + " the data's units, 0.\\d+ normalized, more than rounding; drop it from the"
                + " problem, correct its value, or repair the data"),
        said);
    assertFalse(Files.exists(run), "training began");
    // without the physics there is nothing to break
    String table =
        Shell.good(Plate.train(home, "--data", warm, "--out", run, "--unprojected")).out();
    assertTrue(table.contains("not embedded: --unprojected"), table);
  }

  @Test
  void readingsUnlikeThoseOfTheTrainingAreWarnedOf() throws IOException {
    Path csv = Files.writeString(home.resolve("odd.csv"), "y,x,T,p\n0,0.2,303000,5\n1,2,,6\n");
    Shell.Result result = Shell.good(reconstruct(model, csv, "odd"));
    List<String> warnings =
        result.err().lines().map(line -> line.replaceFirst("^warning: ", "")).toList();
    assertEquals(
        "sensors for T: 1; the model was trained with 4 to 6 random points", warnings.get(0));
    assertEquals(
        "sensors for p: 2; the model was trained with 4 to 6 random points", warnings.get(1));
    assertTrue(
        warnings
            .get(2)
            .matches(
                "T = 303000.0 K \\(line 2\\) is far from the training data, usually"
                    + " 2\\d\\d(\\.\\d)? to 3\\d\\d(\\.\\d)? K"),
        warnings.get(2));
    assertTrue(
        warnings
            .get(3)
            .matches("line 2, value 303000.0, lies .* deviations from what all other .*"),
        warnings.get(3));
    assertEquals(4, warnings.size());
    Object certificate = Json.read(home.resolve("odd/certificate.json"));
    assertEquals(warnings, Json.object(certificate, "certificate").get("warnings"));
  }
}
