package io.perflow.cluster;

import io.perflow.nn.distributed.Collective;
import io.perflow.nn.distributed.Engine;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;

/** Adds up a vector of 10 million numbers between two executors some times. */
record Sums(int times) implements Engine.RankWork<Sums.Found> {
  static final int NUMBERS = 10_000_000;
  private static final int MESSAGES = 2000;

  /**
   * How long it took.
   *
   * @param sums seconds of each sum
   * @param message seconds of a message there and of one back at the same time
   */
  record Found(double[] sums, double message) implements Serializable {}

  @Override
  public Found of(Collective ranks) {
    float[] values = new float[NUMBERS];
    double[] seconds = new double[times];
    for (int i = 0; i < times; i++) {
      Arrays.fill(values, ranks.rank() + 1);
      ranks.barrier();
      long start = System.nanoTime();
      ranks.allReduce(values);
      seconds[i] = (System.nanoTime() - start) * 1e-9;
      require(values);
    }
    long start = System.nanoTime();
    for (int i = 0; i < MESSAGES; i++) {
      ranks.barrier();
    }
    return new Found(seconds, (System.nanoTime() - start) * 1e-9 / MESSAGES);
  }

  private static void require(float[] sum) {
    if (sum[0] != 3 || sum[NUMBERS - 1] != 3) {
      throw new IllegalStateException("the sum is " + sum[NUMBERS - 1]);
    }
  }

  /** The same with Spark alone. */
  static double[] byTree(JavaSparkContext context, int times) {
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
      ranks.foreach(_ -> require(shared.value()));
      seconds[i] = (System.nanoTime() - start) * 1e-9;
      shared.destroy();
    }
    return seconds;
  }
}
