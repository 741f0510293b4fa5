package io.perflow.cluster;

import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** Two executors that are processes of this machine, their master and workers in this one. */
final class Cluster {
  static final String MASTER = "local-cluster[2,1,768]";

  static final String FAST_START = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1";

  private Cluster() {}

  /** Starts them; short tests do better with a compiler that starts fast. */
  static JavaSparkContext start(String executorOptions) {
    System.setProperty("spark.executor.memory", "768m");
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
    SparkConf conf = SparkEngine.settings(MASTER);
    JavaSparkContext context = new JavaSparkContext(conf);
    context.setLogLevel("ERROR");
    return context;
  }
}
