package io.perflow.cluster;

import io.perflow.nn.distributed.Gang;
import java.time.Duration;
import org.apache.spark.api.java.JavaSparkContext;

/** A driver in a process of its own, to be killed. */
final class TrainingDriver {
  private TrainingDriver() {}

  /** Trains in a directory; the first rank comes to a place where it waits. */
  static void main(String[] arguments) {
    Trouble trouble = new Trouble(arguments[1], 7, 0, 200_000);
    try (JavaSparkContext context = Cluster.start(2, Cluster.FAST_START, 768)) {
      SparkEngine.of(context)
          .gang(
              Gang.of(2).deadline(Duration.ofSeconds(300)),
              new TinyTraining(arguments[0], trouble));
    }
  }
}
