package io.perflow.cluster;

import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Two executors that are processes of this machine, their master and workers in this one. Test
 * classes share them, since a process has room for one driver only.
 */
final class Cluster implements BeforeAllCallback {
  static final String FAST_START = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1";

  private static JavaSparkContext shared; // null until the first test

  @Override
  public void beforeAll(ExtensionContext test) {
    shared =
        test.getRoot()
            .getStore(ExtensionContext.Namespace.GLOBAL)
            .getOrComputeIfAbsent(
                Cluster.class, _ -> start(2, FAST_START, 768), JavaSparkContext.class);
  }

  static SparkEngine engine() {
    return SparkEngine.of(shared);
  }

  /**
   * Starts them; short tests do better with a compiler that starts fast.
   *
   * @param executors how many
   * @param memory of an executor, in megabytes
   */
  static JavaSparkContext start(int executors, String executorOptions, int memory) {
    System.setProperty("spark.executor.memory", memory + "m");
    System.setProperty("spark.driver.host", "127.0.0.1");
    System.setProperty("spark.driver.bindAddress", "127.0.0.1");
    System.setProperty("spark.jars", ""); // they are on the class path there, too
    System.setProperty("spark.executor.extraClassPath", System.getProperty("java.class.path"));
    System.setProperty("spark.executor.extraJavaOptions", executorOptions);
    // silence is noticed sooner than by the settings for real clusters
    System.setProperty("spark.network.timeout", "15s");
    System.setProperty("spark.network.timeoutInterval", "3s");
    System.setProperty("spark.executor.heartbeatInterval", "2s");
    System.setProperty("spark.log.level", "ERROR");
    SparkConf conf = SparkEngine.settings("local-cluster[%d,1,%d]".formatted(executors, memory));
    JavaSparkContext context = new JavaSparkContext(conf);
    context.setLogLevel("ERROR");
    return context;
  }
}
