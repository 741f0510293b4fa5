package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.nn.optim.Optimizer;
import io.perflow.nn.optim.Sgd;
import io.perflow.physics.Problem;
import io.perflow.physics.constraint.Mass;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TrainerTest {
  @TempDir Path directory;

  private static RectifiedFlow flow() {
    return RectifiedFlow.of(Small.config("burgers", FlowConfig.Prediction.CLEAN), Rng.of(1));
  }

  private static TrainConfig settings(long steps) {
    return new TrainConfig(
        steps, 4, 2e-3, 1e-4, 5, 1e-4, 1, 0.9, 7, true, 10, 7, 0, TrainConfig.Method.ADAMW, 1);
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
      assertSameRun("whole", whole, "cut" + cut, second);
    }
  }

  private void assertSameRun(String one, RectifiedFlow first, String other, RectifiedFlow second)
      throws IOException {
    first
        .network()
        .parameters()
        .forEach(
            (name, parameter) ->
                assertArrayEquals(
                    parameter.value().toFloats(),
                    second.network().parameters().get(name).value().toFloats(),
                    name));
    assertArrayEquals(
        Files.readAllBytes(directory.resolve(one).resolve(Trainer.BEST)),
        Files.readAllBytes(directory.resolve(other).resolve(Trainer.BEST)));
  }

  /** Interrupts the training thread at a step, a validation or a checkpoint. */
  private record Interrupting(String when, long at) implements TrainingListener {
    @Override
    public void step(long step, double loss, double rate) {
      interrupt("step", step);
    }

    @Override
    public void validated(long step, double loss, Map<String, Double> diagnostics) {
      interrupt("validated", step);
    }

    @Override
    public void saved(long step, Path file) {
      interrupt("saved", step);
    }

    private void interrupt(String what, long step) {
      if (what.equals(when) && step == at) {
        Thread.currentThread().interrupt();
      }
    }
  }

  // at step 7 a checkpoint is due, at step 10 a validation, which writes weights
  @ParameterizedTest
  @CsvSource({"step, 3", "step, 7", "saved, 7", "step, 10", "validated, 10"})
  void aRunThatIsInterruptedEndsAsIfItHadNotBeen(String when, long at) throws IOException {
    RectifiedFlow whole = flow();
    List<Double> expected = new ArrayList<>();
    trainer(whole, 14, "whole").listener(into(expected)).train();
    List<Double> losses = new ArrayList<>();
    Trainer early =
        trainer(flow(), 14, "cut").listener(into(losses)).listener(new Interrupting(when, at));
    String message = assertThrows(CancellationException.class, early::train).getMessage();
    assertEquals("the computation was ended: its thread was interrupted", message);
    assertEquals(at, early.steps());
    // nothing begins on a thread that is still interrupted
    assertThrows(CancellationException.class, trainer(flow(), 14, "cut")::train);
    assertTrue(Thread.interrupted());
    RectifiedFlow second = flow();
    assertTrue(trainer(second, 14, "cut").listener(into(losses)).train());
    assertEquals(expected, losses);
    assertSameRun("whole", whole, "cut", second);
  }

  @Test
  void aTimeLimitEndsARunAfterItsStep() throws IOException {
    Trainer trainer = trainer(flow(), 1_000_000, "limit");
    try (Cancellation _ = Cancellation.after(Duration.ofMillis(300))) {
      assertThrows(CancellationException.class, trainer::train);
    }
    assertEquals(trainer.steps(), trainer(flow(), 1_000_000, "limit").resume());
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
  void anotherRunsCheckpointIsRefusedAndNothingChanges() throws IOException {
    trainer(flow(), 3, "same").train();
    RectifiedFlow flow = flow();
    Trainer other = trainer(flow, settings(3).batch(5).ema(0.8), "same");
    String refused = refused(other);
    assertTrue(
        refused.contains("other settings: batch 4, not 5; ema 0.9, not 0.8; give the same"),
        refused);
    float[] before = flow().network().parameters().get("stem.weight").value().toFloats();
    float[] after = flow.network().parameters().get("stem.weight").value().toFloats();
    assertArrayEquals(before, after);
    assertTrue(refused(trainer(flow(), 2, "same")).contains("has done 3 steps, more than the 2"));
  }

  @Test
  void aRunForAnotherProblemIsRefused() throws IOException {
    trainer(flow(), 3, "problem").train();
    FlowConfig config = Small.config("burgers", FlowConfig.Prediction.CLEAN);
    Problem other = config.problem().with(List.of(Mass.over(3).value(0.1)));
    RectifiedFlow flow = RectifiedFlow.of(config.problem(other), Rng.of(1));
    String refused = refused(trainer(flow, 3, "problem"));
    assertTrue(refused.contains("flow.problem.constraints [mass@x=0], not [mass@x=0.1]"), refused);
  }

  private static String refused(Trainer trainer) {
    return assertThrows(IllegalArgumentException.class, trainer::train).getMessage();
  }

  @Test
  void moreStepsCanFollowLater() throws IOException {
    List<Double> losses = new ArrayList<>();
    assertTrue(trainer(flow(), 10, "more").listener(into(losses)).train());
    RectifiedFlow flow = flow();
    Trainer longer = trainer(flow, 20, "more").listener(into(losses));
    assertEquals(10, longer.resume());
    assertTrue(longer.train());
    assertEquals(20, longer.steps());
    // the first ten steps are those of a run of ten, and the others are new
    List<Double> short10 = new ArrayList<>();
    trainer(flow(), 10, "short").listener(into(short10)).train();
    assertEquals(20, losses.size());
    assertEquals(short10, losses.subList(0, 10));
    // the same on another day, bit for bit
    List<Double> again = new ArrayList<>();
    trainer(flow(), 10, "again").listener(into(again)).train();
    trainer(flow(), 20, "again").listener(into(again)).train();
    assertEquals(losses, again);
  }

  @Test
  void anOptimizerOfOnesOwnIsUsed() throws IOException {
    RectifiedFlow flow = flow();
    float[] before = flow.network().parameters().get("stem.weight").value().toFloats();
    List<Optimizer> made = new ArrayList<>();
    Trainer trainer =
        trainer(flow, settings(2).ema(0), "sgd")
            .optimizer(
                parameters -> {
                  made.add(Sgd.of(1e-3).momentum(0.9).build(parameters));
                  return made.getLast();
                });
    trainer.train();
    assertEquals(1, made.size());
    assertEquals(2, made.getFirst().steps());
    float[] after = flow.network().parameters().get("stem.weight").value().toFloats();
    assertTrue(Math.abs(before[0] - after[0]) > 0);
    // AdamW finds the memory of another optimizer in the file
    String refused = refused(trainer(flow(), settings(2).ema(0), "sgd"));
    assertTrue(refused.contains("is unknown"), refused);
  }

  @Test
  void aDataSourceOfOnesOwnIsAskedForEveryStep() throws IOException {
    RectifiedFlow flow = flow();
    Tensor fields = Small.fields(flow, 3);
    List<Long> asked = new ArrayList<>();
    DataSource source =
        step -> {
          asked.add(step);
          return fields;
        };
    List<Double> losses = new ArrayList<>();
    new Trainer(flow, source, settings(3), directory.resolve("source"))
        .listener(into(losses))
        .train();
    assertEquals(List.of(0L, 1L, 2L), asked);
    double expected = flow().loss(fields, Rng.of(7).split("step").split(0)).item();
    assertEquals(expected, losses.getFirst());
  }

  @Test
  void trainingEndsWhenValidationsNoLongerGetBetter() throws IOException {
    // steps too small for single precision: all validations are the same
    TrainConfig still = settings(100).rate(1e-30).weightDecay(0).validateEvery(3).patience(2);
    Trainer trainer = trainer(flow(), still, "patient");
    assertTrue(trainer.train());
    assertTrue(trainer.stoppedEarly());
    assertEquals(9, trainer.steps());
    // the run is over, and the file says so
    Trainer later = trainer(flow(), still, "patient");
    assertTrue(later.train());
    assertEquals(9, later.steps());
    // more patience goes on
    Trainer patient = trainer(flow(), still.patience(4), "patient");
    assertTrue(patient.train());
    assertEquals(15, patient.steps());
  }

  @Test
  void whoeverStopsBeforeTheFirstValidationHasWeightsToUse() throws IOException {
    RectifiedFlow flow = flow();
    Trainer trainer = trainer(flow, 30, "early");
    trainer.listener(
        new TrainingListener() {
          @Override
          public void step(long step, double loss, double rate) {
            trainer.stop();
          }
        });
    assertEquals(false, trainer.train());
    assertTrue(trainer.bestLoss().isEmpty());
    RectifiedFlow best = RectifiedFlow.load(directory.resolve("early").resolve(Trainer.BEST));
    assertEquals(flow.config(), best.config());
    assertArrayEquals(
        flow.network().parameters().get("stem.weight").value().toFloats(),
        best.network().parameters().get("stem.weight").value().toFloats());
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
