package io.perflow.cli.reproduce;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.flow.Observations;
import io.perflow.flow.Reconstructor;
import io.perflow.physics.Problem;
import io.perflow.physics.metric.SensorMisfit;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReproductionTest {
  private static final Trial.Context SMOKE = new Trial.Context(Scale.SMOKE, 1);
  private static final Trial.Context PAPER = new Trial.Context(Scale.PAPER, 1);

  @TempDir Path home;

  private List<Path> run(Path out, Witness witness, Study... studies) throws IOException {
    return new Reproduction(out, Scale.SMOKE, 1, witness, Device.cpu()).run(List.of(studies));
  }

  @Test
  void aStudyIsMadeOnceAndGoesOnWhereItWasStopped() throws IOException {
    Witness first = new Witness();
    run(home.resolve("whole"), first, Study.TABLE2);
    // data, the four models of seven rows, seven tests and their times
    assertEquals(13, first.lines.size(), first.lines.toString());
    assertTrue(first.lines.getFirst().startsWith("[1/13] data of burgers: "));
    assertTrue(first.lines.getLast().startsWith("[13/13] time table2 on burgers: "));
    String unknown = "; not known yet how long to train and test and time";
    assertTrue(first.lines.getFirst().endsWith(" s" + unknown), first.lines.getFirst());
    assertTrue(first.lines.get(6).contains("; about "), first.lines.get(6));
    Path results = home.resolve("whole/table2/results.csv");
    String expected = Files.readString(results);

    Witness again = new Witness();
    run(home.resolve("whole"), again, Study.TABLE2);
    assertEquals(List.of(), again.lines);
    assertEquals(expected, Files.readString(results));

    Witness interrupted = new Witness();
    interrupted.stops = 2;
    Path parts = home.resolve("parts");
    for (int i = 0; i < 2; i++) {
      assertThrows(StoppedException.class, () -> run(parts, interrupted, Study.TABLE2));
    }
    run(parts, interrupted, Study.TABLE2);
    String resumed = Files.readString(parts.resolve("table2/results.csv"));
    assertEquals(withoutTimes(expected), withoutTimes(resumed));
  }

  // all columns but the measured seconds
  private static List<String> withoutTimes(String csv) {
    return csv.lines()
        .map(
            line -> {
              String[] cells = line.split(",", -1);
              cells[9] = "";
              return String.join(",", cells);
            })
        .toList();
  }

  @Test
  void theFilesHoldOursAndThePapers() throws IOException {
    Path directory = run(home, new Witness(), Study.FNO).getFirst();
    String csv = Files.readString(directory.resolve("results.csv"));
    List<String> lines = csv.lines().toList();
    assertEquals(1 + 8, lines.size());
    assertTrue(lines.getFirst().startsWith("system,benchmark,setting,rel_l2,rel_l2_paper,"));
    String text = Files.readString(directory.resolve("results.md"));
    assertTrue(text.contains("| benchmark | system | Rel-l2 | paper | Rel-l1 |"), text);
    assertTrue(text.contains("times as long as PerFlow: conditional FNO "), text);
    assertFalse(text.contains("NaN"), text);
    String json = Files.readString(directory.resolve("configuration.json"));
    assertTrue(json.contains("\"seed\": 1") && json.contains("\"prediction\""), json);
    byte[] image = Files.readAllBytes(directory.resolve("figure.png"));
    assertEquals((byte) 0x89, image[0]);
    // PerFlow holds the constraint and the regression does not
    for (Benchmark benchmark : Benchmark.values()) {
      double held = phys(lines, "PerFlow-4," + benchmark);
      double free = phys(lines, "conditional FNO," + benchmark);
      assertTrue(held < 1e-8 && free > 1e-6, benchmark + ": " + held + " and " + free);
    }
  }

  private static double phys(List<String> lines, String row) {
    String line = lines.stream().filter(text -> text.startsWith(row)).findFirst().orElseThrow();
    return Double.parseDouble(line.split(",", -1)[7]);
  }

  @Test
  void aPartOfTheBenchmarksIsAPartOfTheRows() throws IOException {
    Reproduction reproduction = new Reproduction(home, Scale.SMOKE, 1, new Witness(), Device.cpu());
    List<Path> written = // the ablation has no rows of Darcy
        reproduction.run(List.of(Study.TABLE2, Study.FNO), EnumSet.of(Benchmark.DARCY), Set.of());
    assertEquals(List.of(home.resolve("fno")), written);
    List<String> lines = Files.readAllLines(home.resolve("fno/results.csv"));
    assertEquals(1 + 2, lines.size());
    assertTrue(lines.stream().skip(1).allMatch(line -> line.contains(",darcy,")), lines.toString());
  }

  @Test
  void aPartOfTheSystemsIsTestedWithoutTimes() throws IOException {
    Witness witness = new Witness();
    Reproduction reproduction = new Reproduction(home, Scale.SMOKE, 1, witness, Device.cpu());
    reproduction.run(List.of(Study.FNO), EnumSet.of(Benchmark.DARCY), Set.of("cfno"));
    List<String> lines = Files.readAllLines(home.resolve("fno/results.csv"));
    assertEquals(1 + 1, lines.size());
    assertTrue(lines.get(1).startsWith("conditional FNO,darcy,"), lines.toString());
    assertFalse(Files.exists(home.resolve("times")));
    // and can be looked at before the rest is there
    int made = witness.lines.size();
    reproduction.finishedOnly(true).run(List.of(Study.FNO, Study.TABLE2));
    assertEquals(made, witness.lines.size());
    assertEquals(lines, Files.readAllLines(home.resolve("fno/results.csv")));
    assertFalse(Files.exists(home.resolve("table2")));
    reproduction.finishedOnly(false);
    // what was done apart is used by the whole
    int before = witness.lines.size();
    reproduction.run(List.of(Study.FNO), EnumSet.of(Benchmark.DARCY), Set.of());
    List<String> then = witness.lines.subList(before, witness.lines.size());
    assertTrue(then.stream().noneMatch(line -> line.contains("train cfno")), then.toString());
    String whole = Files.readString(home.resolve("fno/results.csv"));
    assertEquals(1 + 2, whole.lines().count());
    // tests and times alone are enough to write it again
    Files.move(home.resolve("fields"), home.resolve("no-fields"));
    Files.move(home.resolve("runs"), home.resolve("no-runs"));
    reproduction.run(List.of(Study.FNO), EnumSet.of(Benchmark.DARCY), Set.of());
    assertEquals(whole, Files.readString(home.resolve("fno/results.csv")));
    assertFalse(Files.exists(home.resolve("fields")) || Files.exists(home.resolve("runs")));
  }

  @Test
  void mapsAreDrawnOnceAndTrainingForThemIsAnnounced() throws IOException {
    Witness witness = new Witness();
    Reproduction reproduction = new Reproduction(home, Scale.SMOKE, 1, witness, Device.cpu());
    Path map = home.resolve("uq/poisson.png");
    reproduction.run(List.of(Study.UQ), EnumSet.of(Benchmark.POISSON), Set.of());
    byte[] drawn = Files.readAllBytes(map);
    List<String> first = new ArrayList<>(List.of("data"));
    for (String made : List.of("train", "train", "learn")) { // PerFlow, PerFlow-G, kriging
      first.addAll(List.of(made, "test", "draw"));
    }
    first.addAll(List.of("test", "draw")); // assimilation has the prior of kriging
    assertEquals(first, kinds(witness.lines));
    // results that are kept without data and models are enough
    Files.move(home.resolve("fields"), home.resolve("no-fields"));
    Files.move(home.resolve("runs"), home.resolve("no-runs"));
    witness.lines.clear();
    reproduction.run(List.of(Study.UQ), EnumSet.of(Benchmark.POISSON), Set.of());
    assertEquals(List.of(), witness.lines);
    assertTrue(Files.readString(home.resolve("uq/results.md")).contains("![](poisson.png)"));
    Files.delete(map);
    reproduction.run(List.of(Study.UQ), EnumSet.of(Benchmark.POISSON), Set.of());
    assertEquals(List.of("data", "train", "draw"), kinds(witness.lines));
    assertArrayEquals(drawn, Files.readAllBytes(map));
    // each system has its own
    for (String system : List.of("perflow-g", "kriging", "assimilation")) {
      byte[] other = Files.readAllBytes(home.resolve("uq/poisson-" + system + ".png"));
      assertFalse(Arrays.equals(drawn, other), system);
    }
  }

  // "[1/4] train perflow-poisson: 0.9 s; …" is a training
  private static List<String> kinds(List<String> lines) {
    return lines.stream().map(line -> line.split(" ")[1]).toList();
  }

  @Test
  void theStudyOfDataIsNotAmongTheData() throws IOException {
    Reproduction reproduction = new Reproduction(home, Scale.SMOKE, 1, new Witness(), Device.cpu());
    Path directory =
        reproduction.run(List.of(Study.DATA), EnumSet.of(Benchmark.POISSON), Set.of()).getFirst();
    try (Stream<Path> files = Files.list(directory)) {
      assertEquals(
          Set.of("configuration.json", "figure.png", "results.csv", "results.md"),
          files.map(file -> file.getFileName().toString()).collect(Collectors.toSet()));
    }
  }

  @Test
  void timesNeedNoTraining() throws IOException {
    Witness witness = new Witness();
    Reproduction reproduction = new Reproduction(home, Scale.SMOKE, 1, witness, Device.cpu());
    Path directory =
        reproduction.run(List.of(Study.TIME), EnumSet.of(Benchmark.POISSON), Set.of()).getFirst();
    assertEquals(List.of("time", "time"), kinds(witness.lines));
    // the time of kriging depends on the number of modes, which the data decide
    assertEquals(1, FileNames.of(home.resolve("runs"), "kriging-poisson-").size());
    assertEquals(1, FileNames.of(home.resolve("runs"), "").size());
    List<String> lines = Files.readAllLines(directory.resolve("results.csv"));
    assertEquals(1 + 14, lines.size());
    assertTrue(lines.get(1).startsWith("PerFlow-4,poisson,,1.0,,"), lines.get(1));
    assertTrue(lines.get(3).matches("kriging,poisson,,[0-9.E-]+,,[0-9.E-]+,,"), lines.get(3));
    String text = Files.readString(directory.resolve("results.md"));
    assertTrue(text.contains("| poisson | DiffusionPDE-4 (separate gradients) | "), text);
    assertTrue(text.contains(" | 6.8 | "), text);
    assertFalse(text.contains("NaN"), text);
  }

  @Test
  void timesOfThePapersSystemsNeedNoData() throws IOException {
    Witness witness = new Witness();
    Reproduction reproduction = new Reproduction(home, Scale.SMOKE, 1, witness, Device.cpu());
    Set<Benchmark> poisson = EnumSet.of(Benchmark.POISSON);
    reproduction.run(List.of(Study.TIME), poisson, Set.of("perflow", "unet"));
    assertEquals(List.of("time"), kinds(witness.lines));
    reproduction.run(List.of(Study.TIME), poisson, Set.of("perflow"));
    assertEquals(List.of("time", "time"), kinds(witness.lines));
    // systems that were not timed yet leave no empty rows
    reproduction.finishedOnly(true).run(List.of(Study.TIME), poisson, Set.of("perflow", "kriging"));
    assertEquals(List.of("PerFlow-4"), systems(home.resolve("time/results.csv")));
    assertFalse(Files.exists(home.resolve("fields")));
    assertFalse(Files.exists(home.resolve("runs")));
  }

  @Test
  void krigingIsLearntWithoutATrainingAndSharedByTheFlow() throws IOException {
    Witness witness = new Witness();
    Reproduction reproduction = new Reproduction(home, Scale.SMOKE, 1, witness, Device.cpu());
    Set<Benchmark> poisson = EnumSet.of(Benchmark.POISSON);
    List<Study> studies = List.of(Study.TABLE1, Study.UQ, Study.NOISE, Study.OBSERVATIONS);
    reproduction.run(studies, poisson, Set.of("kriging"));
    // one prior for 1 + 1 + 4 + 5 rows; that of table 1 is among those of the last two studies
    assertEquals(List.of("data", "learn"), kinds(witness.lines).subList(0, 2));
    assertEquals(9, kinds(witness.lines).stream().filter("test"::equals).count());
    assertFalse(kinds(witness.lines).contains("train"), witness.lines.toString());
    List<String> table = Files.readAllLines(home.resolve("table1/results.csv"));
    assertEquals(1 + 1, table.size());
    assertTrue(phys(table, "kriging,poisson") < 1e-8, table.toString());
    String uq = Files.readString(home.resolve("uq/results.md"));
    assertTrue(uq.contains("| coverage | calibrated |"), uq);
    assertTrue(uq.matches("(?s).*kriging \\| 4 samples (\\| [0-9.]+ ){5}.*"), uq);

    reproduction.run(List.of(Study.TABLE1), poisson, Set.of("perflow-g"));
    List<String> runs = FileNames.of(home.resolve("runs"), "");
    assertEquals(2, runs.size(), runs.toString());
    assertTrue(runs.getFirst().startsWith("kriging-poisson-"), runs.toString());
    Path flow = home.resolve("runs").resolve(runs.getLast());
    assertFalse(Files.exists(flow.resolve("prior.safetensors")));
  }

  /** Both weigh readings by their noise, so they have to know it. */
  @Test
  void systemsFromThePriorAreToldTheNoise() throws IOException {
    Laboratory laboratory = new Laboratory(home, SMOKE, new Witness(), Device.cpu());
    Problem problem = Benchmark.POISSON.problem(16, 40, 40);
    Rng rng = Rng.of(3);
    Tensor planes = problem.masks().draw(rng.split("masks"), 1);
    Observations seen = Observations.of(rng.split("fields").normal(problem.batch(1)), planes);
    for (Method method : List.of(Method.KRIGING, Method.PERFLOW_G)) {
      Trial exact = Trial.of(method, Benchmark.POISSON, method == Method.KRIGING ? 0 : 4, 0, SMOKE);
      Object made = laboratory.made(exact.training());
      double tight = misfit(method.of(made, exact.draw()), seen);
      double loose = misfit(method.of(made, exact.noise(0.5).draw()), seen);
      assertTrue(loose > 1.05 * tight, method + ": " + tight + " and " + loose);
    }
  }

  private static double misfit(Reconstructor system, Observations seen) {
    Tensor mean = system.reconstruct(seen, 8, Rng.of(4)).mean();
    return SensorMisfit.rms(mean, seen.values(), seen.mask()).item();
  }

  @Test
  void onThePapersGridsSlowSystemsAreMadeByNameOnly() throws IOException {
    Trial.Context grid = new Trial.Context(Scale.GRID, 1);
    List<Trial> rows = Study.TABLE1.trials(grid);
    for (Trial trial : rows) {
      boolean slow =
          Set.of(Model.EDM, Model.SCORE, Model.UNET, Model.FNO, Model.F_FNO)
              .contains(trial.method().model());
      assertEquals(!slow, Scale.GRID.includes(trial.method()), trial.label());
      assertTrue(Scale.CPU.includes(trial.method()));
    }
    // tests that were made before, as files are all that this needs
    Set<String> tested = Set.of("perflow", "perflow-g", "kriging", "cfno", "s3gm");
    Files.createDirectories(home.resolve("trials"));
    for (Trial trial : rows) {
      if (trial.benchmark() == Benchmark.DARCY && tested.contains(trial.method().toString())) {
        Path file = home.resolve("trials").resolve(Key.of(trial.toJson()) + ".json");
        Files.writeString(file, "{\"numbers\": {\"rel_l2\": 0.5}}");
      }
    }
    Reproduction reproduction = new Reproduction(home, Scale.GRID, 1, new Witness(), Device.cpu());
    reproduction.finishedOnly(true).run(List.of(Study.TABLE1));
    assertEquals(
        List.of("PerFlow-50", "PerFlow-G-50", "kriging", "conditional FNO", "S3GM-50", "S3GM-2000"),
        systems(home.resolve("table1/results.csv")));
    reproduction.run(List.of(Study.TABLE1), EnumSet.of(Benchmark.DARCY), Set.of("kriging"));
    assertEquals(List.of("kriging"), systems(home.resolve("table1/results.csv")));
    String text = Files.readString(home.resolve("table1/results.md"));
    assertTrue(text.contains("--scale grid --seed 1`: grids of 128 x 128 points, 5000 tr"), text);
  }

  private static List<String> systems(Path csv) throws IOException {
    return Files.readAllLines(csv).stream().skip(1).map(line -> line.split(",")[0]).toList();
  }

  @Test
  void aRowThatDivergedSaysSo() {
    Trial trial = Trial.of(Method.S3GM, Benchmark.BURGERS, 50, 50, PAPER);
    Trial other = Trial.of(Method.PERFLOW, Benchmark.BURGERS, 50, 50, PAPER);
    ResultTable table =
        new ResultTable(
            Study.TABLE1,
            List.of(
                new ResultTable.Row(trial, Outcome.failed("diverged at step 12 of 50")),
                new ResultTable.Row(other, Outcome.of(Map.of("rel_l2", 0.25, "phys_err", 1e-15)))));
    String text = table.markdown();
    assertTrue(text.contains("| burgers | S3GM-50 | diverged at step 12 of 50 | 6.99 | – |"), text);
    assertTrue(text.contains("| burgers | PerFlow-50 | 0.2500 | 0.0863 |"), text);
    assertFalse(text.contains("NaN"), text);
    String csv = table.csv();
    assertTrue(csv.contains("S3GM-50,burgers,,,"), csv);
    assertTrue(csv.contains("diverged at step 12 of 50\n"), csv);
    assertFalse(csv.contains("NaN"), csv);
    StudyFigure.of(table); // a gap, not a failure
  }

  @Test
  void rowsThatNoStudyHasAreAMistake() {
    Reproduction reproduction = new Reproduction(home, Scale.SMOKE, 1, new Witness(), Device.cpu());
    String message =
        assertThrows(
                IllegalArgumentException.class,
                () -> reproduction.run(List.of(Study.TABLE2), EnumSet.of(Benchmark.NS), Set.of()))
            .getMessage();
    assertEquals(
        "no such rows: table2 has perflow, rf, ddim, ddpm, ddpm-naive, fm on burgers", message);
    assertFalse(Files.exists(home.resolve("table2")));
  }
}
