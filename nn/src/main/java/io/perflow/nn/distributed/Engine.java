package io.perflow.nn.distributed;

import java.io.Serializable;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;

/**
 * A place where work runs that several processes can share: the threads of this process, or a
 * cluster.
 *
 * <pre>{@code
 * try (Engine engine = Engine.connect("spark://host:7077")) {
 *   List<Score> scores = engine.map(items, new Judge(model));      // each alone, retried alone
 *   List<Result> ranks = engine.gang(Gang.of(4), new Training(config)); // all at once or not at all
 * }
 * }</pre>
 *
 * <p>Work and results travel between processes, so they must be serializable, and so must
 * everything to which a lambda refers.
 */
public interface Engine extends AutoCloseable {
  /**
   * The work that is done with an item.
   *
   * @param <T> the item
   * @param <R> the result
   */
  interface Work<T, R> extends Serializable {
    /**
     * Processes an item; a second call must give the same result, because the first may have been
     * lost.
     */
    R of(T item) throws Exception;
  }

  /**
   * The work of a rank.
   *
   * @param <R> the result
   */
  interface RankWork<R> extends Serializable {
    /** Does this rank's work, together with the other ranks. */
    R of(Collective ranks) throws Exception;
  }

  /** A provider of clusters that can be connected to, in a module of its own. */
  interface Provider {
    /** Returns whether the text names a cluster of this kind, such as {@code spark://host:7077}. */
    boolean knows(String master);

    /** Returns the texts that name such clusters, for a message, as {@code local[4] or yarn}. */
    String forms();

    /** Connects to a cluster. */
    Engine connect(String master);
  }

  /**
   * Connects to a cluster.
   *
   * @param master the address of the cluster, in a form that its provider understands
   * @throws IllegalArgumentException when no provider on the class path knows it
   */
  static Engine connect(String master) {
    List<Provider> providers =
        ServiceLoader.load(Provider.class).stream().map(ServiceLoader.Provider::get).toList();
    return providers.stream()
        .filter(provider -> provider.knows(master))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "'%s' names no cluster; %s"
                        .formatted(
                            master,
                            providers.isEmpty()
                                ? "add perflow-cluster and Spark to the class path to reach one"
                                : providers.stream()
                                    .map(Provider::forms)
                                    .collect(Collectors.joining(", or ", "give ", "")))))
        .connect(master);
  }

  /** Returns an engine that runs on threads of this process. */
  static Engine local(int threads) {
    return new LocalEngine(threads);
  }

  /** Returns the number of items or ranks that can be at work at a time. */
  int slots();

  /**
   * Processes all items, many at a time; an item whose process is lost is started again elsewhere.
   *
   * @return results in the order of the items
   * @throws EngineException when an item itself fails
   */
  default <T extends Serializable, R extends Serializable> List<R> map(
      List<T> items, Work<T, R> work) {
    return map(items, work, _ -> {});
  }

  /**
   * Processes all items, and reports how many are done whenever one is.
   *
   * @param done called by one thread at a time; it must return soon
   */
  <T extends Serializable, R extends Serializable> List<R> map(
      List<T> items, Work<T, R> work, IntConsumer done);

  /**
   * Runs ranks at the same time; when one is lost, all start again.
   *
   * @return results in the order of ranks
   * @throws EngineException when a rank itself fails, or the attempts make no progress
   */
  <R extends Serializable> List<R> gang(Gang gang, RankWork<R> work);

  @Override
  void close();
}
