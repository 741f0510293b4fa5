package io.perflow.cluster;

import io.perflow.nn.distributed.Engine;
import io.perflow.nn.distributed.EngineException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.rdd.RDD;
import scala.Function2;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.runtime.BoxedUnit;

/** Works on items as tasks of Spark, which begins an item anew when its process is lost. */
final class SparkFarm<T extends Serializable, R extends Serializable> {
  private final JavaSparkContext context;
  private final List<T> items;
  private final Engine.Work<T, R> work;
  private final IntConsumer done;

  SparkFarm(JavaSparkContext context, List<T> items, Engine.Work<T, R> work, IntConsumer done) {
    this.context = context;
    this.items = items;
    this.work = work;
    this.done = done;
  }

  /** Results in the order of the items. */
  List<R> run() {
    Broadcast<Engine.Work<T, R>> shared = context.broadcast(work); // a model goes to a machine once
    context.setJobGroup("perflow-map", "perflow: %d items".formatted(items.size()), true);
    try {
      return run(shared);
    } catch (EngineException e) {
      throw e;
    } catch (Exception e) { // Spark's own is checked, and not declared
      throw new EngineException(Failures.reason(e), e);
    } finally {
      context.clearJobGroup();
      shared.destroy();
    }
  }

  private List<R> run(Broadcast<Engine.Work<T, R>> shared) {
    if (items.isEmpty()) {
      return List.of();
    }
    Function2<TaskContext, Iterator<T>, R> task =
        (Function2<TaskContext, Iterator<T>, R> & Serializable)
            (where, one) -> of(shared, where.partitionId(), one.next());
    RDD<T> all = context.parallelize(items, items.size()).rdd();
    Results<R> results = new Results<>(items.size(), done);
    context
        .sc()
        .runJob(all, task, partitions(), results::add, ClassTag.<R>apply(Serializable.class));
    return results.list();
  }

  // an exception of any class may not be known to the driver; its text is
  private static <T, R> R of(Broadcast<Engine.Work<T, R>> shared, int number, T item) {
    try {
      return shared.value().of(item);
    } catch (Exception e) {
      String text = e.getMessage() == null ? e.toString() : e.getMessage();
      EngineException named = new EngineException("item %d: %s".formatted(number, text), null);
      named.setStackTrace(e.getStackTrace());
      throw named;
    }
  }

  private Seq<Object> partitions() {
    List<Object> numbers = IntStream.range(0, items.size()).<Object>mapToObj(i -> i).toList();
    return CollectionConverters.asScala(numbers).toSeq();
  }

  /** What has come back; Spark tells of one result at a time. */
  private static final class Results<R> {
    private final List<R> found;
    private final IntConsumer done;
    private int count;

    Results(int size, IntConsumer done) {
      found = new ArrayList<>(Collections.nCopies(size, null));
      this.done = done;
    }

    synchronized BoxedUnit add(Object number, R result) {
      found.set((Integer) number, result);
      done.accept(++count);
      return BoxedUnit.UNIT;
    }

    synchronized List<R> list() {
      return List.copyOf(found);
    }
  }
}
