package io.perflow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs programs of one file as a user would, in a process of their own. */
final class Program {
  // jshell refuses a path with entries that do not exist
  private static final String PATH =
      Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
          .filter(entry -> Files.exists(Path.of(entry)))
          .collect(Collectors.joining(File.pathSeparator));
  private static final String VECTORS = "--add-modules=jdk.incubator.vector";

  private Program() {}

  /** The output of a Java program that must succeed. */
  static String run(Path source) throws IOException, InterruptedException {
    return output(source, "java", VECTORS, "-cp", PATH, source.toString());
  }

  /** The output of the cells of a notebook. */
  static String runCells(Path source) throws IOException, InterruptedException {
    String file = source.toString();
    return output(source, "jshell", "-s", "--class-path", PATH, VECTORS, "-R" + VECTORS, file);
  }

  private static String output(Path source, String tool, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", tool).toString());
    command.addAll(List.of(arguments));
    Path log = Files.createTempFile("program", ".txt");
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(source.toAbsolutePath().getParent().toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      process.getOutputStream().close();
      boolean ended = process.waitFor(5, TimeUnit.MINUTES);
      process.destroyForcibly();
      String said = Files.readString(log);
      assertEquals(0, ended ? process.exitValue() : -1, () -> source + "\n" + said);
      return said;
    } finally {
      Files.delete(log);
    }
  }
}
