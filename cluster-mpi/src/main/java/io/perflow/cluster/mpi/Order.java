package io.perflow.cluster.mpi;

import io.perflow.nn.distributed.Collective;
import io.perflow.nn.distributed.Engine;
import io.perflow.nn.distributed.RankLostException;
import io.perflow.nn.distributed.Reduction;
import io.perflow.nn.distributed.Wire;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** What the first process has all processes do; each answers with an {@link Outcome}. */
sealed interface Order extends Serializable {
  /**
   * Does this process's part.
   *
   * @param starter hears what this process tells the program
   */
  Outcome obey(Mpi mpi, Consumer<Serializable> starter);

  /** How a part ended: with a result, or a reason why not. */
  record Outcome(Serializable result, String failure, boolean lost) implements Serializable {
    static Outcome of(Serializable result) {
      return new Outcome(result, null, false);
    }

    // An exception of any class may not be serializable; its text is.
    static Outcome failed(Exception e, String where) {
      String text = e.getMessage() == null ? e.toString() : e.getMessage();
      return new Outcome(null, where + text, e instanceof RankLostException);
    }
  }

  /**
   * Be a rank.
   *
   * @param number of the gang in this job
   */
  record Ranks(
      int number,
      int ranks,
      Duration deadline,
      Reduction reduction,
      Wire wire,
      Engine.RankWork<? extends Serializable> work)
      implements Order {
    @Override
    public Outcome obey(Mpi mpi, Consumer<Serializable> starter) {
      if (mpi.rank() >= ranks) {
        return Outcome.of(null);
      }
      MpiTransport transport = new MpiTransport(mpi, number, ranks, deadline);
      try (Collective gang = Collective.over(transport, reduction, wire, starter)) {
        return Outcome.of(work.of(gang));
      } catch (Exception e) {
        return Outcome.failed(e, e instanceof RankLostException ? "" : "rank " + mpi.rank() + ": ");
      }
    }
  }

  /** Work on every item whose number is this process's, counted around. */
  record Items<T extends Serializable, R extends Serializable>(
      ArrayList<T> items, Engine.Work<T, R> work) implements Order {
    @Override
    public Outcome obey(Mpi mpi, Consumer<Serializable> starter) {
      ArrayList<R> results = new ArrayList<>();
      for (int i = mpi.rank(); i < items.size(); i += mpi.size()) {
        try {
          results.add(work.of(items.get(i)));
        } catch (Exception e) {
          return Outcome.failed(e, "item " + i + ": ");
        }
      }
      return Outcome.of(results);
    }

    /** The results of all processes in the order of the items. */
    List<R> inOrder(List<Outcome> outcomes) {
      List<R> results = new ArrayList<>();
      for (int i = 0; i < items.size(); i++) {
        @SuppressWarnings("unchecked") // as obey made it
        List<R> part = (List<R>) outcomes.get(i % outcomes.size()).result();
        results.add(part.get(i / outcomes.size()));
      }
      return results;
    }
  }

  /** Go home. */
  record End() implements Order {
    @Override
    public Outcome obey(Mpi mpi, Consumer<Serializable> starter) {
      return Outcome.of(null);
    }
  }
}
