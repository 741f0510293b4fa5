package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** A process of its own that is killed without warning, as by a power failure. */
@Isolated("changes the number of threads of kernels")
class KilledGenerationTest {
  private static final int SAMPLES = 300;
  private static final int SAMPLE_BYTES = 64 * 64 * Float.BYTES;

  @TempDir Path directory;

  private static List<String> arguments(Path file) {
    return List.of(
        "generate", "burgers", "--size=64", "--samples=" + SAMPLES, "--threads=2", "--out=" + file);
  }

  private static String run(Path file) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    String[] args = arguments(file).toArray(new String[0]);
    int code = Main.run(new PrintWriter(out, true), new PrintWriter(err, true), Screen.NONE, args);
    assertEquals(0, code, err.toString());
    return out.toString();
  }

  private Process start(Path file) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--add-modules=jdk.incubator.vector", "-Xmx512m", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add(Main.class.getName());
    command.addAll(arguments(file));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("log.txt").toFile())
        .start();
  }

  @Test
  void aKilledRunGoesOnAndGivesTheSameFile() throws IOException, InterruptedException {
    Path whole = directory.resolve("whole.safetensors");
    run(whole);
    Path file = directory.resolve("x.safetensors");
    Path part = directory.resolve("x.safetensors.part");
    Process process = start(file);
    while (process.isAlive() && (!Files.exists(part) || Files.size(part) < 3 * SAMPLE_BYTES)) {
      Thread.sleep(5);
    }
    process.destroyForcibly().waitFor();
    assertFalse(Files.exists(file), "it was too fast to be killed");
    assertTrue(Files.exists(part), Files.readString(directory.resolve("log.txt")));

    assertTrue(run(file).contains("from an earlier run"));
    assertEquals(-1, Files.mismatch(whole, file));
    assertFalse(Files.exists(part));
  }
}
