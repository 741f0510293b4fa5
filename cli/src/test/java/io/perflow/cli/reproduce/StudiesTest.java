package io.perflow.cli.reproduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.flow.SourceDistribution;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Normalization;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the studies train and test, before anything is run. */
class StudiesTest {
  private static final Trial.Context SMOKE = new Trial.Context(Scale.SMOKE, 1);
  private static final Trial.Context PAPER = new Trial.Context(Scale.PAPER, 1);

  @Test
  void aLongRunIsTimedOnAPart() {
    Trial trial = Trial.of(Method.DIFFUSION_PDE, Benchmark.BURGERS, 2000, 2000, PAPER);
    assertEquals(100, Timing.steps(trial));
    assertEquals(20, Timing.factor(trial));
    Trial regression = Trial.of(Method.CFNO, Benchmark.BURGERS, 0, 0, PAPER);
    assertEquals(0, Timing.steps(regression));
    assertEquals(1, Timing.factor(regression));
    // table 1 has its times from the same runs as the table of times, whose rows include its own
    List<Timing> groups = Study.TABLE1.timings(PAPER);
    assertEquals(Study.TIME.timings(PAPER), groups);
    assertEquals(
        List.of(10, 10, 10, 10, 5, 5, 5, 4), // all but Navier-Stokes can be assimilated, too
        groups.stream().map(group -> group.trials().size()).toList());
    // each has PerFlow to compare with
    assertTrue(groups.stream().allMatch(group -> group.reference().isPresent()));
    List<Trial> timed = groups.stream().flatMap(group -> group.trials().stream()).toList();
    assertTrue(timed.containsAll(Study.TABLE1.trials(PAPER)));
    assertEquals(new HashSet<>(timed), new HashSet<>(Study.TIME.trials(PAPER)));
  }

  @Test
  void theGridsOfThePaperHaveItsSensorsAndFields() throws IOException {
    Trial.Context grid = new Trial.Context(Scale.GRID, 1);
    for (Benchmark benchmark : Benchmark.values()) {
      boolean flow = benchmark == Benchmark.NS;
      Trial trial = Trial.of(Method.PERFLOW_G, benchmark, 50, 50, grid);
      assertEquals(benchmark.sensors(), trial.sensors());
      assertEquals(flow ? 1000 : 5000, trial.training().fields());
      assertEquals(flow ? 64 : 128, trial.training().problem().grid().width());
      assertEquals(20, trial.fields());
      UNetConfig network =
          trial
              .training()
              .setting(Normalization.identity(trial.training().problem().channelCount()))
              .network();
      int patches = benchmark.size() / network.patch();
      assertEquals(benchmark == Benchmark.DARCY ? 32 : 16, patches, benchmark.toString());
      assertEquals(2000, trial.training().schedule().steps());
    }
    assertEquals(5, Trial.of(Method.S3GM, Benchmark.DARCY, 2000, 2000, grid).fields());
    // the shipped models have these networks, up to their channels
    Path models = Path.of("..", "models");
    for (Benchmark benchmark : List.of(Benchmark.BURGERS, Benchmark.DARCY)) {
      String file = benchmark == Benchmark.DARCY ? "network-darcy.json" : "network.json";
      UNetConfig shipped = UNetConfig.parse(Files.readString(models.resolve(file)));
      UNetConfig ours = Scale.GRID.network(benchmark).channels(1, 1);
      assertEquals(shipped.toJson(), ours.toJson());
    }
  }

  @Test
  void everyNumberOfThePaperHasItsPlace() throws IOException {
    Set<String> known = new HashSet<>();
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(
                Study.class.getResourceAsStream("paper.csv"), StandardCharsets.UTF_8))) {
      in.lines().skip(1).forEach(line -> known.add(line.substring(0, line.lastIndexOf(','))));
    }
    Set<String> used = new HashSet<>();
    for (Study study : Study.values()) {
      for (Trial trial : study.trials(PAPER)) {
        for (Metric metric : study.metrics()) {
          if (!PaperValues.of(study, trial, metric).isEmpty()) {
            used.add(
                String.join(
                    ",",
                    study.toString(),
                    trial.paper(),
                    trial.benchmark().toString(),
                    trial.setting(),
                    metric.key()));
          }
        }
      }
    }
    assertEquals(known, used);
    assertTrue(known.size() > 60);
  }

  @Test
  void configurationsThatDifferHaveOtherKeys() throws IOException {
    Training usual = Training.of(Scale.SMOKE, Model.PERFLOW, Benchmark.BURGERS, 1);
    Set<String> keys = new HashSet<>();
    for (Training training :
        List.of(
            usual,
            usual.base(SourceDistribution.UNIFORM),
            usual.fields(3),
            usual.sensors(2, 4),
            Training.of(Scale.SMOKE, Model.PERFLOW, Benchmark.BURGERS, 2),
            Training.of(Scale.SMOKE, Model.RF, Benchmark.BURGERS, 1),
            Training.of(Scale.SMOKE, Model.PERFLOW_G, Benchmark.BURGERS, 1),
            Training.of(Scale.SMOKE, Model.KRIGING, Benchmark.BURGERS, 1),
            Training.of(Scale.SMOKE, Model.KRIGING, Benchmark.BURGERS, 2),
            Training.of(Scale.SMOKE, Model.KRIGING, Benchmark.BURGERS, 1).fields(3),
            Training.of(Scale.SMOKE, Model.PERFLOW, Benchmark.DARCY, 1),
            Training.of(Scale.CPU, Model.PERFLOW, Benchmark.BURGERS, 1))) {
      keys.add(Key.of(training.toJson()));
    }
    assertEquals(12, keys.size());
    assertEquals(
        Key.of(usual.toJson()),
        Key.of(Training.of(Scale.SMOKE, Model.PERFLOW, Benchmark.BURGERS, 1).toJson()));
    Trial trial = Trial.of(Method.DDIM, Benchmark.BURGERS, 4, 50, SMOKE);
    assertNotEquals(Key.of(trial.toJson()), Key.of(trial.noise(0.1).toJson()));
    assertNotEquals(Key.of(trial.toJson()), Key.of(trial.weight(2).toJson()));
  }

  @Test
  void onTwoCoresTheSlowestSystemsAreTestedOnFewerFields() {
    Trial.Context cpu = new Trial.Context(Scale.CPU, 1);
    for (Method guided : List.of(Method.DIFFUSION_PDE, Method.S3GM)) {
      assertEquals(5, Trial.of(guided, Benchmark.DARCY, 2000, 2000, cpu).fields());
      assertEquals(20, Trial.of(guided, Benchmark.DARCY, 50, 50, cpu).fields());
      assertEquals(20, Trial.of(guided, Benchmark.DARCY, 2000, 2000, PAPER).fields());
    }
    assertEquals(20, Trial.of(Method.DDPM, Benchmark.BURGERS, 1000, 1000, cpu).fields());
  }

  @Test
  void studiesShareWhatTheyTrain() throws IOException {
    // every study but two needs nothing of its own that table 1 or 2 has not trained
    Map<Study, Integer> own = new HashMap<>();
    Set<String> trained = new HashSet<>();
    for (Study study : Study.values()) {
      Set<String> keys = new HashSet<>();
      for (Trial trial : study.trials(PAPER)) {
        keys.add(Key.of(trial.training().toJson()));
      }
      keys.removeAll(trained);
      own.put(study, keys.size());
      trained.addAll(keys);
    }
    assertEquals(36, own.get(Study.TABLE1));
    assertEquals(3, own.get(Study.TABLE2));
    for (Study study : List.of(Study.FNO, Study.STEPS, Study.UQ, Study.NOISE, Study.WEIGHT)) {
      assertEquals(0, own.get(study), study.toString());
    }
    assertEquals(2, own.get(Study.OBSERVATIONS));
    assertEquals(4, own.get(Study.DATA));
  }

  @Test
  void unknownNamesAreListed() {
    String what =
        assertThrows(IllegalArgumentException.class, () -> Study.of("table3")).getMessage();
    assertTrue(
        what.contains("'table3'") && what.contains("table1, time, table2, fno, steps"), what);
    String system =
        assertThrows(IllegalArgumentException.class, () -> Method.of(Set.of("fnoo"))).getMessage();
    assertTrue(system.contains("'fnoo'") && system.contains("unet, fno, f-fno"), system);
    String scale = assertThrows(IllegalArgumentException.class, () -> Scale.of("gpu")).getMessage();
    assertTrue(scale.contains("'gpu'") && scale.contains("smoke, cpu, grid, paper"), scale);
  }
}
