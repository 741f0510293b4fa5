package io.perflow.cluster;

import java.io.Serializable;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorMetricsUpdate;
import org.apache.spark.util.AccumulatorV2;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What rank 0 tells. It comes to the driver with the heartbeats of the executor, so that no further
 * port need be open, and what is left comes with the rank's result.
 */
final class News extends AccumulatorV2<Serializable, List<News.Item>> {
  private static final long serialVersionUID = 1;

  // A heartbeat carries all of them: a minute of news that are told ten times a second.
  private static final int KEPT = 600;

  /** One of the news, numbered since the next heartbeat brings it again. */
  record Item(long number, Serializable news) implements Serializable {}

  // heartbeats read it while the rank adds to it
  private final CopyOnWriteArrayList<Item> items;

  News() {
    this(List.of());
  }

  private News(List<Item> items) {
    this.items = new CopyOnWriteArrayList<>(items);
  }

  @Override
  public synchronized void add(Serializable news) {
    items.add(new Item(items.isEmpty() ? 0 : items.getLast().number() + 1, news));
    if (items.size() > KEPT) {
      items.removeFirst();
    }
  }

  @Override
  public boolean isZero() {
    return items.isEmpty();
  }

  @Override
  public AccumulatorV2<Serializable, List<Item>> copy() {
    return new News(items);
  }

  @Override
  public void reset() {
    items.clear();
  }

  @Override
  public void merge(AccumulatorV2<Serializable, List<Item>> other) {
    items.addAll(other.value());
  }

  @Override
  public List<Item> value() {
    return List.copyOf(items);
  }

  /** Passes on what the driver hears of some news until they are closed. */
  static final class Ear extends SparkListener implements AutoCloseable {
    private final JavaSparkContext context;
    private final News news;
    private final Consumer<Serializable> listener;
    private long next;

    Ear(JavaSparkContext context, News news, Consumer<Serializable> listener) {
      this.context = context;
      this.news = news;
      this.listener = listener;
      context.sc().register(news, "what rank 0 tells");
      context.sc().addSparkListener(this);
    }

    @Override
    public void onExecutorMetricsUpdate(SparkListenerExecutorMetricsUpdate beat) {
      for (var task : CollectionConverters.asJava(beat.accumUpdates())) {
        for (AccumulableInfo info : CollectionConverters.asJava(task._4())) {
          if (info.id() == news.id() && info.update().get() instanceof List<?> list) {
            hear(list);
          }
        }
      }
    }

    private synchronized void hear(List<?> found) {
      for (Object each : found) {
        if (each instanceof Item item && item.number() >= next) {
          next = item.number() + 1;
          listener.accept(item.news());
        }
      }
    }

    @Override
    public void close() {
      context.sc().removeSparkListener(this);
      hear(news.value());
    }
  }
}
