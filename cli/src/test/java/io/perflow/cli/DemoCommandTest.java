package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.flow.Evaluation;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoCommandTest {
  private static Evaluation errors(String system, double one, double mean) {
    return new Evaluation(
        system, 2, 20, one, one, mean, mean, Map.of(), 0, 0, 0, 0, 0.9, 0.8, 0.9, Map.of(), 1, 1,
        1);
  }

  private static DemoTrial trial(DemoBenchmark benchmark, String system, double own, double paper) {
    return new DemoTrial(
        benchmark,
        Path.of("model"),
        errors(system, own, own),
        errors("kriging", 0.3, 0.3),
        errors("thin-plate", 0.4, 0.4),
        paper,
        null,
        null,
        null,
        "");
  }

  @Test
  void theSentenceFollowsTheNumbers() {
    List<DemoTrial> trials =
        List.of(
            trial(DemoBenchmark.BURGERS, "assimilation", 0.1, 0.2),
            trial(DemoBenchmark.DARCY, "assimilation", 0.35, 0.2));
    String sentence = new DemoReport(trials, new DemoTrial.Size(2, 20, 1)).sentence();
    assertTrue(
        sentence.startsWith("Assimilation has the smallest error on Burgers' equation, because"),
        sentence);
    assertTrue(sentence.contains("; kriging on Darcy flow, because"), sentence);
    assertTrue(
        sentence.endsWith("smaller error than the paper's on 1 of the 2 benchmarks."), sentence);
  }

  @Test
  void mistakesAreNamed(@TempDir Path home) {
    assertEquals(
        "perflow: %s: there is no such file; the demonstration needs the shipped models: --models DIR"
            .formatted(home.resolve("burgers.safetensors")),
        Shell.bad("demo", "--models", home, "--out", home.resolve("out")));
    assertEquals(
        "perflow: --steps is for --train; without it nothing is trained",
        Shell.bad("demo", "--steps", 3));
    assertEquals(
        "perflow: --samples 1 shows no uncertainty; ask for at least 2, usually 20",
        Shell.bad("demo", "--samples", 1));
  }
}
