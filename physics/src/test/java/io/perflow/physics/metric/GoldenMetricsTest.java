package io.perflow.physics.metric;

import static io.perflow.fixtures.Close.assertClose;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.perflow.fixtures.Resources;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every metric against numbers NumPy made from the definitions (metrics_golden.py). */
class GoldenMetricsTest {
  private static final double TOLERANCE = 1e-13;
  private static final Map<String, Tensor> GOLDEN = new HashMap<>();

  @BeforeAll
  static void load() throws IOException {
    try (Npz file = Npz.read(Resources.path("/physics/metrics.npz"))) {
      for (String name : file.names()) {
        GOLDEN.put(name, file.load(name));
      }
    }
  }

  @Test
  void relativeErrors() {
    Tensor x = GOLDEN.get("error.prediction");
    Tensor y = GOLDEN.get("error.truth");
    assertClose("l2", GOLDEN.get("error.l2"), RelativeError.l2(x, y, 2), TOLERANCE);
    assertClose("l1", GOLDEN.get("error.l1"), RelativeError.l1(x, y, 2), TOLERANCE);
  }

  @Test
  void sensorMisfits() {
    Tensor x = GOLDEN.get("error.prediction");
    Tensor y = GOLDEN.get("error.truth");
    Tensor m = GOLDEN.get("sensors.mask");
    assertClose("rms", GOLDEN.get("sensors.rms"), SensorMisfit.rms(x, y, m), TOLERANCE);
    assertClose(
        "relative", GOLDEN.get("sensors.relative"), SensorMisfit.relative(x, y, m), TOLERANCE);
    assertClose("largest", GOLDEN.get("sensors.largest"), SensorMisfit.largest(x, y, m), TOLERANCE);
  }

  @Test
  void spectraOnEvenAndOddGrids() {
    for (String grid : new String[] {"spectrum.even.", "spectrum.odd."}) {
      Tensor field = GOLDEN.get(grid + "field");
      assertClose(grid, GOLDEN.get(grid + "isotropic"), EnergySpectrum.isotropic(field), TOLERANCE);
      assertClose(grid, GOLDEN.get(grid + "rows"), EnergySpectrum.alongRows(field), TOLERANCE);
    }
  }

  @Test
  void ensembleScores() {
    EnsembleScores scores = EnsembleScores.of(0.5, 0.9);
    for (int i = 0; i < 2; i++) {
      scores.add(GOLDEN.get("ensemble.members." + i), GOLDEN.get("ensemble.truth." + i));
    }
    double[] expected = GOLDEN.get("ensemble.scores").toDoubles();
    assertEquals(expected[0], scores.crps(), TOLERANCE);
    assertEquals(expected[1], scores.fairCrps(), TOLERANCE);
    assertEquals(expected[2], scores.coverage(0.5), TOLERANCE);
    assertEquals(expected[3], scores.coverage(0.9), TOLERANCE);
    assertEquals(expected[4], scores.spreadSkillRatio(), TOLERANCE);
    assertEquals(expected[5], scores.spreadErrorCorrelation(), TOLERANCE);
    double[] ranks = GOLDEN.get("ensemble.ranks").toDoubles();
    assertArrayEquals(ranks, scores.rankHistogram(), TOLERANCE);
  }
}
