package io.perflow.cli.reproduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.Device;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The results that the project keeps are those of the studies as they are now. */
class KeptResultsTest {
  private static final Path KEPT = Path.of("..", "docs", "results");

  @TempDir Path home;

  /**
   * All rows of version 0.1 and those of kriging; a flow from the prior was not trained yet, and
   * the systems that were added to the paper's were not timed.
   */
  @Test
  void keptResultsAreFoundAgain() throws IOException {
    Trial.Context cpu = new Trial.Context(Scale.CPU, 1);
    Laboratory laboratory = new Laboratory(KEPT, cpu, new Witness(), Device.cpu());
    Stopwatch stopwatch = new Stopwatch(KEPT, new Witness(), laboratory);
    Set<String> trials = new HashSet<>();
    int timed = 0;
    for (Study study : Study.values()) {
      for (Trial trial : study.tested() ? study.trials(cpu) : List.<Trial>of()) {
        boolean made = trial.method() != Method.PERFLOW_G;
        assertEquals(made, laboratory.isTested(trial), study + ": " + trial.toJson());
        if (made) {
          trials.add(Key.of(trial.toJson()) + ".json");
        }
      }
      for (Timing timing : study.timings(cpu)) {
        boolean added = timing.trials().stream().anyMatch(t -> t.method() == Method.KRIGING);
        assertEquals(!added, stopwatch.isTimed(timing), study + ": " + timing.toJson());
        timed += added ? 0 : 1;
      }
    }
    assertTrue(timed >= 10, timed + " timings");
    assertEquals(trials, Set.copyOf(FileNames.of(KEPT.resolve("trials"), "")));
  }

  /** On the paper's grids there are the rows of kriging and all of table 1. */
  @Test
  void keptResultsOnThePapersGridsAreFoundAgain() throws IOException {
    Trial.Context grid = new Trial.Context(Scale.GRID, 1);
    Set<String> trials = new HashSet<>();
    for (Study study : Study.values()) {
      for (Trial trial : study.tested() ? study.trials(grid) : List.<Trial>of()) {
        boolean tabled = study == Study.TABLE1 && Scale.GRID.includes(trial.method());
        if (trial.method() == Method.KRIGING || tabled) {
          trials.add(Key.of(trial.toJson()) + ".json");
        }
      }
    }
    assertEquals(trials, Set.copyOf(FileNames.of(KEPT.resolve("grid/trials"), "")));
  }

  @Test
  void keptResultsGiveTheKeptTables() throws IOException {
    assertKeptTables(KEPT, Scale.CPU, List.of(Study.values()));
    assertKeptTables(
        KEPT.resolve("grid"),
        Scale.GRID,
        List.of(Study.TABLE1, Study.UQ, Study.NOISE, Study.OBSERVATIONS));
  }

  private void assertKeptTables(Path kept, Scale scale, List<Study> studies) throws IOException {
    Path copy = home.resolve(scale.toString());
    for (String part : List.of("trials", "times")) {
      Path copies = Files.createDirectories(copy.resolve(part));
      for (String name :
          Files.exists(kept.resolve(part))
              ? FileNames.of(kept.resolve(part), "")
              : List.<String>of()) {
        Files.copy(kept.resolve(part).resolve(name), copies.resolve(name));
      }
    }
    Witness witness = new Witness();
    new Reproduction(copy, scale, 1, witness, Device.cpu()).finishedOnly(true).run(studies);
    assertEquals(List.of(), witness.lines);
    for (Study study : studies) {
      Path table = Path.of(study.toString(), "results.csv");
      assertEquals(Files.readString(kept.resolve(table)), Files.readString(copy.resolve(table)));
    }
  }
}
