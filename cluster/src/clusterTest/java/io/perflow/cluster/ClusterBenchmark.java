package io.perflow.cluster;

import io.perflow.benchmarks.Evidence;
import io.perflow.nn.distributed.Engine;
import io.perflow.nn.distributed.Gang;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * What a cluster costs and brings: the sum of a vector between two executors, directly and by
 * Spark's treeReduce, and training steps in a process without Spark, on one executor and on two,
 * each with one thread. The ways take turns, so that other work on the machine meets all alike, and
 * ratios are of times of the same round.
 */
final class ClusterBenchmark {
  private static final int WARM = 2; // rounds until the compilers have done their work
  private static final int ROUNDS = 4;
  private static final int SUMS = 5;
  private static final int MEMORY = 3600; // megabytes of an executor

  private final PrintStream out = System.out;
  private final Map<String, List<Double>> found = new LinkedHashMap<>();

  private ClusterBenchmark() {}

  /** Prints a line per way and writes the times to the file that is named. */
  static void main(String[] arguments) throws IOException {
    // one thread for each executor, which is a rank
    System.setProperty("spark.executor.cores", "1");
    ClusterBenchmark benchmark = new ClusterBenchmark();
    try (Alone alone = Alone.start()) {
      for (int ranks : new int[] {1, 2}) {
        benchmark.cluster(ranks, alone);
      }
    }
    Evidence.write(Path.of(arguments[0]), benchmark.rows());
  }

  // A cluster for each number of ranks: executors keep arrays of the sizes that they have used, and
  // two halves of a batch need others than the whole.
  private void cluster(int ranks, Alone alone) throws IOException {
    long start = System.nanoTime();
    try (JavaSparkContext context = Cluster.start(SparkEngine.executorOptions("1"), MEMORY)) {
      SparkEngine engine = SparkEngine.of(context);
      engine.gang(Gang.of(2), all -> all.rank());
      add("start of two ranks", (System.nanoTime() - start) * 1e-9);
      for (int i = 0; i < WARM; i++) {
        alone.steps();
        engine.gang(Gang.of(ranks), new Steps());
      }
      for (int round = 0; round < ROUNDS; round++) {
        steps(engine, ranks, alone);
      }
      for (int round = 0; ranks == 2 && round < ROUNDS; round++) {
        sums(context, engine);
      }
    }
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

  private void steps(Engine engine, int ranks, Alone alone) throws IOException {
    double[] without = alone.steps();
    double[] shared = engine.gang(Gang.of(ranks), new Steps()).getFirst();
    add("step without Spark", without);
    add("step of ranks: " + ranks, shared);
    add("without Spark to ranks: " + ranks, median(without) / median(shared));
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
