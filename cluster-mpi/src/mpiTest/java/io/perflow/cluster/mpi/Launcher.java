package io.perflow.cluster.mpi;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A command that starts processes of one MPI.
 *
 * @param command its name on the path
 */
record Launcher(String command) {
  private static final long LIMIT_SECONDS = 150; // the machine may be busy

  /** How a job ended. */
  record Ended(int exit, String out) {}

  /** One for each MPI that is installed. */
  static List<Launcher> all() {
    List<Launcher> named =
        Stream.of("mpiexec.mpich", "mpiexec.openmpi")
            .filter(Launcher::there)
            .map(Launcher::new)
            .toList();
    return named.isEmpty() && there("mpiexec") ? List.of(new Launcher("mpiexec")) : named;
  }

  private static boolean there(String command) {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, command)));
  }

  /** Starts a job and returns at once; what it says goes to a file. */
  Process start(Path log, int processes, List<String> options, String... program)
      throws IOException {
    List<String> line = new ArrayList<>(List.of(command, "-n", "" + processes));
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("@" + System.getProperty("perflow.flags"), "-Xmx384m"));
    line.addAll(options);
    line.addAll(List.of("-cp", System.getProperty("java.class.path")));
    line.addAll(List.of(program));
    ProcessBuilder builder =
        new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(log.toFile());
    // Open MPI asks twice whether root knows what it does, and wants more cores than ranks.
    builder
        .environment()
        .putAll(
            Map.of(
                "OMPI_ALLOW_RUN_AS_ROOT", "1",
                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1",
                "OMPI_MCA_rmaps_base_oversubscribe", "1"));
    return builder.start();
  }

  /** Runs a job to its end. */
  Ended run(Path directory, int processes, List<String> options, String... program)
      throws IOException, InterruptedException {
    Path log = Files.createTempFile(directory, "job", ".txt");
    return end(start(log, processes, options, program), log);
  }

  /** Runs one of {@link Programs} to its end. */
  Ended run(Path directory, int processes, String... arguments)
      throws IOException, InterruptedException {
    return run(directory, processes, List.of(), program(arguments));
  }

  static String[] program(String... arguments) {
    List<String> line = new ArrayList<>(List.of(MpiMain.class.getName(), Programs.class.getName()));
    line.addAll(List.of(arguments));
    return line.toArray(String[]::new);
  }

  /** Waits for the end of a job. */
  static Ended end(Process process, Path log) throws IOException, InterruptedException {
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IllegalStateException("the job hangs; so far: " + text(log));
    }
    return new Ended(process.exitValue(), text(log));
  }

  static String text(Path log) throws IOException {
    return new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return command;
  }
}
