package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process of its own on a machine where numbers are written with a comma. */
class LocaleTest {
  @Test
  void numbersHaveAPointEverywhere(@TempDir Path home) throws IOException, InterruptedException {
    Plate.write(home);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Duser.language=de", "-Duser.country=DE"));
    command.addAll(List.of("--add-modules=jdk.incubator.vector", "-Xmx512m", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add(Main.class.getName());
    for (Object word : Plate.train(home)) {
      command.add(word.toString());
    }
    Path log = home.resolve("log.txt");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    assertEquals(0, process.waitFor(), Files.readString(log));
    String text = Files.readString(log);
    assertTrue(text.contains("every field 0.4 times"), text);
    assertTrue(
        text.matches("(?s).*validation loss \\d+\\.\\d{5}; mean square residuals: .*"), text);
  }
}
