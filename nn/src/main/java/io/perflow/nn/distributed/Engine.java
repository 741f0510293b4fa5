package io.perflow.nn.distributed;

import java.io.Serializable;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;

/**
 * Where work runs that more than one process can share: the threads of this process, or a cluster.
 *
 * <pre>{@code
 * try (Engine engine = Engine.connect("spark://host:7077")) {
 *   List<Score> scores = engine.map(items, new Judge(model));      // each alone, retried alone
 *   List<Result> ranks = engine.gang(Gang.of(4), new Training(config)); // all at once or not at all
 * }
 * }</pre>
 *
 * <p>Work and results travel, so they are serializable; a lambda that is handed over must not refer
 * to what is not.
 */
public interface Engine extends AutoCloseable {
  /**
   * What is done with an item.
   *
   * @param <T> the item
   * @param <R> the result
   */
  interface Work<T, R> extends Serializable {
    /** Does it; a second time gives the same, since the first may have been lost. */
    R of(T item) throws Exception;
  }

  /**
   * What a rank does.
   *
   * @param <R> the result
   */
  interface RankWork<R> extends Serializable {
    /** Does it, together with the other ranks. */
    R of(Collective ranks) throws Exception;
  }

  /** Clusters that can be connected to; a module for one provides it. */
  interface Provider {
    /** Returns whether the text names a cluster of this kind, such as {@code spark://host:7077}. */
    boolean knows(String master);

    /** Connects. */
    Engine connect(String master);
  }

  /**
   * Connects to a cluster.
   *
   * @param master address as its provider reads it
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
                    "there is no engine for %s; found: %s"
                        .formatted(
                            master,
                            providers.isEmpty()
                                ? "none, add perflow-cluster and Spark to the class path"
                                : providers.stream()
                                    .map(provider -> provider.getClass().getSimpleName())
                                    .collect(Collectors.joining(", ")))))
        .connect(master);
  }

  /** Returns an engine that runs on threads of this process. */
  static Engine local(int threads) {
    return new LocalEngine(threads);
  }

  /** Items or ranks that can be at work at a time. */
  int slots();

  /**
   * Works on all items, many at a time; an item whose process is lost is begun anew elsewhere.
   *
   * @return results in the order of the items
   * @throws EngineException when an item fails by itself
   */
  default <T extends Serializable, R extends Serializable> List<R> map(
      List<T> items, Work<T, R> work) {
    return map(items, work, _ -> {});
  }

  /**
   * The same, telling how many items are done whenever one is.
   *
   * @param done called by one thread at a time; it must return soon
   */
  <T extends Serializable, R extends Serializable> List<R> map(
      List<T> items, Work<T, R> work, IntConsumer done);

  /**
   * Runs ranks at the same time; when one is lost, all begin anew.
   *
   * @return results in the order of ranks
   * @throws EngineException when a rank fails by itself, or attempts bring nothing
   */
  <R extends Serializable> List<R> gang(Gang gang, RankWork<R> work);

  @Override
  void close();
}
