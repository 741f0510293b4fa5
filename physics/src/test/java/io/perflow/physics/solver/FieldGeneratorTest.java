package io.perflow.physics.solver;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.Rng;
import io.perflow.tensor.Settings;
import io.perflow.tensor.io.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The laws that hold for every generator. */
@Isolated("sets the number of threads")
class FieldGeneratorTest {
  private final int threads = Settings.threads();

  @AfterEach
  void restoreThreads() {
    Settings.threads(threads);
  }

  // large enough that the transforms are cut into tasks for several threads
  private static Stream<FieldGenerator> generators() {
    return Stream.of(
        Burgers.paper().size(12, 128).substeps(4),
        Poisson.standard(),
        Darcy.standard(),
        Darcy.standard().grid(Darcy.Grid.CELLS),
        NavierStokes.standard().grid(128, 64).times(2, 0.04));
  }

  @ParameterizedTest
  @MethodSource("generators")
  void samplesHaveTheSameBitsWhateverRunsBeside(FieldGenerator generator) throws Exception {
    int samples = 6;
    Settings.threads(1);
    List<double[]> alone = new ArrayList<>();
    for (int i = 0; i < samples; i++) {
      alone.add(generator.sample(Rng.of(42).split(i)));
    }
    for (int pool : new int[] {1, 2, 5}) {
      Settings.threads(pool);
      try (ExecutorService workers = Executors.newFixedThreadPool(3)) {
        List<Future<double[]>> together = new ArrayList<>();
        for (int i = 0; i < samples; i++) {
          Rng rng = Rng.of(42).split(i);
          together.add(workers.submit(() -> generator.sample(rng)));
        }
        for (int i = 0; i < samples; i++) {
          assertArrayEquals(alone.get(i), together.get(i).get(), pool + " threads, sample " + i);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("generators")
  void shapeAndParametersDescribeTheSample(FieldGenerator generator) throws Exception {
    double[] sample = generator.sample(Rng.of(1));
    assertEquals(generator.problem().batch(1).size(), sample.length);
    for (double value : sample) {
      assertTrue(Double.isFinite(value));
    }
    Map<String, Object> parameters = generator.parameters();
    assertTrue(parameters.containsKey("equation"));
    String text = Json.write(parameters);
    assertEquals(text, Json.write(Json.parse(text)), "parameters survive the metadata of a file");
  }
}
