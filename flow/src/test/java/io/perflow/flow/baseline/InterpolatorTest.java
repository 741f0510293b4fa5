package io.perflow.flow.baseline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.flow.Observations;
import io.perflow.physics.Problem;
import io.perflow.physics.interpolation.Interpolation;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InterpolatorTest {
  @ParameterizedTest
  @EnumSource(Interpolation.class)
  void readingsAreMetAndChannelsWithoutThemAreTheirMean(Interpolation kind) {
    Observations both = Problems.observations("poisson");
    Tensor planes = Tensor.concat(1, both.planes().slice(1, 0, 1), Tensor.zeros(1, 1, 16, 16));
    Observations seen = Observations.of(both.values(), planes);
    Tensor drawn =
        new Interpolator(Problems.problem("poisson"), kind)
            .reconstruct(seen, 2, Rng.of(1))
            .samples();
    assertEquals(2, drawn.dim(0));
    double missed = drawn.mul(seen.mask()).sub(seen.values()).abs().max(false).item();
    assertEquals(0, missed, 1e-5);
    assertEquals(0, drawn.slice(1, 1, 2).abs().max(false).item());
    assertTrue(drawn.slice(1, 0, 1).square().mean().item() > 1e-3);
  }

  @ParameterizedTest
  @EnumSource(Interpolation.class)
  void aLineOfPointsHasNoWidth(Interpolation kind) {
    Problem rod = Problem.named("rod").axis("y", 0, 0, 1).axis("x", 0, 1, 9).channel("T").build();
    float[] mask = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    float[] line = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    Observations seen = Observations.of(Tensor.of(line, 1, 1, 1, 9), Tensor.of(mask, 1, 1, 1, 9));
    float[] filled =
        new Interpolator(rod, kind).reconstruct(seen, 1, Rng.of(1)).samples().toFloats();
    for (int i = 0; i < 9; i++) {
      // the nearest reading is two points away at most
      assertEquals(line[i], filled[i], kind == Interpolation.NEAREST ? 2 : 1e-4, "point " + i);
    }
  }
}
