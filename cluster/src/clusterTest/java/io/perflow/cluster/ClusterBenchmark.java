package io.perflow.cluster;

import io.perflow.benchmarks.Evidence;
import io.perflow.nn.distributed.Engine;
import io.perflow.nn.distributed.Gang;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * What a cluster costs and brings: training steps in a process without Spark, on one executor and
 * on two, each with one thread, and the sum of a vector between two executors, directly and by
 * Spark's treeReduce. The ways to take a step take turns, step by step. Processes without Spark
 * that compute at the same time and never wait for each other show what the machine leaves to two.
 */
final class ClusterBenchmark {
  private static final int BATCH = 8;
  private static final int WARM = 4; // rounds until the compilers have done their work
  private static final int SUMMING = 4; // rounds of sums
  private static final int SUMS = 5;
  // Megabytes of a process. Arrays to be used again take a quarter of it at most, and a step of the
  // base U-Net with eight fields needs 1.1 GB of them: with less, every step makes arrays anew.
  private static final int MEMORY = 7000;
  private static final Duration PATIENCE = Duration.ofMinutes(10); // of ranks that nobody calls

  // teams of processes
  private static final String ALONE = "no Spark";
  private static final String ANOTHER = "no Spark, a second process";
  private static final String HALVES = "no Spark, two processes with half of the fields each";
  private static final String ONE = "one executor";
  private static final String TWO = "two executors";

  private final PrintStream out = System.out;
  private final Map<String, List<Double>> found = new LinkedHashMap<>();

  private ClusterBenchmark() {}

  /**
   * Prints a line per way and writes the times to a file.
   *
   * @param arguments the file, and how many steps are measured of each way
   */
  static void main(String[] arguments) throws IOException {
    // one thread for each executor, which is a rank
    System.setProperty("spark.executor.cores", "1");
    ClusterBenchmark benchmark = new ClusterBenchmark();
    try (JavaSparkContext context = Cluster.start(3, SparkEngine.executorOptions("1"), MEMORY)) {
      SparkEngine engine = SparkEngine.of(context);
      benchmark.steps(engine, Integer.parseInt(arguments[1]));
      for (int round = 0; round < SUMMING; round++) {
        benchmark.sums(context, engine);
      }
    }
    Evidence.write(Path.of(arguments[0]), benchmark.rows());
  }

  private void steps(Engine engine, int rounds) throws IOException {
    try (Turns turns = new Turns();
        Alone _ = Alone.start(turns.port(), ALONE, BATCH, MEMORY);
        Alone _ = Alone.start(turns.port(), ANOTHER, BATCH, MEMORY);
        Alone _ = Alone.start(turns.port(), HALVES, BATCH / 2, MEMORY);
        Alone _ = Alone.start(turns.port(), HALVES, BATCH / 2, MEMORY)) {
      List<CompletableFuture<?>> gangs =
          List.of(gang(engine, 1, turns.port(), ONE), gang(engine, 2, turns.port(), TWO));
      turns.admit(7);
      for (int i = 0; i < WARM; i++) {
        turns.call(ALONE, ANOTHER);
        turns.call(HALVES);
        turns.call(ONE);
        turns.call(TWO);
      }
      for (int i = 0; i < rounds; i++) {
        round(turns);
      }
      turns.close();
      gangs.forEach(CompletableFuture::join);
    }
  }

  private static CompletableFuture<?> gang(Engine engine, int ranks, int port, String team) {
    Gang gang = Gang.of(ranks).deadline(PATIENCE).attempts(1, () -> "");
    // a thread for each, since the common pool of a small machine has one for all
    return CompletableFuture.supplyAsync(
        () -> engine.gang(gang, new Steps(port, team, BATCH)),
        task -> Thread.ofPlatform().name(team).daemon().start(task));
  }

  private void round(Turns turns) throws IOException {
    double alone = turns.call(ALONE);
    double one = turns.call(ONE);
    double two = turns.call(TWO);
    double halves = turns.call(HALVES);
    double both = turns.call(ALONE, ANOTHER);
    add("step without Spark", alone);
    add("step of ranks: 1", one);
    add("step of ranks: 2", two);
    add("halves without Spark", halves);
    add("two steps without Spark", both);
    add("without Spark to ranks: 1", alone / one);
    add("ranks: 1 to ranks: 2", one / two);
    add("without Spark to halves", alone / halves);
    add("without Spark to two steps", 2 * alone / both);
  }

  private void add(String what, double... numbers) {
    Arrays.stream(numbers).forEach(found.computeIfAbsent(what, _ -> new ArrayList<>())::add);
  }

  private static double median(double[] numbers) {
    double[] sorted = numbers.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private void sums(JavaSparkContext context, Engine engine) {
    Sums.Found direct = engine.gang(Gang.of(2), new Sums(SUMS)).getFirst();
    double[] tree = Sums.byTree(context, SUMS);
    add("sum", direct.sums());
    add("message", direct.message());
    add("treeReduce and broadcast", tree);
    add("treeReduce to sum", median(tree) / median(direct.sums()));
  }

  private List<Map<String, Object>> rows() {
    List<Map<String, Object>> rows = new ArrayList<>();
    found.forEach(
        (what, numbers) -> {
          double[] sorted = numbers.stream().mapToDouble(Double::doubleValue).sorted().toArray();
          Map<String, Object> row = new LinkedHashMap<>();
          row.put("what", what);
          row.put("median", median(sorted));
          row.put("least", sorted[0]);
          row.put("most", sorted[sorted.length - 1]);
          row.put("times", sorted.length);
          rows.add(row);
          out.println(row);
        });
    rows.add(Map.of("what", "numbers of the sum", "count", Sums.NUMBERS));
    rows.add(Map.of("what", "numbers of a gradient", "count", Steps.numbers()));
    return rows;
  }
}
