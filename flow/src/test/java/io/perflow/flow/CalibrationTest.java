package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.constraint.Constraint;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Error bars cover the part of the truth that they promise. */
class CalibrationTest {
  private static final Problem PROBLEM = Small.problem("darcy");

  /** Fields of pure noise, drawn with a spread that is wrong by a factor. */
  private record Wrong(double factor, Optional<Calibration> calibration, double finest)
      implements FieldSampler {
    Wrong(double factor, Optional<Calibration> calibration) {
      this(factor, calibration, FINEST);
    }

    @Override
    public String name() {
      return "wrong by " + factor;
    }

    @Override
    public Problem problem() {
      return PROBLEM;
    }

    @Override
    public Normalization normalization() {
      return Normalization.identity(PROBLEM.channelCount());
    }

    @Override
    public Optional<PriorModel> prior() {
      return Optional.empty();
    }

    @Override
    public List<Constraint> held(Readings readings) {
      return List.of();
    }

    @Override
    public Ensemble draw(Readings readings, int count, Rng rng) {
      return new Ensemble(rng.normal(PROBLEM.batch(count)).mul(factor));
    }

    @Override
    public Ensemble reconstruct(Observations seen, int count, Rng rng) {
      return new Ensemble(rng.normal(PROBLEM.batch(count)).mul(factor));
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.1, 1, 5})
  void intervalsHoldWhatTheyPromiseWhateverTheSpread(double factor) {
    Tensor known = Rng.of(1).normal(PROBLEM.batch(16));
    Calibration found =
        Calibration.fit(new Wrong(factor, Optional.empty()), known, 20, Rng.of(2), _ -> {});
    Tensor fields = Rng.of(3).normal(PROBLEM.batch(20));
    Tensor planes = PROBLEM.masks().draw(Rng.of(4), 20);
    Evaluation judged =
        Evaluation.of(
            new Wrong(factor, Optional.of(found)),
            PROBLEM,
            Normalization.identity(PROBLEM.channelCount()),
            fields,
            planes,
            fields.mul(PROBLEM.expand(planes)),
            20,
            Rng.of(5),
            _ -> {});
    assertEquals(0.9, judged.calibrated(), 0.02);
    assertEquals(judged.calibrated(), judged.reliability().get(0.9));
    if (factor == 0.1) {
      assertTrue(judged.coverage() < 0.3, "the samples cover " + judged.coverage());
    }
  }

  @Test
  void wideErrorBarsAreNarrowedForUsualReadingsOnly() {
    Tensor known = Rng.of(1).normal(PROBLEM.batch(16));
    Calibration found =
        Calibration.fit(new Wrong(5, Optional.empty()), known, 20, Rng.of(2), _ -> {});
    Wrong system = new Wrong(5, Optional.of(found));
    Tensor field = Rng.of(3).normal(PROBLEM.batch(1));
    Readings exact = Readings.observe(PROBLEM, field, PROBLEM.masks().draw(Rng.of(4), 1));
    Reconstruction usual = Reconstruction.of(system, exact, 20, Rng.of(5));
    double plain = usual.fields().deviation().mean().item();
    assertTrue(usual.deviation().mean().item() < 0.5 * plain, "usual readings");
    Readings noisy = Readings.of(PROBLEM).sigma(0.1).at("a", 0.3, 0.5, 0.5).build();
    Reconstruction careful = Reconstruction.of(system, noisy, 20, Rng.of(5));
    assertTrue(careful.deviation().mean().item() >= 0.99 * plain, "readings with noise");
  }

  // samples that agree to the last digit, as those of a well determined equation nearly do, would
  // need factors without bound
  @Test
  void deviationsThatSayNothingAreTakenForTheFinest() {
    Tensor known = Rng.of(1).normal(PROBLEM.batch(40)).mul(1e-3);
    Calibration found =
        Calibration.fit(new Wrong(0, Optional.empty(), 1e-2), known, 5, Rng.of(2), _ -> {});
    Ensemble same = new Ensemble(Tensor.zeros(PROBLEM.batch(3).toArray()));
    // errors are 1e-3 in root mean square
    assertEquals(1e-3, found.deviation(same).max(false).item(), 1e-4);
    assertEquals(1, found.factors().getFirst().values().size());
    assertEquals(1e-2, found.cautious().deviation(same).max(false).item(), 1e-12);
  }

  @Test
  void theWidthOfAnIntervalIsThatOfTheNormalDistribution() {
    assertEquals(1.6448536, Calibration.width(0.9), 1e-6);
    assertEquals(0.6744898, Calibration.width(0.5), 1e-6);
    assertEquals(2.5758293, Calibration.width(0.99), 1e-6);
  }

  @Test
  void aFileKeepsIt() throws IOException {
    Tensor known = Rng.of(1).normal(PROBLEM.batch(4));
    Calibration found =
        Calibration.fit(new Wrong(2, Optional.empty()), known, 5, Rng.of(2), _ -> {});
    Object json = Json.parse(Json.write(found.toJson()));
    assertEquals(found, Calibration.fromJson(json, PROBLEM));
    assertThrows(
        FileFormatException.class,
        () -> Calibration.fromJson(json, Small.problem("burgers")),
        "factors of two quantities for one");
    assertThrows(
        FileFormatException.class,
        () -> Calibration.fromJson(Map.of("quantities", List.of()), PROBLEM));
  }
}
