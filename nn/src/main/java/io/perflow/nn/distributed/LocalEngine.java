package io.perflow.nn.distributed;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;

/**
 * An engine that works on threads of this process. A loss of work is a loss of the whole process,
 * so nothing is retried.
 */
final class LocalEngine implements Engine {
  private final int threads;

  LocalEngine(int threads) {
    this.threads = threads;
  }

  @Override
  public int slots() {
    return threads;
  }

  @Override
  public <T extends Serializable, R extends Serializable> List<R> map(
      List<T> items, Work<T, R> work, IntConsumer done) {
    try (ExecutorService pool = pool(Math.min(threads, Math.max(1, items.size())))) {
      Counting counting = new Counting(done);
      List<Future<R>> futures = new ArrayList<>();
      for (T item : items) {
        futures.add(
            pool.submit(
                () -> {
                  R result = work.of(item);
                  counting.one();
                  return result;
                }));
      }
      return results(pool, "item", futures);
    }
  }

  private static final class Counting {
    private final IntConsumer done;
    private int count;

    Counting(IntConsumer done) {
      this.done = done;
    }

    synchronized void one() {
      done.accept(++count);
    }
  }

  @Override
  public <R extends Serializable> List<R> gang(Gang gang, RankWork<R> work) {
    try (ExecutorService pool = pool(gang.ranks())) {
      List<Future<R>> futures = new ArrayList<>();
      for (Transport transport : ThreadTransport.gang(gang.ranks(), gang.deadline())) {
        futures.add(
            pool.submit(
                () -> {
                  try (Collective ranks =
                      Collective.over(transport, gang.reduction(), gang.wire(), gang.listener())) {
                    return work.of(ranks);
                  }
                }));
      }
      return results(pool, "rank", futures);
    }
  }

  private static ExecutorService pool(int size) {
    return Executors.newFixedThreadPool(
        size, Thread.ofPlatform().name("engine-", 1).daemon().factory());
  }

  private static <R> List<R> results(ExecutorService pool, String what, List<Future<R>> futures) {
    List<R> results = new ArrayList<>();
    EngineException failure = null;
    for (int i = 0; i < futures.size(); i++) {
      try {
        results.add(futures.get(i).get());
      } catch (InterruptedException e) {
        pool.shutdownNow();
        Thread.currentThread().interrupt();
        throw new EngineException("the work was interrupted", e);
      } catch (ExecutionException e) {
        Throwable cause = e.getCause();
        // A rank that waits for a failed one is not the one to name.
        if (failure == null || failure.getCause() instanceof RankLostException) {
          failure = new EngineException("%s %d: %s".formatted(what, i, cause.getMessage()), cause);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
    return results;
  }

  @Override
  public void close() {}
}
