package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.prior.Kriging;
import io.perflow.physics.prior.Sensing;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Flows that start from the Gaussian prior of their data. */
class PriorFlowTest {
  @TempDir Path directory;

  private static FlowConfig config(String benchmark) {
    return Small.config(benchmark, FlowConfig.Prediction.PRIOR);
  }

  private static RectifiedFlow untrained(String benchmark) {
    FlowConfig config = config(benchmark);
    return RectifiedFlow.of(config, Small.prior(config), Rng.of(1));
  }

  private static Readings readings(RectifiedFlow flow, double factor) {
    Problem problem = flow.config().problem();
    Tensor field = flow.config().normalization().denormalize(Small.fields(flow, 1)).mul(factor);
    return Readings.observe(problem, field, problem.masks().draw(Rng.of(6), 1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"burgers", "poisson", "ns"})
  void untrainedItDrawsTheSamplesOfKriging(String benchmark) {
    RectifiedFlow flow = untrained(benchmark);
    Observations seen = Small.observations(flow);
    Tensor drawn =
        FlowSampler.of(flow).solver(OdeSolver.euler(400)).reconstruct(seen, 3, Rng.of(5)).samples();
    Tensor expected =
        PriorModel.of(flow).orElseThrow().kriging().reconstruct(seen, 3, Rng.of(5)).samples();
    double error = drawn.sub(expected).abs().max(false).item();
    // Euler's method shrinks deviations from the mean by about 2 / steps
    assertTrue(error < 0.02, "the flow without training is %.2g from kriging".formatted(error));
  }

  @Test
  void aListenerSeesEveryStepOfEveryBatch() {
    RectifiedFlow flow = untrained("poisson");
    List<Double> parts = new ArrayList<>();
    FlowSampler sampler = FlowSampler.of(flow).solver(OdeSolver.euler(4)).batch(2);
    sampler
        .listener((part, _) -> parts.add(part))
        .reconstruct(Small.observations(flow), 4, Rng.of(5));
    assertEquals(List.of(0., 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875), parts);
  }

  @Test
  void aFileGivesTheSameSamplesAndOneInHalfPrecisionNearlyTheSame() throws IOException {
    RectifiedFlow flow = Small.flow(config("darcy"));
    Observations seen = Small.observations(flow);
    float[] expected = FlowSampler.of(flow).reconstruct(seen, 2, Rng.of(5)).samples().toFloats();
    Path whole = directory.resolve("whole.safetensors");
    Path half = directory.resolve("half.safetensors");
    flow.save(whole);
    flow.saveHalf(half);
    assertArrayEquals(
        expected,
        FlowSampler.of(RectifiedFlow.load(whole))
            .reconstruct(seen, 2, Rng.of(5))
            .samples()
            .toFloats());
    float[] shipped =
        FlowSampler.of(RectifiedFlow.load(half))
            .reconstruct(seen, 2, Rng.of(5))
            .samples()
            .toFloats();
    assertArrayEquals(expected, shipped, 0.05f);
    assertTrue(Files.size(half) < 0.8 * Files.size(whole));
  }

  @Test
  void readingsAreMetExactlyOrAsFarAsTheirNoiseAllows() {
    RectifiedFlow flow = Small.flow(config("poisson"));
    Readings exact = readings(flow, 1);
    Ensemble met =
        FlowSampler.of(flow).sensors(FlowSampler.Agreement.EXACT).draw(exact, 2, Rng.of(5));
    Tensor values = Sensing.values(exact, flow.config().normalization());
    Tensor read = Sensing.of(exact, flow.config().normalization()).read(met.samples());
    assertEquals(0, read.sub(values).abs().max(false).item(), 1e-4);

    // a reading whose noise is as large as the field's deviation moves the field half way at most
    Kriging noisy =
        flow.prior()
            .given(Sensing.of(flow.config().problem(), Small.observations(flow).planes(), 3));
    Tensor before = flow.prior().mean();
    Tensor wanted = noisy.sensing().read(before).add(1);
    Tensor moved =
        noisy.sensing().read(noisy.fit(before, wanted)).sub(noisy.sensing().read(before));
    assertTrue(moved.max(false).item() < 0.6, "noisy readings were taken for exact: " + moved);
  }

  @Test
  void krigingHoldsWhatIsDemandedOfIt() {
    RectifiedFlow flow = untrained("poisson");
    Readings readings = readings(flow, 1);
    Problem problem = flow.config().problem();
    KrigingSampler sampler =
        PriorModel.of(flow)
            .orElseThrow()
            .kriging()
            .exact(true)
            .constrain(List.of(problem.constraint("mass:u=0.3")));
    // before the last projection in double precision, which would hide a sampler that forgets one
    Tensor drawn = sampler.draw(readings, 3, Rng.of(5)).samples();
    Tensor read = Sensing.of(readings, sampler.normalization()).read(drawn);
    Tensor wanted = Sensing.values(readings, sampler.normalization());
    assertEquals(0, read.sub(wanted).abs().max(false).item(), 1e-4);
    Reconstruction found = Reconstruction.of(sampler, readings, 3, Rng.of(5));
    found.misfits().forEach(misfit -> assertEquals(0, misfit.max(), 1e-9));
    double[] means = found.fields().samples().slice(1, 1, 2).mean(2, 3).toDoubles();
    for (double mean : means) {
      assertEquals(0.3, mean, 1e-9);
    }
    assertTrue(found.certificate().worst().size() >= 3, "boundary, mass and sensors are certified");
  }

  @Test
  void aRunThatHelpsNothingKeepsThePriorAlone() throws IOException {
    RectifiedFlow flow = untrained("poisson");
    Tensor fields = Small.fields(flow, 12);
    TrainConfig wild = TrainConfig.fast(4, 4, 1).rate(5).validateEvery(1).warmup(0);
    DataSource data = DataSource.of(flow.config().problem(), fields, wild);
    Trainer trainer = new Trainer(flow, data, wild, directory).validation(fields);
    trainer.train();
    assertTrue(trainer.untrainedIsBest());
    RectifiedFlow best = RectifiedFlow.load(directory.resolve(Trainer.BEST));
    Observations seen = Small.observations(best);
    assertArrayEquals(
        FlowSampler.of(untrained("poisson")).reconstruct(seen, 1, Rng.of(5)).samples().toFloats(),
        FlowSampler.of(best).reconstruct(seen, 1, Rng.of(5)).samples().toFloats());
  }

  @Test
  void anInterruptedRunGoesOnAsIfItHadNotStopped() throws IOException {
    FlowConfig config = config("burgers");
    Tensor fields = Small.fields(untrained("burgers"), 12);
    TrainConfig settings = TrainConfig.fast(6, 4, 1);
    float[] whole = weights(run(config, fields, settings, "whole", 6));
    run(config, fields, settings, "parts", 3);
    assertArrayEquals(whole, weights(run(config, fields, settings, "parts", 6)));
    assertTrue(Files.exists(directory.resolve("parts").resolve(PriorModel.FILE)));
  }

  private RectifiedFlow run(
      FlowConfig config, Tensor fields, TrainConfig settings, String name, int steps)
      throws IOException {
    Path run = directory.resolve(name);
    RectifiedFlow flow =
        RectifiedFlow.of(config, run, fields.slice(0, 0, 8), fields.slice(0, 8, 12), Rng.of(1));
    DataSource data = DataSource.of(config.problem(), fields, settings);
    Trainer trainer = new Trainer(flow, data, settings, run).validation(fields);
    trainer.listener(
        new TrainingListener() {
          @Override
          public void step(long step, double loss, double rate) {
            if (step == steps) {
              trainer.stop();
            }
          }
        });
    trainer.train();
    return flow;
  }

  private static float[] weights(RectifiedFlow flow) {
    return flow.network().values().getLast().toFloats();
  }

  @Test
  void readingsInOtherUnitsAreTold() {
    RectifiedFlow flow = Small.flow(config("poisson"));
    Reconstruction usual = Reconstruction.of(FlowSampler.of(flow), readings(flow, 1), 3, Rng.of(5));
    Reconstruction wrong =
        Reconstruction.of(FlowSampler.of(flow), readings(flow, 1000), 3, Rng.of(5));
    assertTrue(usual.distance() < 4, "usual readings lie " + usual.distance() + " deviations off");
    assertEquals(1000, wrong.distance() / usual.distance(), 100);
    assertTrue(
        wrong.warnings().stream()
            .anyMatch(w -> w.contains("deviations outside the training data")));
    double ratio = wrong.deviation().mean().item() / usual.deviation().mean().item();
    assertTrue(ratio > 100, "error bars grew by " + ratio + " only");
  }

  @Test
  void aSingleWrongReadingIsNamed() {
    FlowConfig config = config("poisson");
    config = config.problem(config.problem().with(config.problem().sensors().count(30, 30)));
    RectifiedFlow flow = RectifiedFlow.of(config, Small.prior(config), Rng.of(1));
    Problem problem = config.problem();
    Tensor field = config.normalization().denormalize(Small.fields(flow, 1));
    Readings right = Readings.observe(problem, field, problem.masks().draw(Rng.of(6), 1));
    Readings.Builder spoiled = Readings.of(problem);
    for (int i = 0; i < right.size(); i++) {
      Readings.Reading reading = right.all().get(i);
      int cell = reading.cells()[0];
      double[] place = {
        problem.grid().rows().coordinate(cell / problem.grid().width()),
        problem.grid().columns().coordinate(cell % problem.grid().width())
      };
      String quantity = problem.channels().get(reading.channel());
      spoiled.source("line " + i).at(quantity, reading.value() + (i == 17 ? 40 : 0), place);
    }
    FlowSampler sampler = FlowSampler.of(flow);
    Reconstruction found = Reconstruction.of(sampler, spoiled.build(), 2, Rng.of(5));
    assertTrue(
        found.warnings().stream().anyMatch(line -> line.startsWith("line 17, value ")),
        found.warnings().toString());
    assertFalse(
        Reconstruction.of(sampler, right, 2, Rng.of(5)).warnings().stream()
            .anyMatch(line -> line.contains("all other readings")));
  }

  @Test
  void aPriorAndItsFlowBelongTogether() {
    FlowConfig noise = Small.config("poisson", FlowConfig.Prediction.CORRECTION);
    assertThrows(
        IllegalArgumentException.class, () -> RectifiedFlow.of(config("poisson"), Rng.of(1)));
    assertThrows(
        IllegalArgumentException.class,
        () -> RectifiedFlow.of(noise, Small.prior(config("poisson")), Rng.of(1)));
    assertThrows(IllegalArgumentException.class, () -> noise.base(SourceDistribution.PRIOR));
  }
}
