package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Dataset;
import io.perflow.physics.Problem;
import io.perflow.physics.ProgressListener;
import io.perflow.physics.Readings;
import io.perflow.physics.Scaling;
import io.perflow.physics.solver.Burgers;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Solutions of an equation that fit readings, with a prior learnt from data. */
class AssimilationTest {
  private static final Burgers EQUATION = Burgers.paper().size(33, 32).substeps(4);
  private static PriorModel model;
  private static Tensor truth; // F64, physical units
  private static Readings readings;

  @TempDir Path directory;

  @BeforeAll
  static void learn() {
    Problem problem = EQUATION.problem();
    Dataset data = Dataset.of(problem, EQUATION.samples(400, Rng.of(1)), Scaling.UNIT, Map.of());
    model = PriorModel.learn(data).use(PriorModel.Use.ASSIMILATION);
    truth = Tensor.of(EQUATION.sample(Rng.of(2)), 1, 1, 33, 32);
    readings = Readings.observe(problem, truth, problem.masks().draw(Rng.of(3), 1));
  }

  private static double error(Tensor fields) {
    double missed = fields.to(DataType.F64).sub(truth).square().mean().item();
    return Math.sqrt(missed / truth.square().mean().item());
  }

  @Test
  void samplesSolveTheEquationAndAreFarBetterThanKriging() {
    Reconstruction found = Reconstruction.of(model.sampler(), readings, 6, Rng.of(4));
    assertEquals(List.of(), found.warnings());
    Tensor samples = found.fields().samples();
    Tensor solutions = EQUATION.fields(EQUATION.cause(samples));
    double residual = solutions.sub(samples).abs().max(false).item();
    assertTrue(residual < 1e-10, "samples leave the equation by " + residual);
    var certified = found.certificate().worst().getLast();
    assertEquals("equation", certified.constraint());
    assertEquals(residual, certified.physical().max(), 1e-12);
    Reconstruction simple = Reconstruction.of(model.kriging(), readings, 6, Rng.of(4));
    double kriged = error(simple.fields().mean());
    double assimilated = error(found.fields().mean());
    assertTrue(
        assimilated < 0.3 * kriged,
        "assimilation %.3f, kriging %.3f".formatted(assimilated, kriged));
  }

  @Test
  void aListenerSeesTheWorkGoOnToItsEnd() {
    List<Double> parts = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    ProgressListener listener =
        (part, note) -> {
          parts.add(part);
          notes.add(note);
        };
    model.sampler().listener(listener).draw(readings, 2, Rng.of(4));
    assertEquals(parts.stream().sorted().toList(), parts);
    assertEquals(0, parts.getFirst());
    assertTrue(parts.getLast() >= 0.5 && parts.getLast() <= 1, "the end is at " + parts.getLast());
    assertEquals("starting from kriging", notes.getFirst());
    assertTrue(notes.get(1).matches("readings missed by .* times their error"), notes.get(1));
    parts.clear();
    model
        .assimilation()
        .polishing(model.kriging(), 2)
        .listener(listener)
        .draw(readings, 4, Rng.of(4));
    assertEquals(parts.stream().sorted().toList(), parts);
    assertTrue(parts.getFirst() >= 0.5, "kriging comes before: " + parts.getFirst());
    assertTrue(parts.getLast() >= 0.8, "the last of four samples begins at " + parts.getLast());
  }

  @Test
  void polishedSamplesSolveTheEquationAndFitTheReadings() {
    FieldSampler simple = model.kriging();
    Assimilation polishing = model.assimilation().polishing(simple, 12);
    assertEquals("kriging, polished", polishing.name());
    Reconstruction found = Reconstruction.of(polishing, readings, 4, Rng.of(4));
    var certified = found.certificate().worst().getLast();
    assertEquals("equation", certified.constraint());
    assertTrue(certified.physical().max() < 1e-10, certified.toString());
    double before = error(Reconstruction.of(simple, readings, 4, Rng.of(4)).fields().mean());
    double after = error(found.fields().mean());
    assertTrue(after < 0.5 * before, "from %.3f to %.3f".formatted(before, after));
    assertEquals(Optional.empty(), polishing.calibration(), "the other system's does not apply");
    Tensor again = polishing.draw(readings, 4, Rng.of(4)).samples();
    assertArrayEquals(
        found.fields().samples().toDoubles(),
        model.normalization().denormalize(again).toDoubles(),
        1e-9,
        "the same seed gives the same samples");
  }

  @Test
  void theSameSeedGivesTheSameSamples() {
    Tensor one = model.sampler().draw(readings, 2, Rng.of(4)).samples();
    Tensor two = model.sampler().draw(readings, 2, Rng.of(4)).samples();
    assertArrayEquals(one.toDoubles(), two.toDoubles());
    Tensor more = model.sampler().draw(readings, 3, Rng.of(4)).samples();
    assertArrayEquals(one.slice(0, 0, 1).toDoubles(), more.slice(0, 0, 1).toDoubles(), 1e-9);
  }

  @Test
  void aWrongEquationIsNoticed() {
    Burgers wrong = new Burgers(33, 32, 0.1, 2, 5, 25, false, 4);
    PriorModel other =
        new PriorModel(
            model.problem().with(wrong),
            model.normalization(),
            model.prior(),
            PriorModel.Use.ASSIMILATION,
            Optional.empty());
    Reconstruction found = Reconstruction.of(other.sampler(), readings, 2, Rng.of(4));
    assertTrue(
        found.warnings().stream()
            .anyMatch(w -> w.contains("no solution of the equation was found")),
        "warnings: " + found.warnings());
  }

  @Test
  void statedNoiseIsHonoured() {
    Assimilation careful = model.assimilation().noise(0.3);
    Assimilation exact = model.assimilation();
    Tensor field = model.normalization().normalize(truth).to(DataType.F32);
    Observations seen = Observations.of(field, model.problem().masks().draw(Rng.of(3), 1));
    double wide = careful.reconstruct(seen, 6, Rng.of(4)).deviation().mean().item();
    double narrow = exact.reconstruct(seen, 6, Rng.of(4)).deviation().mean().item();
    assertTrue(wide > 3 * narrow, "spread %.3g with noise, %.3g without".formatted(wide, narrow));
  }

  @Test
  void aFileKnowsWhatItIsFor() throws IOException {
    Path file = directory.resolve("model.safetensors");
    model.save(file);
    PriorModel read = PriorModel.load(file);
    assertEquals(PriorModel.Use.ASSIMILATION, read.use());
    assertEquals(EQUATION, read.problem().equation().orElseThrow());
    assertEquals("assimilation", read.sampler().name());
    assertEquals("kriging", read.use(PriorModel.Use.KRIGING).sampler().name());
  }

  @Test
  void aProblemWithoutAnEquationIsRefused() {
    Problem plain =
        Problem.named("plain").axis("y", 0, 1, 8).axis("x", 0, 1, 8).channel("T").build();
    Dataset data =
        Dataset.of(
            plain,
            Rng.of(1).normal(truth.device(), plain.batch(20), DataType.F32),
            Scaling.UNIT,
            Map.of());
    PriorModel prior = PriorModel.learn(data);
    var e = assertThrows(IllegalArgumentException.class, prior::assimilation);
    assertTrue(e.getMessage().startsWith("plain states no equation"), e.getMessage());
  }
}
