package io.perflow.cluster.mpi;

import io.perflow.cluster.mpi.Order.Outcome;
import io.perflow.nn.distributed.Engine;
import io.perflow.nn.distributed.EngineException;
import io.perflow.nn.distributed.Gang;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Work on the processes of an MPI job. A rank that dies takes the job with it, as launchers of MPI
 * have it, so nothing begins anew here: the same command goes on from the last checkpoint.
 */
final class MpiEngine implements Engine {
  private static final Duration ITEMS = Duration.ofDays(10_000); // an item may take any time

  private final Job job;

  MpiEngine(Job job) {
    this.job = job;
  }

  @Override
  public int slots() {
    return job.size();
  }

  /**
   * {@inheritDoc} Every process has the same number of items, or one more; {@code done} hears of
   * all at once, when the last process has answered.
   */
  @Override
  public <T extends Serializable, R extends Serializable> List<R> map(
      List<T> items, Work<T, R> work, IntConsumer done) {
    Order.Items<T, R> order = new Order.Items<>(new ArrayList<>(items), work);
    List<R> results = order.inOrder(sound(job.command(order, ITEMS, _ -> {})));
    done.accept(items.size());
    return results;
  }

  @Override
  public <R extends Serializable> List<R> gang(Gang gang, RankWork<R> work) {
    if (gang.least() > job.size()) {
      throw new EngineException(
          "%d ranks are asked for, and mpiexec has started %d processes; start as many, or ask for"
                  .formatted(gang.least(), job.size())
              + " fewer ranks",
          null);
    }
    int ranks = Math.min(gang.ranks(), job.size());
    List<Outcome> outcomes =
        sound(
            job.command(
                new Order.Ranks(
                    job.nextGang(), ranks, gang.deadline(), gang.reduction(), gang.wire(), work),
                gang.deadline(),
                gang.listener()));
    List<R> results = new ArrayList<>();
    for (Outcome outcome : outcomes.subList(0, ranks)) {
      @SuppressWarnings("unchecked") // as the work returned it
      R result = (R) outcome.result();
      results.add(result);
    }
    return results;
  }

  // A rank that waited in vain for one that failed is not the one to name.
  private static List<Outcome> sound(List<Outcome> outcomes) {
    Outcome worst = null;
    for (Outcome outcome : outcomes) {
      if (outcome.failure() != null && (worst == null || worst.lost() && !outcome.lost())) {
        worst = outcome;
      }
    }
    if (worst != null) {
      throw new EngineException(worst.failure(), null);
    }
    return outcomes;
  }

  /** Does nothing: the processes are there as long as the program is. */
  @Override
  public void close() {}
}
