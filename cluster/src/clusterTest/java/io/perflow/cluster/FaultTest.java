package io.perflow.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.nn.distributed.Engine;
import io.perflow.nn.distributed.EngineException;
import io.perflow.nn.distributed.Gang;
import io.perflow.physics.Generation;
import io.perflow.physics.Scaling;
import io.perflow.physics.solver.Heat;
import io.perflow.tensor.DataType;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Processes that are killed, stopped or late, on executors that are real processes. */
@Timeout(240)
@ExtendWith(Cluster.class)
final class FaultTest {
  private static SparkEngine engine;
  private static long undisturbed;

  @TempDir Path directory;

  @BeforeAll
  static void start(@TempDir Path run) {
    engine = Cluster.engine();
    undisturbed = Engine.local(1).gang(Gang.of(1), training(run, Trouble.none())).getFirst();
  }

  private static TinyTraining training(Path run, Trouble trouble) {
    return new TinyTraining(run.toString(), trouble);
  }

  private static Gang gang(int deadlineSeconds) {
    return Gang.of(2).deadline(Duration.ofSeconds(deadlineSeconds));
  }

  private Trouble trouble(int step, int rank, long millis) {
    return new Trouble(directory.resolve("mark").toString(), step, rank, millis);
  }

  @Test
  void ranksOnExecutorsTrainTheWeightsOfOneProcess() {
    List<Long> found = engine.gang(gang(60), training(directory, Trouble.none()));
    assertEquals(List.of(undisturbed, undisturbed), found);
  }

  @Test
  void aKilledExecutorCostsTheStepsSinceTheLastCheckpoint() throws Exception {
    assertSurvives("KILL", 60);
  }

  @Test
  void aStoppedExecutorIsReplaced() throws Exception {
    assertSurvives("STOP", 5);
  }

  private void assertSurvives(String signal, int deadline) throws Exception {
    Trouble trouble = trouble(7, 1, 200_000);
    CompletableFuture<List<Long>> run =
        CompletableFuture.supplyAsync(
            () -> engine.gang(gang(deadline), training(directory, trouble)));
    Trouble.signal(signal, trouble.victim());
    assertEquals(List.of(undisturbed, undisturbed), run.get(200, TimeUnit.SECONDS));
  }

  @Test
  void aKilledDriverIsStartedAgain() throws Exception {
    Trouble trouble = trouble(7, 0, 0);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(flag -> flag.startsWith("-X") || flag.startsWith("--"))
            .toList());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(TrainingDriver.class.getName(), directory.toString(), trouble.mark()));
    Process driver =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("driver.txt").toFile())
            .start();
    try {
      trouble.victim();
    } finally {
      driver.destroyForcibly().waitFor();
    }
    List<Long> found = engine.gang(gang(60), training(directory, Trouble.none()));
    assertEquals(List.of(undisturbed, undisturbed), found);
  }

  @Test
  void aLateRankIsWaitedFor() {
    List<Long> found = engine.gang(gang(60), training(directory, trouble(0, 1, 3000)));
    assertEquals(List.of(undisturbed, undisturbed), found);
  }

  @Test
  void aRankThatIsTooLateIsNamed() {
    Gang once = gang(2).attempts(1, () -> "");
    EngineException lost =
        assertThrows(
            EngineException.class,
            () -> engine.gang(once, training(directory, trouble(0, 1, 8000))));
    assertTrue(lost.getMessage().contains("rank 1 at"), lost.getMessage());
    assertTrue(lost.getMessage().contains("did not answer within 2 s"), lost.getMessage());
  }

  @Test
  void aFullDirectoryIsNamedWithItsRank() throws Exception {
    Path small = Files.createDirectory(directory.resolve("small"));
    Process mount =
        new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small.toString())
            .start();
    org.junit.jupiter.api.Assumptions.assumeTrue(mount.waitFor() == 0, "a file system needs root");
    try {
      EngineException full =
          assertThrows(
              EngineException.class, () -> engine.gang(gang(60), training(small, Trouble.none())));
      assertTrue(full.getMessage().startsWith("rank 0 on "), full.getMessage());
      assertTrue(full.getMessage().contains("No space left"), full.getMessage());
    } finally {
      new ProcessBuilder("umount", small.toString()).start().waitFor();
    }
  }

  /** Makes shards of a file; one process comes to harm at the second. */
  private record Making(String file, Trouble trouble)
      implements Engine.Work<Generation.Shard, Integer> {
    static Generation generation() {
      Heat heat = Heat.standard().size(16);
      return new Generation(heat, "train", 1, 64, DataType.F32, Scaling.UNIT, Map.of());
    }

    @Override
    public Integer of(Generation.Shard shard) throws Exception {
      trouble.at(shard.from(), 0);
      generation().make(shard, Path.of(file), 1);
      return shard.to();
    }
  }

  @Test
  void aKilledExecutorCostsTheShardItWasAt() throws Exception {
    Path expected = directory.resolve("expected.safetensors");
    Making.generation().run(expected, 1, _ -> {});
    Path file = directory.resolve("found.safetensors");
    Trouble trouble = trouble(33, 0, 200_000);
    Making making = new Making(file.toString(), trouble);
    CompletableFuture<List<Integer>> run =
        CompletableFuture.supplyAsync(() -> engine.map(Making.generation().shards(), making));
    Trouble.signal("KILL", trouble.victim());
    assertEquals(64, run.get(200, TimeUnit.SECONDS).size());
    Making.generation().join(file, false);
    assertArrayEquals(Files.readAllBytes(expected), Files.readAllBytes(file));
    try (var left = Files.list(directory)) {
      assertFalse(left.anyMatch(path -> path.toString().contains(".part")));
    }
  }
}
