package io.perflow.cli.chaos;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** A Java process of its own. */
final class Child implements AutoCloseable {
  private static final long PATIENCE = 600; // seconds; on a busy machine, others come first

  private static final Pattern FLAG = Pattern.compile("-XX:|-Xmn|-Xlog|--");

  private final Process process;
  private final Path output;

  private Child(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /**
   * Starts one.
   *
   * @param before a command that starts it, such as one that takes rights away; may be empty
   * @param output what it prints
   */
  static Child start(
      List<String> before, List<String> options, Class<?> main, Path output, Object... args)
      throws IOException {
    List<String> command = new ArrayList<>(before);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // as the command runs: its modules, its collector and the sizes of its generations
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(flag -> FLAG.matcher(flag).lookingAt())
        .forEach(command::add);
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    for (Object arg : args) {
      command.add(arg.toString());
    }
    return new Child(
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start(),
        output);
  }

  boolean alive() {
    return process.isAlive();
  }

  /** Waits until the victim stands where it was told to; false if it ended before. */
  boolean waitsHere() throws IOException {
    while (process.isAlive()) {
      if (Files.readAllLines(output).contains(Victim.HERE)) { // the JVM may warn before
        return true;
      }
      pause(2);
    }
    return false;
  }

  /** Lets a victim that waits continue. */
  void goOn() throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
  }

  /** Kills it as {@code kill -9} does, unless it has ended. */
  void kill() {
    process.destroyForcibly();
    end();
  }

  /** Waits for its end, and returns its exit code. */
  int end() {
    try {
      if (!process.waitFor(PATIENCE, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IllegalStateException("a process hung for " + PATIENCE + " s");
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** What it printed, without the mark of a victim and without the JVM's warnings. */
  String said() throws IOException {
    StringBuilder said = new StringBuilder();
    for (String line : Files.readAllLines(output)) {
      if (!line.equals(Victim.HERE) && !line.startsWith("WARNING: ")) {
        said.append(line).append('\n');
      }
    }
    return said.toString().strip();
  }

  static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
