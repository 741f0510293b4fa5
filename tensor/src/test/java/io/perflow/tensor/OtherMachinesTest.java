package io.perflow.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The suites again in JVMs that see another machine: other vector widths, or no vectors at all. */
class OtherMachinesTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(ints = {128, 512})
  void otherVectorWidths(int bits) throws Exception {
    suites("--add-modules=jdk.incubator.vector", "-Dperflow.vectorBits=" + bits);
  }

  @Test
  void withoutTheVectorModuleScalarCodeRunsAndSaysSoOnce() throws Exception {
    String log = suites();
    String hint = "--add-modules jdk.incubator.vector";
    assertTrue(log.contains(hint), log);
    assertEquals(log.indexOf(hint), log.lastIndexOf(hint), "said more than once");
  }

  private String suites(String... flags) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(flags));
    command.add("-Dperflow.poison=true");
    command.add("-Djqwik.database=" + directory.resolve("jqwik"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add("org.junit.platform.console.ConsoleLauncher");
    command.addAll(List.of("execute", "--details=summary", "--disable-banner"));
    command.addAll(List.of("--select-class=" + GoldenOpsTest.class.getName()));
    command.addAll(List.of("--select-class=" + SimdMatchesScalarTest.class.getName()));
    command.addAll(List.of("--select-class=" + RowLengthsTest.class.getName()));
    command.addAll(List.of("--select-class=" + DoubleProductTest.class.getName()));
    command.addAll(List.of("--select-class=" + CholeskyTest.class.getName()));
    Path log = directory.resolve("log.txt");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    boolean ended = process.waitFor(3, TimeUnit.MINUTES);
    process.destroyForcibly();
    String text = Files.readString(log);
    assertEquals(0, ended ? process.exitValue() : -1, text);
    return text;
  }
}
