package io.perflow.physics.prior;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Dataset;
import io.perflow.physics.Problem;
import io.perflow.physics.Scaling;
import io.perflow.physics.solver.Heat;
import io.perflow.tensor.Rng;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The next sensor against the variance that every candidate leaves, computed exactly. */
class NextSensorTest {
  private static final Heat PLATE = Heat.standard().size(12);
  private static final Problem PROBLEM = PLATE.problem();
  private static final GaussianPrior PRIOR =
      GaussianPrior.learn(
          Dataset.of(PROBLEM, PLATE.samples(80, Rng.of(1)), Scaling.UNIT, Map.of()));

  private static double left(int... entries) {
    Kriging known = PRIOR.given(Sensing.at(PROBLEM, entries, 0.02));
    return known.deviation().square().sum().item();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 100}) // 100 readings are more than there are modes
  void takesAwayNearlyAsMuchAsTheBest(int there) {
    int[] given = IntStream.range(0, there).map(i -> 144 * i / Math.max(1, there)).toArray();
    List<int[]> candidates = IntStream.range(0, 144).mapToObj(cell -> new int[] {cell}).toList();
    Kriging known = PRIOR.given(Sensing.at(PROBLEM, given, 0.02));
    int found = NextSensor.of(PRIOR, Rng.of(2)).best(known, candidates, 0.02);
    double before = left(given);
    double most = 0;
    for (int cell = 0; cell < 144; cell++) {
      most = Math.max(most, before - left(with(given, cell)));
    }
    double taken = before - left(with(given, found));
    assertTrue(taken >= 0.6 * most, taken + " of " + most);
  }

  private static int[] with(int[] given, int... more) {
    return IntStream.concat(IntStream.of(given), IntStream.of(more)).toArray();
  }

  @Test
  void sensorsOfSeveralReadingsCountWhatTheirReadingsShare() {
    // the same point twice is worth no more than once, and less than two points far apart
    List<int[]> candidates = List.of(new int[] {40, 40}, new int[] {40, 110});
    Kriging nothing = PRIOR.given(Sensing.at(PROBLEM, new int[0], 0));
    assertEquals(1, NextSensor.of(PRIOR, Rng.of(2)).best(nothing, candidates, 0.02));
  }

  @Test
  void refusesCandidatesThatDiffer() {
    Kriging nothing = PRIOR.given(Sensing.at(PROBLEM, new int[0], 0));
    NextSensor search = NextSensor.of(PRIOR, Rng.of(2));
    assertThrows(IllegalArgumentException.class, () -> search.best(nothing, List.of(), 0));
    List<int[]> uneven = List.of(new int[] {1}, new int[] {2, 3});
    var refused =
        assertThrows(IllegalArgumentException.class, () -> search.best(nothing, uneven, 0));
    assertTrue(refused.getMessage().contains("all must read 1"), refused.getMessage());
  }
}
