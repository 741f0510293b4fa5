package io.perflow.cluster;

import io.perflow.nn.distributed.Engine;
import io.perflow.nn.distributed.EngineException;
import io.perflow.nn.distributed.Gang;
import java.io.File;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Work on a Spark cluster. Items are tasks, which Spark retries one by one; ranks are the tasks of
 * a barrier stage, which Spark starts together.
 */
public final class SparkEngine implements Engine {
  // Spark's own default of two minutes is long for a rank that everybody waits for.
  private static final Map<String, String> SETTINGS =
      Map.ofEntries(
          Map.entry("spark.app.name", "perflow"),
          Map.entry("spark.dynamicAllocation.enabled", "false"), // barrier stages are refused else
          Map.entry("spark.speculation", "false"), // two copies of a rank
          Map.entry("spark.locality.wait", "0"), // a barrier stage that starts in part stalls
          Map.entry("spark.network.timeout", "30s"),
          Map.entry("spark.network.timeoutInterval", "10s"),
          Map.entry("spark.executor.heartbeatInterval", "5s"),
          Map.entry("spark.task.reaper.enabled", "true"),
          Map.entry("spark.task.reaper.killTimeout", "60s"),
          Map.entry("spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures", "2"),
          Map.entry("spark.ui.enabled", "false"));

  private static final Duration FIRST = Duration.ofMinutes(2); // until an executor must be there
  private static final Duration NEXT = Duration.ofSeconds(4); // between two of them
  private static final long LOOK_MILLIS = 250;

  private static final Pattern WORKERS = Pattern.compile("local-cluster\\[ *\\d+ *, *(\\d+) *,.*");

  private static final Pattern LIKE_OWN =
      Pattern.compile(
          "-XX:[+-]Use.*GC|-XX:Tier.*|-Xmn.*"
              + "|-XX:[+-]UseTransparentHugePages|-Xlog:pagesize=error");

  private final JavaSparkContext context;
  private final boolean owned;

  private SparkEngine(JavaSparkContext context, boolean owned) {
    this.context = context;
    this.owned = owned;
  }

  /**
   * Starts a driver in this process. Settings come from system properties {@code spark.*}, as
   * {@code spark-submit} sets them; those that ranks need are filled in where they are missing. The
   * jars of this program's class path travel to the executors.
   */
  public static SparkEngine connect(String master) {
    requireJava();
    return new SparkEngine(new JavaSparkContext(settings(master)), true);
  }

  static SparkConf settings(String master) {
    SparkConf conf = new SparkConf().setMaster(master);
    SETTINGS.forEach(conf::setIfMissing);
    if (!conf.contains("spark.jars") && !master.matches("local(\\[.*])?")) {
      conf.setJars(ownJars());
    }
    Matcher workers = WORKERS.matcher(master);
    if (workers.matches()) {
      conf.setIfMissing("spark.executor.cores", workers.group(1)); // it has all of a worker's
    }
    String cores = conf.get("spark.executor.cores", "");
    if (!cores.isEmpty()) {
      // one rank for each executor, which uses all its cores itself
      conf.setIfMissing("spark.task.cpus", cores);
    }
    conf.setIfMissing("spark.executor.extraJavaOptions", executorOptions(cores));
    return conf;
  }

  /** Works on a context that a program has; its settings are the program's to choose. */
  public static SparkEngine of(JavaSparkContext context) {
    requireJava();
    return new SparkEngine(context, false);
  }

  // Up to 25.0.2 the collector may move arrays that native compression codecs hold.
  private static void requireJava() {
    Runtime.Version version = Runtime.version();
    if (version.feature() == 25 && version.compareTo(Runtime.Version.parse("25.0.3")) < 0) {
      throw new IllegalStateException(
          "Spark needs Java 25.0.3 or later, this is %s: earlier ones may corrupt what it compresses"
              .formatted(version));
    }
  }

  // all of the class path that is not Spark's own, which executors have
  private static String[] ownJars() {
    String home = System.getenv().getOrDefault("SPARK_HOME", "\0");
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(path -> path.endsWith(".jar") && !path.startsWith(home))
        .toArray(String[]::new);
  }

  /**
   * Options for the JVMs of executors, which compile, collect and use large pages as this process
   * does, and take no more of their machine than their share: their collectors would start threads
   * for all of it, and tasks as many. Their memory is Spark's to set.
   *
   * @param cores of an executor; empty for all of its machine
   */
  static String executorOptions(String cores) {
    Stream<String> share =
        Stream.of("-XX:ActiveProcessorCount=" + cores).filter(_ -> !cores.isEmpty());
    Stream<String> own =
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(option -> LIKE_OWN.matcher(option).matches());
    return Stream.concat(own, share).collect(Collectors.joining(" "));
  }

  /** {@inheritDoc} On a cluster its executors, each of which is one rank. */
  @Override
  public int slots() {
    return context.isLocal() ? context.defaultParallelism() : allExecutors();
  }

  // They register one after the other, and at first none is there. Those are all when no other has
  // come for a while.
  private int allExecutors() {
    long now = System.nanoTime();
    long patience = now + FIRST.toNanos();
    long settled = patience;
    int there = 0;
    for (; now < patience && now < settled; now = System.nanoTime()) {
      int found = executors();
      if (found != there) {
        there = found;
        settled = now + NEXT.toNanos();
      }
      pause();
    }
    return Math.max(1, there);
  }

  /** Waits a moment for executors to come or go. */
  static void pause() {
    try {
      Thread.sleep(LOOK_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EngineException("interrupted while waiting for executors", e);
    }
  }

  /** Executors that are there now; in a process without any, its tasks at a time. */
  int executors() {
    int others = context.statusTracker().getExecutorInfos().length - 1;
    return context.isLocal() ? context.defaultParallelism() : others;
  }

  JavaSparkContext context() {
    return context;
  }

  @Override
  public <T extends Serializable, R extends Serializable> List<R> map(
      List<T> items, Work<T, R> work, IntConsumer done) {
    return new SparkFarm<>(context, items, work, done).run();
  }

  @Override
  public <R extends Serializable> List<R> gang(Gang gang, RankWork<R> work) {
    return new SparkGang<>(this, gang, work).run();
  }

  @Override
  public void close() {
    if (owned) {
      context.close();
    }
  }
}
