package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainerTest {
  @TempDir Path directory;

  private static RectifiedFlow flow() {
    return RectifiedFlow.of(Small.config("burgers", FlowConfig.Prediction.CLEAN), Rng.of(1));
  }

  private static TrainConfig settings(long steps) {
    return new TrainConfig(steps, 4, 2e-3, 1e-4, 5, 1e-4, 1, 0.9, 7, true, 10, 7, 0);
  }

  private Trainer trainer(RectifiedFlow flow, long steps, String name) {
    return trainer(flow, settings(steps), name);
  }

  private Trainer trainer(RectifiedFlow flow, TrainConfig settings, String name) {
    DataSource data = DataSource.of(flow.config().problem(), Small.fields(flow, 10), settings);
    return new Trainer(flow, data, settings, directory.resolve(name))
        .validation(Small.fields(flow, 5));
  }

  private static TrainingListener into(List<Double> losses) {
    return new TrainingListener() {
      @Override
      public void step(long step, double loss, double rate) {
        losses.add(loss);
      }
    };
  }

  @Test
  void theLossFalls() throws IOException {
    List<Double> losses = new ArrayList<>();
    RectifiedFlow flow = flow();
    assertTrue(trainer(flow, 120, "falls").listener(into(losses)).train());
    double first = losses.subList(0, 10).stream().mapToDouble(x -> x).average().orElseThrow();
    double last = losses.subList(110, 120).stream().mapToDouble(x -> x).average().orElseThrow();
    assertTrue(last < 0.5 * first, "from " + first + " to " + last);
    RectifiedFlow best = RectifiedFlow.load(directory.resolve("falls").resolve(Trainer.BEST));
    assertEquals(flow.config(), best.config());
  }

  @Test
  void aRunThatIsStoppedAnywhereEndsAsIfItHadNotBeen() throws IOException {
    RectifiedFlow whole = flow();
    List<Double> expected = new ArrayList<>();
    trainer(whole, 30, "whole").listener(into(expected)).train();
    for (int cut : new int[] {1, 7, 19}) {
      List<Double> losses = new ArrayList<>();
      RectifiedFlow first = flow();
      Trainer early = trainer(first, 30, "cut" + cut).listener(into(losses));
      early.listener(
          new TrainingListener() {
            @Override
            public void step(long step, double loss, double rate) {
              if (step == cut) {
                early.stop();
              }
            }
          });
      assertEquals(false, early.train());
      RectifiedFlow second = flow();
      assertTrue(trainer(second, 30, "cut" + cut).listener(into(losses)).train());
      assertEquals(expected, losses);
      whole
          .network()
          .parameters()
          .forEach(
              (name, parameter) ->
                  assertArrayEquals(
                      parameter.value().toFloats(),
                      second.network().parameters().get(name).value().toFloats(),
                      name));
      assertArrayEquals(
          Files.readAllBytes(directory.resolve("whole").resolve(Trainer.BEST)),
          Files.readAllBytes(directory.resolve("cut" + cut).resolve(Trainer.BEST)));
    }
  }

  @Test
  void validationsReportThePhysics() throws IOException {
    List<Map<String, Double>> reports = new ArrayList<>();
    trainer(flow(), 10, "reports")
        .listener(
            new TrainingListener() {
              @Override
              public void validated(long step, double loss, Map<String, Double> diagnostics) {
                reports.add(diagnostics);
              }
            })
        .train();
    assertEquals(1, reports.size());
    assertTrue(reports.get(0).values().iterator().next() < 1e-12, reports.toString());
  }

  @Test
  void anotherRunsCheckpointIsRefused() throws IOException {
    trainer(flow(), 3, "same").train();
    Trainer other = trainer(flow(), settings(3).batch(5), "same");
    IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, other::train);
    assertTrue(refused.getMessage().contains("other settings"), refused.getMessage());
  }

  @Test
  void aLossThatIsNotFiniteNamesItsLayer() {
    RectifiedFlow flow = flow();
    Tensor weight = flow.network().parameters().get("stem.weight").value();
    flow.network().parameters().get("stem.weight").assign(weight.mul(1e38).mul(1e3));
    Trainer trainer = trainer(flow, 3, "nan");
    TrainingException stopped = assertThrows(TrainingException.class, trainer::train);
    assertTrue(stopped.getMessage().contains("stem"), stopped.getMessage());
  }
}
