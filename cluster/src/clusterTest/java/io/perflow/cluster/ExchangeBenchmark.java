package io.perflow.cluster;

import io.perflow.nn.distributed.Collective;
import io.perflow.nn.distributed.Engine;
import io.perflow.nn.distributed.Gang;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;

/**
 * The time of adding up a vector of 10 million numbers between two executors: directly between
 * ranks, and by Spark's treeReduce with a broadcast of the sum.
 */
final class ExchangeBenchmark {
  private static final int NUMBERS = 10_000_000;

  private ExchangeBenchmark() {}

  /** Adds up a vector some times; the result is seconds of each. */
  private record Direct(int times) implements Engine.RankWork<double[]> {
    @Override
    public double[] of(Collective ranks) {
      float[] values = new float[NUMBERS];
      double[] seconds = new double[times];
      for (int i = 0; i < times; i++) {
        Arrays.fill(values, ranks.rank() + 1);
        ranks.barrier();
        long start = System.nanoTime();
        ranks.allReduce(values);
        seconds[i] = (System.nanoTime() - start) / 1e9;
        if (values[NUMBERS - 1] != 3) {
          throw new IllegalStateException("the sum is " + values[NUMBERS - 1]);
        }
      }
      return seconds;
    }
  }

  private static double[] tree(JavaSparkContext context, int times) {
    JavaRDD<Integer> ranks = context.parallelize(List.of(1, 2), 2);
    double[] seconds = new double[times];
    for (int i = 0; i < times; i++) {
      long start = System.nanoTime();
      float[] sum =
          ranks
              .map(
                  rank -> {
                    float[] values = new float[NUMBERS];
                    Arrays.fill(values, rank);
                    return values;
                  })
              .treeReduce(
                  (a, b) -> {
                    for (int k = 0; k < NUMBERS; k++) {
                      a[k] += b[k];
                    }
                    return a;
                  });
      Broadcast<float[]> shared = context.broadcast(sum);
      ranks.foreach(
          _ -> {
            if (shared.value()[NUMBERS - 1] != 3) {
              throw new IllegalStateException("the sum is wrong");
            }
          });
      seconds[i] = (System.nanoTime() - start) / 1e9;
      shared.destroy();
    }
    return seconds;
  }

  private static double median(double[] seconds) {
    double[] sorted = seconds.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  /** Prints one line for each way; the number of repetitions is the argument. */
  static void main(String[] arguments) {
    PrintStream out = System.out;
    int times = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5;
    try (JavaSparkContext context = Cluster.start("-XX:+UseSerialGC")) {
      Engine engine = SparkEngine.of(context);
      double[] direct = engine.gang(Gang.of(2), new Direct(times + 2)).getFirst();
      double[] warm = Arrays.copyOfRange(direct, 2, direct.length); // after compilation
      out.printf(Locale.ROOT, "direct: median %.3f s of %s%n", median(warm), Arrays.toString(warm));
      double[] tree = tree(context, times);
      out.printf(
          Locale.ROOT,
          "treeReduce + broadcast: median %.3f s of %s%n",
          median(tree),
          Arrays.toString(tree));
    }
  }
}
