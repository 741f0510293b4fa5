package io.perflow.cluster;

import io.perflow.nn.distributed.Engine;
import io.perflow.nn.distributed.Gang;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** A process that takes the same training steps without Spark, whenever it is asked for some. */
final class Alone implements AutoCloseable {
  private final Process process;
  private final BufferedReader answers;
  private final PrintWriter questions;

  private Alone(Process process) {
    this.process = process;
    answers = process.inputReader();
    questions = new PrintWriter(process.outputWriter(), true);
  }

  static Alone start() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(flag -> flag.startsWith("-X") || flag.startsWith("--"))
            .toList());
    command.addAll(List.of("-Xmx3600m", "-cp", System.getProperty("java.class.path")));
    command.add(Alone.class.getName());
    return new Alone(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Seconds of some steps. */
  double[] steps() throws IOException {
    questions.println();
    String answer = answers.readLine();
    if (answer == null) {
      throw new IOException("the process without Spark has ended");
    }
    return Arrays.stream(answer.split(" ")).mapToDouble(Double::parseDouble).toArray();
  }

  /** Answers until nobody asks. */
  static void main(String[] arguments) throws IOException {
    try (Engine engine = Engine.local(1)) {
      while (System.in.read() >= 0) {
        double[] seconds = engine.gang(Gang.of(1), new Steps()).getFirst();
        System.out.println(
            Arrays.stream(seconds).mapToObj(Double::toString).collect(Collectors.joining(" ")));
      }
    }
  }

  @Override
  public void close() {
    questions.close();
    process.destroy();
  }
}
