package io.perflow.physics.solver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.Rng;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class HeatTest {
  private static final Heat HEAT = Heat.standard().size(16);

  /** -Laplace T = 1000 cos(2 pi y) cos(3 pi x) has the solution T = 1000 q / (pi^2 (4 + 9)). */
  @Test
  void aCosineIsSolvedExactly() {
    double[] source = new double[16 * 16];
    Arrays.setAll(
        source,
        i ->
            Math.cos(2 * Math.PI * (i / 16 + 0.5) / 16)
                * Math.cos(3 * Math.PI * (i % 16 + 0.5) / 16));
    double[] found = HEAT.solve(source);
    for (int i = 0; i < found.length; i++) {
      assertEquals(300 + 1000 * source[i] / (13 * Math.PI * Math.PI), found[i], 1e-10);
    }
  }

  @Test
  void theMeanIsTheGivenOneAndDeviationsAreOfSomeKelvin() {
    double[] sample = Heat.standard().sample(Rng.of(1));
    double mean = Arrays.stream(sample).average().orElseThrow();
    assertEquals(300, mean, 1e-10);
    double deviation =
        Math.sqrt(Arrays.stream(sample).map(t -> (t - mean) * (t - mean)).average().orElseThrow());
    assertTrue(deviation > 1 && deviation < 100, "deviation " + deviation);
  }
}
