package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Dataset;
import io.perflow.physics.Scaling;
import io.perflow.physics.solver.Burgers;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CancelledSamplingTest {
  private static final RectifiedFlow FLOW = Small.flow("burgers", FlowConfig.Prediction.CLEAN);
  private static final Observations SEEN = Small.observations(FLOW);

  @AfterEach
  void theNextTestIsNotInterrupted() {
    Thread.interrupted();
  }

  @ParameterizedTest
  @ValueSource(strings = {"euler", "heun", "rk4", "multistep", "dopri5"})
  void anInterruptEndsSamplingBeforeTheNextEvaluation(String solver) {
    FlowSampler sampler = FlowSampler.of(FLOW).solver(OdeSolver.of(solver, 8));
    float[] expected = sampler.reconstruct(SEEN, 2, Rng.of(5)).samples().toFloats();
    List<Double> parts = new ArrayList<>();
    sampler.listener(
        (part, _) -> {
          parts.add(part);
          if (parts.size() == 3) {
            Thread.currentThread().interrupt();
          }
        });
    assertThrows(CancellationException.class, () -> sampler.reconstruct(SEEN, 2, Rng.of(5)));
    assertEquals(3, parts.size());
    assertTrue(Thread.interrupted(), "the thread stays interrupted");
    assertFalse(Scope.isOpen());
    assertArrayEquals(expected, sampler.reconstruct(SEEN, 2, Rng.of(5)).samples().toFloats());
  }

  @Test
  void aTimeLimitEndsSampling() {
    FlowSampler sampler = FlowSampler.of(FLOW).solver(OdeSolver.euler(1_000_000));
    try (Cancellation _ = Cancellation.after(Duration.ofMillis(50))) {
      String message =
          assertThrows(CancellationException.class, () -> sampler.reconstruct(SEEN, 1, Rng.of(5)))
              .getMessage();
      assertEquals("the computation was ended: the time limit of 0.05 s has passed", message);
    }
  }

  @Test
  void aFutureThatIsCancelledEndsItsSampling() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    FlowSampler sampler =
        FlowSampler.of(FLOW)
            .solver(OdeSolver.euler(1_000_000))
            .listener((_, _) -> begun.countDown());
    try (ExecutorService pool = Executors.newSingleThreadExecutor()) {
      Future<Ensemble> future = pool.submit(() -> sampler.reconstruct(SEEN, 1, Rng.of(5)));
      assertTrue(begun.await(1, TimeUnit.MINUTES));
      future.cancel(true);
      pool.shutdown();
      assertTrue(pool.awaitTermination(1, TimeUnit.MINUTES), "the thread goes on");
    }
  }

  @Test
  void krigingEndsBeforeItsNextBatch() {
    RectifiedFlow flow = Small.flow("burgers", FlowConfig.Prediction.PRIOR);
    KrigingSampler sampler = PriorModel.of(flow).orElseThrow().kriging();
    Observations seen = Small.observations(flow);
    AtomicInteger asked = new AtomicInteger();
    try (Cancellation _ = Cancellation.when(() -> asked.incrementAndGet() == 3)) {
      assertThrows(CancellationException.class, () -> sampler.reconstruct(seen, 1000, Rng.of(5)));
    }
    assertEquals(3, asked.get());
    // batches change neither the number nor the streams of samples
    float[] many = sampler.reconstruct(seen, 70, Rng.of(5)).samples().toFloats();
    float[] few = sampler.reconstruct(seen, 64, Rng.of(5)).samples().toFloats();
    assertEquals(few.length / 64 * 70, many.length);
    assertArrayEquals(few, Arrays.copyOf(many, few.length));
  }

  @Test
  void assimilationEndsBeforeItsNextStep() {
    Burgers equation = Burgers.paper().size(17, 16).substeps(4);
    Tensor fields = equation.samples(60, Rng.of(1));
    PriorModel model =
        PriorModel.learn(Dataset.of(equation.problem(), fields, Scaling.UNIT, Map.of()));
    Tensor planes = equation.problem().masks().draw(Rng.of(4), 1);
    Tensor truth = model.normalization().normalize(fields.slice(0, 0, 1));
    Observations seen = Observations.of(truth.to(DataType.F32), planes);
    List<Double> parts = new ArrayList<>();
    Assimilation sampler =
        model
            .assimilation()
            .listener(
                (part, _) -> {
                  parts.add(part);
                  if (parts.size() == 2) {
                    Thread.currentThread().interrupt();
                  }
                });
    assertThrows(CancellationException.class, () -> sampler.reconstruct(seen, 2, Rng.of(5)));
    assertEquals(2, parts.size());
    assertTrue(Thread.interrupted());
    assertFalse(Scope.isOpen());
  }
}
