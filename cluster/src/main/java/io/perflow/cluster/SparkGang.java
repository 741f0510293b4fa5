package io.perflow.cluster;

import io.perflow.nn.distributed.Engine;
import io.perflow.nn.distributed.EngineException;
import io.perflow.nn.distributed.Gang;
import java.io.Serializable;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Function1;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;

/**
 * Runs ranks as one barrier stage, and again when a machine is lost. Spark does not retry such a
 * stage by itself: this loop does, from wherever the ranks' own checkpoints let them go on, and
 * with fewer ranks if no machine takes the lost one's place.
 */
final class SparkGang<R extends Serializable> {
  private final SparkEngine engine;
  private final Gang gang;
  private final Engine.RankWork<R> work;

  SparkGang(SparkEngine engine, Gang gang, Engine.RankWork<R> work) {
    this.engine = engine;
    this.gang = gang;
    this.work = work;
  }

  List<R> run() {
    Object before = gang.progress().get();
    String last = "";
    for (int vain = 0; vain < gang.attempts(); ) {
      try {
        List<Outcome<R>> outcomes = attempt(ranks());
        last = failure(outcomes);
        if (last.isEmpty()) {
          return outcomes.stream().map(Outcome::result).toList();
        }
      } catch (EngineException e) {
        throw e;
      } catch (Exception e) { // Spark's own is checked, and not declared
        last = Failures.reason(e);
      }
      if (engine.context().sc().isStopped()) {
        throw new EngineException("the connection to the cluster ended: " + last, null);
      }
      Object now = gang.progress().get();
      vain = Objects.equals(before, now) ? vain + 1 : 0;
      before = now;
      if (vain < gang.attempts()) {
        gang.listener().accept(last + "; all ranks begin again");
      }
    }
    throw new EngineException(
        "gave up after %d attempts without progress; the last one: %s"
            .formatted(gang.attempts(), last),
        null);
  }

  // Empty when all is well, a reason to begin anew, or an exception for what would happen again.
  private static <R extends Serializable> String failure(List<Outcome<R>> outcomes) {
    for (Outcome<R> outcome : outcomes) {
      if (outcome.failed() && !outcome.lost()) {
        throw new EngineException(outcome.toString(), outcome.failure());
      }
    }
    return outcomes.stream().filter(Outcome::failed).findFirst().map(Outcome::toString).orElse("");
  }

  // As many as asked for, or after a while as many as there are.
  private int ranks() {
    long end = System.nanoTime() + gang.spare().toNanos();
    while (true) {
      int there = engine.executors();
      if (there >= gang.ranks()) {
        return gang.ranks();
      }
      if (System.nanoTime() > end) {
        if (there >= gang.least()) {
          return there;
        }
        throw new EngineException(
            "the cluster offers %d executors, and %d ranks are asked for; start more, or ask for"
                    .formatted(there, gang.least())
                + " fewer ranks",
            null);
      }
      SparkEngine.pause();
    }
  }

  private List<Outcome<R>> attempt(int ranks) {
    JavaSparkContext context = engine.context();
    News news = new News();
    Rank<R> rank =
        new Rank<>(
            work,
            gang.deadline(),
            gang.reduction(),
            gang.wire(),
            Rank.threads(context.isLocal(), ranks),
            news);
    Function1<Iterator<Integer>, Iterator<Outcome<R>>> task =
        (Function1<Iterator<Integer>, Iterator<Outcome<R>>> & Serializable)
            _ ->
                CollectionConverters.asScala(
                    List.of(rank.run(BarrierTaskContext.get())).iterator());
    // Ranks that wait for a lost one are interrupted, or they would keep their places for ever.
    context.setJobGroup(
        "perflow-gang-" + UUID.randomUUID(), "perflow: %d ranks".formatted(ranks), true);
    try (News.Ear _ = new News.Ear(context, news, gang.listener())) {
      return context
          .parallelize(IntStream.range(0, ranks).boxed().toList(), ranks)
          .rdd()
          .barrier()
          .mapPartitions(task, false, ClassTag.<Outcome<R>>apply(Outcome.class))
          .toJavaRDD()
          .collect()
          .stream()
          .sorted(Comparator.comparingInt(Outcome::rank))
          .toList();
    } finally {
      context.clearJobGroup();
    }
  }
}
