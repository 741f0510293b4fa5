package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Threads;
import io.perflow.nn.Initializer;
import io.perflow.nn.Weights;
import io.perflow.tensor.Rng;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One flow, many threads. */
class SharedFlowTest {
  @TempDir Path directory;

  private static float[] draw(FieldSampler sampler, Observations seen, int seed) {
    return sampler.reconstruct(seen, 2, Rng.of(seed)).samples().toFloats();
  }

  @ParameterizedTest
  @EnumSource
  void threadsDrawWhatOneWouldDraw(Threads threads) throws Exception {
    RectifiedFlow noise = Small.flow("ns", FlowConfig.Prediction.VELOCITY);
    RectifiedFlow prior = Small.flow("burgers", FlowConfig.Prediction.PRIOR);
    OdeSolver solver = OdeSolver.multistep(3);
    List<FieldSampler> samplers =
        List.of(
            FlowSampler.of(noise).solver(solver),
            FlowSampler.of(prior).solver(solver).sensors(FlowSampler.Agreement.LEAST_SQUARES),
            PriorModel.of(prior).orElseThrow().kriging());
    List<Observations> seen =
        List.of(Small.observations(noise), Small.observations(prior), Small.observations(prior));
    IntFunction<float[]> work = i -> draw(samplers.get(i % 3), seen.get(i % 3), i % 5);
    // the first draws are those of many threads: what the projectors keep is made by them, too
    List<float[]> found = threads.all(6 * Threads.COUNT, work);
    for (int i = 0; i < found.size(); i++) {
      assertArrayEquals(work.apply(i), found.get(i), "draw " + i);
    }
  }

  @ParameterizedTest
  @EnumSource
  void weightsThatAreLoadedMeanwhileAreAllOldOrAllNew(Threads threads) throws Exception {
    RectifiedFlow flow = Small.flow("burgers", FlowConfig.Prediction.CLEAN);
    Observations seen = Small.observations(flow);
    FlowSampler sampler = FlowSampler.of(flow).solver(OdeSolver.euler(6));
    Path[] files = {directory.resolve("a.safetensors"), directory.resolve("b.safetensors")};
    float[][] expected = new float[2][];
    for (int i = 0; i < 2; i++) {
      Initializer.nonZero(flow.network(), Rng.of(10 + i));
      flow.save(files[i]);
      expected[i] = draw(sampler, seen, 1);
    }
    AtomicBoolean over = new AtomicBoolean();
    try (ExecutorService some = threads.open()) {
      List<Future<Integer>> wrong = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        wrong.add(
            some.submit(
                () -> {
                  int count = 0;
                  while (!over.get()) {
                    float[] found = draw(sampler, seen, 1);
                    count += Stream.of(expected).noneMatch(e -> Arrays.equals(e, found)) ? 1 : 0;
                  }
                  return count;
                }));
      }
      for (int i = 0; i < 100; i++) {
        Weights.load(files[i % 2], flow.network());
      }
      over.set(true);
      for (Future<Integer> one : wrong) {
        assertTrue(one.get() == 0, one.get() + " draws are of neither weights");
      }
    }
  }

  @Test
  void whoDrawsCannotChangeTheWeightsMeanwhile() throws IOException {
    RectifiedFlow flow = Small.flow("burgers", FlowConfig.Prediction.CLEAN);
    Path file = directory.resolve("own.safetensors");
    flow.save(file);
    FlowSampler sampler =
        FlowSampler.of(flow)
            .listener(
                (_, _) ->
                    assertTrue(
                        assertThrows(
                                IllegalStateException.class,
                                () -> Weights.load(file, flow.network()))
                            .getMessage()
                            .startsWith("[weights] this thread computes with the network")));
    draw(sampler, Small.observations(flow), 1);
    Weights.load(file, flow.network());
  }

  /** As a server sees it when one request was too large. */
  @Test
  void aFlowWhoseDrawRanOutOfMemoryIsUsedOn() throws IOException {
    RectifiedFlow flow = Small.flow("burgers", FlowConfig.Prediction.PRIOR);
    Observations seen = Small.observations(flow);
    FlowSampler sampler = FlowSampler.of(flow).solver(OdeSolver.euler(3));
    float[] expected = draw(sampler, seen, 1);
    FlowSampler failing =
        FlowSampler.of(flow)
            .solver(OdeSolver.euler(3))
            .listener(
                (_, _) -> {
                  throw new OutOfMemoryError("simulated");
                });
    for (int i = 0; i < 3; i++) {
      assertThrows(OutOfMemoryError.class, () -> draw(failing, seen, 1));
      assertArrayEquals(expected, draw(sampler, seen, 1));
    }
    Path file = directory.resolve("after.safetensors");
    flow.save(file);
    Weights.load(file, flow.network()); // nobody holds the network
  }
}
