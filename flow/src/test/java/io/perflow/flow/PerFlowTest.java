package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Dataset;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.Scaling;
import io.perflow.physics.Sensors;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** The steps of a user: fields and readings in kelvin go in, fields in kelvin come out. */
class PerFlowTest {
  private static final Problem HEAT =
      Problem.named("heat")
          .axis("y", 0, 1, 16)
          .axis("x", 0, 2, 16)
          .channel("T", "K")
          .constrain("mass:T=300")
          .sensors(Sensors.points(4, 8))
          .symmetries("mirror:x")
          .build();

  @TempDir static Path directory;

  private static PerFlow flow;
  private static final List<Double> LOSSES = new ArrayList<>();

  /** Plates with a warm and a cold side, of mean 300 K. */
  private static Tensor fields(int count) {
    double[] values = new double[count * 256];
    Rng rng = Rng.of(3);
    for (int s = 0; s < count; s++) {
      double a = 3 * rng.nextDouble();
      double b = 2 * rng.nextDouble() - 1;
      for (int i = 0; i < 256; i++) {
        // cosines at the centres of cells have mean 0
        double y = Math.cos(Math.PI * (i / 16 + 0.5) / 16);
        double x = Math.cos(Math.PI * (i % 16 + 0.5) / 16);
        values[s * 256 + i] = 300 + a * x + b * y * x;
      }
    }
    return Tensor.of(values, count, 1, 16, 16);
  }

  @BeforeAll
  static void train() throws IOException {
    flow =
        PerFlow.of(HEAT)
            .train(fields(24), TrainConfig.fast(30, 4, 7).rate(4e-3))
            .network(Small.network())
            .listener(
                new TrainingListener() {
                  @Override
                  public void step(long step, double loss, double rate) {
                    LOSSES.add(loss);
                  }
                })
            .run(directory.resolve("run"));
  }

  private static Readings readings() {
    Tensor truth = fields(30).slice(0, 29, 30).contiguous();
    return Readings.observe(HEAT, truth, HEAT.masks().draw(Rng.of(4), 1));
  }

  private static PerFlow.Drawing drawing() {
    return flow.reconstruct(readings()).samples(3).solver(OdeSolver.euler(5));
  }

  @Test
  void fieldsComeOutInKelvinWithTheirMeanExact() {
    Reconstruction found = drawing().draw(Rng.of(1));
    Tensor samples = found.fields().samples();
    assertEquals(List.of(3, 1, 16, 16), dims(samples));
    for (double mean : samples.mean(1, 2, 3).toDoubles()) {
      assertEquals(300, mean, 1e-10);
    }
    double spread = Math.sqrt(samples.add(-300).square().mean().item());
    assertTrue(spread > 0.3 && spread < 6, "fields spread by " + spread + " K");
    // grid point (3, 5) and the middle between it and the next one
    Estimate there = found.at("T", 3 / 15.0, 2 * 5 / 15.0);
    assertEquals(pixel(samples, 3, 5), there.mean(), 1e-9);
    Estimate between = found.at("T", 3 / 15.0, 2 * 5.5 / 15);
    assertEquals((pixel(samples, 3, 5) + pixel(samples, 3, 6)) / 2, between.mean(), 1e-9);
    assertTrue(there.toString().matches("T = [23]\\d\\d\\.\\d ± \\S+ K"), there.toString());
    assertEquals(3, there.samples().length);
    assertTrue(there.quantile(0) <= there.mean() && there.mean() <= there.quantile(1));
    assertEquals(1, found.misfits().size());
    assertEquals("T", found.misfits().getFirst().quantity().name());
    assertEquals(List.of(), found.warnings());
  }

  private static double pixel(Tensor samples, int y, int x) {
    return samples.slice(2, y, y + 1).slice(3, x, x + 1).mean().item();
  }

  private static List<Integer> dims(Tensor tensor) {
    return List.of(tensor.dim(0), tensor.dim(1), tensor.dim(2), tensor.dim(3));
  }

  @Test
  void thirtyStepsAreSteps() {
    assertEquals(30, LOSSES.size());
    double first = LOSSES.subList(0, 10).stream().mapToDouble(x -> x).average().orElseThrow();
    double last = LOSSES.subList(20, 30).stream().mapToDouble(x -> x).average().orElseThrow();
    assertTrue(last < 0.9 * first, "the loss goes from " + first + " to " + last);
  }

  @Test
  void aPriorIsAModelToo() throws IOException {
    PriorModel learnt = PriorModel.learn(Dataset.of(HEAT, fields(24), Scaling.UNIT, Map.of()));
    Path file = directory.resolve("prior.safetensors");
    PerFlow.of(learnt).save(file);
    PerFlow model = PerFlow.load(file);
    assertEquals(HEAT, model.problem());
    assertTrue(model.flow().isEmpty());
    assertArrayEquals(
        Reconstruction.of(learnt.kriging().exact(true), readings(), 3, Rng.of(1))
            .fields()
            .samples()
            .toDoubles(),
        model
            .reconstruct(readings())
            .samples(3)
            .sensors(FlowSampler.Agreement.EXACT)
            .draw(Rng.of(1))
            .fields()
            .samples()
            .toDoubles());
    IllegalStateException steps =
        assertThrows(
            IllegalStateException.class,
            () -> model.reconstruct(readings()).solver(OdeSolver.euler(5)));
    assertEquals(
        "[reconstruct] solver(…) does not apply to kriging; leave it out", steps.getMessage());
  }

  @Test
  void theFlowIsTheBestOfItsDirectory() throws IOException {
    PerFlow read = PerFlow.load(directory.resolve("run").resolve(Trainer.BEST));
    assertEquals(HEAT, read.problem());
    double[] expected = drawing().draw(Rng.of(1)).fields().samples().toDoubles();
    double[] found =
        read.reconstruct(readings())
            .samples(3)
            .solver(OdeSolver.euler(5))
            .draw(Rng.of(1))
            .fields()
            .samples()
            .toDoubles();
    assertArrayEquals(expected, found);
    Path own = directory.resolve("own.safetensors");
    flow.save(own);
    assertEquals(HEAT, PerFlow.load(own).problem());
  }

  @Test
  void readingsBetweenGridPointsAndOverBoxesAreMetExactly() {
    Readings readings =
        Readings.of(HEAT)
            .at("T", 301.3, 0.31, 0.77)
            .at("T", 299.1, 0.5, 1.9)
            .at("T", 300.4, 3 / 15.0, 2 * 5 / 15.0)
            .box("T", 300.05, new double[] {0.5, 0.25}, new double[] {0.9, 1.1})
            .line("T", 299.7, new double[] {0, 1}, new double[] {1, 1.5})
            .build();
    Reconstruction found =
        flow.reconstruct(readings)
            .samples(3)
            .solver(OdeSolver.euler(4))
            .sensors(FlowSampler.Agreement.EXACT)
            .constrain("dirichlet:T@x-high=299")
            .draw(Rng.of(1));
    double[] x = found.fields().samples().toDoubles();
    for (int s = 0; s < 3; s++) {
      for (Readings.Reading reading : readings.all()) {
        double read = 0;
        for (int i = 0; i < reading.cells().length; i++) {
          read += reading.weights()[i] * x[s * 256 + reading.cells()[i]];
        }
        assertEquals(reading.value(), read, 1e-9, reading.source());
      }
      assertEquals(299, x[s * 256 + 15], 1e-9);
    }
    found
        .certificate()
        .worst()
        .forEach(entry -> assertEquals(0, entry.physical().max(), 1e-9, entry.constraint()));
    assertEquals(3, found.certificate().worst().size(), "mass, wall and readings");
    assertEquals(0, found.misfits().getFirst().max(), 1e-9);
    assertTrue(
        found.warnings().stream().anyMatch(line -> line.contains("average")),
        found.warnings().toString());
  }

  @Test
  void noSensorAtAllGivesFieldsToo() {
    Readings none = Readings.of(HEAT).build();
    for (FlowSampler.Agreement agreement : FlowSampler.Agreement.values()) {
      Reconstruction found =
          flow.reconstruct(none)
              .samples(2)
              .solver(OdeSolver.euler(3))
              .sensors(agreement)
              .draw(Rng.of(1));
      assertEquals(300, found.fields().samples().mean().item(), 1e-9);
      assertEquals(List.of(), found.misfits());
    }
  }

  // ---- mistakes

  private static void bad(String message, Executable mistake) {
    RuntimeException refused = assertThrows(RuntimeException.class, mistake);
    assertTrue(refused.getMessage().contains(message), refused.getMessage());
  }

  private static Problem resized(int size) {
    return HEAT.resized(size, size);
  }

  @Test
  void mistakesAreOneLine() {
    bad(
        "8 x 8 points and 16 x 16",
        () -> flow.reconstruct(Readings.of(resized(8)).build()).draw(Rng.of(1)));
    Problem water =
        Problem.named("water").axis("y", 0, 1, 16).axis("x", 0, 2, 16).channel("h", "m").build();
    bad(
        "the readings are of water, the model is for heat: channels [h] and [T]",
        () -> flow.reconstruct(Readings.of(water).build()).draw(Rng.of(1)));
    Problem shorter =
        Problem.named("heat").axis("y", 0, 1, 16).axis("x", 0, 1, 16).channel("T", "K").build();
    bad("axes", () -> flow.reconstruct(Readings.of(shorter).build()).draw(Rng.of(1)));
    Reconstruction found = drawing().samples(1).draw(Rng.of(1));
    bad("has no quantity 'p'; it has T", () -> found.at("p", 0.5, 0.5));
    bad("x = 3.0 lies outside [0.0, 2.0]", () -> found.at("T", 0.5, 3));
    bad("has the coordinates y, x, not [0.5]", () -> found.at("T", 0.5));
    bad("at least one sample", () -> drawing().samples(0).draw(Rng.of(1)));
    bad("constraint 'mass:S=3'", () -> drawing().constrain("mass:S=3"));
  }

  @Test
  void mistakesInTrainingDataAreOneLine() {
    TrainConfig settings = TrainConfig.fast(2, 2, 1);
    Path nowhere = directory.resolve("nowhere");
    bad("call train(fields, settings) first", () -> PerFlow.of(HEAT).run(nowhere));
    bad("[4, 1, 16, 16]", () -> PerFlow.of(resized(8)).train(fields(4), settings));
    bad("at least 2", () -> PerFlow.of(HEAT).train(fields(1), settings).run(nowhere));
    bad(
        "the data break the constraint mass:T=300",
        () -> PerFlow.of(HEAT).train(fields(4).add(0.01), settings).run(nowhere));
    Problem cold =
        Problem.named("cold").axis("y", 0, 1, 16).axis("x", 0, 2, 16).channel("C", "°C").build();
    Dataset other = Dataset.of(cold, fields(4), Scaling.UNIT, Map.of());
    bad(
        "the data are of cold, the flow is for heat: channels [C] and [T]",
        () -> PerFlow.of(HEAT).train(other, settings));
    double[] broken = fields(4).toDoubles();
    broken[300] = Double.NaN;
    bad(
        "sample 1, channel T, row 2, column 12 is NaN",
        () -> PerFlow.of(HEAT).train(Tensor.of(broken, 4, 1, 16, 16), settings));
  }
}
