package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.perflow.physics.Dataset;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Scaling;
import io.perflow.tensor.Tensor;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecipeTest {
  @ParameterizedTest
  @CsvSource({
    "128, 128, 8",
    "64, 64, 4",
    "100, 100, 6",
    "16, 512, 6",
    "20, 36, 2",
    "1, 128, 1",
    "7, 7, 1"
  })
  void patchesAreAboutTwoHundredFiftySixOnAnyGrid(int height, int width, int patch) {
    Problem problem =
        Problem.named("field").axis("y", 0, 1, height).axis("x", 0, 1, width).channel("T").build();
    FlowConfig config = Recipe.FAST.flow(problem, Normalization.identity(1));
    assertEquals(patch, config.network().patch());
  }

  @Test
  void velocitiesWithAMeanHaveNoStreamFunction() {
    Problem problem = Small.problem("ns");
    RectifiedFlow flow = Small.flow("ns", FlowConfig.Prediction.CLEAN);
    Tensor still = Small.fields(flow, 3);
    still = still.sub(still.mean(true, 2, 3));
    Dataset without = Dataset.of(problem, still, Scaling.UNIT, Map.of());
    Dataset with = Dataset.of(problem, still.add(0.1), Scaling.UNIT, Map.of());
    assertEquals(FlowConfig.Head.STREAM_FUNCTION, Recipe.FAST.flow(without).head());
    assertEquals(FlowConfig.Head.DIRECT, Recipe.FAST.flow(with).head());
    assertEquals(FlowConfig.Prediction.CORRECTION, Recipe.FAST.flow(with).prediction());
    assertEquals(FlowConfig.Prediction.VELOCITY, Recipe.PAPER.flow(with).prediction());
  }
}
