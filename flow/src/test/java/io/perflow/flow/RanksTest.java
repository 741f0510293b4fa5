package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.nn.distributed.Collective;
import io.perflow.nn.distributed.RankLostException;
import io.perflow.tensor.Rng;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Training on several ranks. */
final class RanksTest {
  private static final Duration DEADLINE = Duration.ofSeconds(90);
  private static final long STEPS = 12;

  @TempDir Path directory;

  private static TrainConfig settings(int shards) {
    return TrainConfig.fast(STEPS, 8, 7).validateEvery(5).saveEvery(4).shards(shards);
  }

  /** A change that a test makes to a rank's trainer before it trains. */
  private interface Prepared {
    void accept(int rank, Trainer trainer);
  }

  private RectifiedFlow train(int rank, Collective gang, int shards, String name, Prepared prepared)
      throws IOException {
    RectifiedFlow flow =
        RectifiedFlow.of(Small.config("burgers", FlowConfig.Prediction.CLEAN), Rng.of(rank + 1));
    TrainConfig settings = settings(shards);
    DataSource data = DataSource.of(flow.config().problem(), Small.fields(flow, 10), settings);
    Trainer trainer =
        new Trainer(flow, data, settings, directory.resolve(name))
            .validation(Small.fields(flow, 11))
            .ranks(gang);
    prepared.accept(rank, trainer);
    trainer.train();
    return flow;
  }

  private List<Object> run(int ranks, int shards, String name, Prepared prepared)
      throws InterruptedException {
    List<Future<RectifiedFlow>> futures = new ArrayList<>();
    List<Object> outcomes = new ArrayList<>();
    try (var pool = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
      for (Collective gang : Collective.threads(ranks, DEADLINE)) {
        futures.add(
            pool.submit(
                () -> {
                  try (gang) {
                    return train(gang.rank(), gang, shards, name, prepared);
                  }
                }));
      }
      for (Future<RectifiedFlow> future : futures) {
        try {
          outcomes.add(future.get());
        } catch (ExecutionException e) {
          outcomes.add(e.getCause());
        }
      }
    }
    return outcomes;
  }

  private void assertSameRun(List<Object> one, String name, List<Object> other, String otherName)
      throws IOException {
    RectifiedFlow first = assertInstanceOf(RectifiedFlow.class, one.getFirst());
    for (Object each : other) {
      RectifiedFlow second = assertInstanceOf(RectifiedFlow.class, each);
      first
          .network()
          .parameters()
          .forEach(
              (key, parameter) ->
                  assertArrayEquals(
                      parameter.value().toFloats(),
                      second.network().parameters().get(key).value().toFloats(),
                      key));
    }
    for (String file : List.of(Trainer.BEST, Trainer.LAST)) {
      assertArrayEquals(
          Files.readAllBytes(directory.resolve(name).resolve(file)),
          Files.readAllBytes(directory.resolve(otherName).resolve(file)),
          file);
    }
  }

  @Test
  void anyNumberOfRanksTrainsTheSameWeights() throws Exception {
    List<Object> one = run(1, 4, "one", (_, _) -> {});
    for (int ranks : new int[] {2, 3, 4}) {
      List<Object> many = run(ranks, 4, "many" + ranks, (_, _) -> {});
      assertSameRun(one, "one", many, "many" + ranks);
    }
  }

  @Test
  void aRunGoesOnWithAnotherNumberOfRanks() throws Exception {
    List<Object> whole = run(1, 4, "whole", (_, _) -> {});
    List<Long> first = Collections.synchronizedList(new ArrayList<>());
    run(
        4,
        4,
        "shared",
        (rank, trainer) ->
            trainer.listener(
                new TrainingListener() {
                  @Override
                  public void step(long step, double loss, double rate) {
                    first.add(step);
                    if (rank == 2 && step == 6) {
                      trainer.stop();
                    }
                  }
                }));
    assertEquals(4 * 6, first.size());
    List<Object> rest = run(2, 4, "shared", (_, _) -> {});
    assertSameRun(whole, "whole", rest, "shared");
  }

  @Test
  void allRanksEndWhenOneFails() throws Exception {
    List<Object> outcomes =
        run(
            3,
            4,
            "fails",
            (rank, trainer) ->
                trainer.listener(
                    new TrainingListener() {
                      @Override
                      public void step(long step, double loss, double rate) {
                        if (rank == 1 && step == 3) {
                          throw new IllegalStateException("out of order");
                        }
                      }
                    }));
    assertEquals("out of order", ((Exception) outcomes.get(1)).getMessage());
    for (int rank : new int[] {0, 2}) {
      RankLostException lost = assertInstanceOf(RankLostException.class, outcomes.get(rank));
      assertTrue(lost.getMessage().contains("rank 1 has left"), lost.getMessage());
    }
  }

  @Test
  void moreRanksThanShardsAreRefused() {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> train(0, Collective.threads(2, DEADLINE).getFirst(), 1, "few", (_, _) -> {}));
    assertTrue(refused.getMessage().contains("1 shards cannot keep 2 ranks busy"));
    assertThrows(IllegalArgumentException.class, () -> settings(3));
  }
}
