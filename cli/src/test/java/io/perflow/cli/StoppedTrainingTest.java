package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Training in a process of its own, ended by signals. The class runs alone, because the commands of
 * other tests change how convolutions are computed.
 */
@Isolated
class StoppedTrainingTest {
  @TempDir Path home;

  private List<String> train(String run) {
    return Stream.of(
            "train",
            "--data",
            home.resolve("train.safetensors"),
            "--network",
            home.resolve("net.json"),
            "--steps",
            400,
            "--batch",
            2,
            "--sensors",
            3,
            "--threads",
            1,
            "--out",
            home.resolve(run))
        .map(Object::toString)
        .toList();
  }

  private static int perflow(List<String> args) {
    PrintWriter nowhere = new PrintWriter(new StringWriter());
    return Main.run(nowhere, nowhere, Screen.NONE, args.toArray(String[]::new));
  }

  private Process start(List<String> args) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--add-modules=jdk.incubator.vector");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(Main.class.getName());
    command.addAll(args);
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(home.resolve("output.txt").toFile())
        .start();
  }

  // lets a run get somewhere, then ends it
  private void interrupt(String run, boolean politely) throws Exception {
    Process process = start(train(run));
    Path log = home.resolve(run).resolve("train.csv");
    Path last = home.resolve(run).resolve("last.safetensors");
    while (process.isAlive() && !(Files.exists(log) && (politely || Files.exists(last)))) {
      Thread.sleep(20);
    }
    assertTrue(process.isAlive(), () -> output());
    if (politely) {
      Thread.sleep(300);
      process.destroy();
    } else {
      process.destroyForcibly();
    }
    assertTrue(process.waitFor(60, TimeUnit.SECONDS), "the training does not end");
  }

  private String output() {
    try {
      return Files.readString(home.resolve("output.txt"));
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  @Test
  void aRunThatWasKilledEndsWithTheSameBits() throws Exception {
    String network =
        """
        {"in_channels": 1, "out_channels": 1, "patch": 4, "widths": [8], "blocks": 1,
         "attention": [false], "heads": 2, "groups": 4, "time_width": 8}
        """;
    Files.writeString(home.resolve("net.json"), network);
    String data = home.resolve("train.safetensors").toString();
    List<String> generate =
        List.of("generate", "burgers", "--samples", "8", "--size", "16", "--out", data);
    assertEquals(0, perflow(generate));
    assertEquals(0, perflow(train("whole")));
    interrupt("cut", true);
    assertTrue(Files.exists(home.resolve("cut/last.safetensors")), () -> output());
    interrupt("cut", false);
    assertEquals(0, perflow(train("cut")));
    for (String file : List.of("best.safetensors", "last.safetensors", "train.csv")) {
      assertArrayEquals(
          Files.readAllBytes(home.resolve("whole").resolve(file)),
          Files.readAllBytes(home.resolve("cut").resolve(file)),
          file);
    }
  }
}
