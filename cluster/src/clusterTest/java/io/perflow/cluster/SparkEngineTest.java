package io.perflow.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.nn.distributed.Engine;
import java.util.List;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How executors are set up, and how many there are. */
@ExtendWith(Cluster.class)
final class SparkEngineTest {
  @Test
  void anExecutorIsOneRankWithItsShareOfTheMachine() {
    SparkConf conf = SparkEngine.settings("local-cluster[2,3,1024]");
    assertEquals("3", conf.get("spark.executor.cores"));
    assertEquals("3", conf.get("spark.task.cpus"));
    List<String> options = List.of(SparkEngine.executorOptions("3").split(" "));
    assertTrue(options.contains("-XX:ActiveProcessorCount=3"), options.toString());
    assertTrue(options.contains("-XX:+UseParallelGC"), options.toString());
    assertTrue(options.stream().noneMatch(option -> option.startsWith("-Xmx")), options.toString());
    assertTrue(!SparkEngine.executorOptions("").contains("ActiveProcessorCount"));
  }

  @Test
  void aMisspeltMasterIsAnsweredWithThoseThatThereAre() {
    IllegalArgumentException wrong =
        assertThrows(IllegalArgumentException.class, () -> Engine.connect("lokal[2]"));
    assertTrue(wrong.getMessage().contains("'lokal[2]' names no cluster"), wrong.getMessage());
    assertTrue(wrong.getMessage().contains("local[4]"), wrong.getMessage());
  }

  @Test
  void thereAreAsManyRanksAsExecutors() {
    assertEquals(2, Cluster.engine().slots());
  }
}
