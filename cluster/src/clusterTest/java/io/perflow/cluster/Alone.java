package io.perflow.cluster;

import io.perflow.nn.distributed.Engine;
import io.perflow.nn.distributed.Gang;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process that takes training steps without Spark, whenever it is called. */
final class Alone implements AutoCloseable {
  private final Process process;

  private Alone(Process process) {
    this.process = process;
  }

  /** Starts one that takes {@link Steps} of so many fields. */
  static Alone start(int port, String team, int batch, int memory) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(flag -> flag.startsWith("-X") || flag.startsWith("--"))
            .toList());
    command.addAll(List.of("-Xmx" + memory + "m", "-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Alone.class.getName(), "" + port, team, "" + batch));
    return new Alone(new ProcessBuilder(command).inheritIO().start());
  }

  static void main(String[] arguments) {
    int port = Integer.parseInt(arguments[0]);
    int batch = Integer.parseInt(arguments[2]);
    try (Engine engine = Engine.local(1)) {
      engine.gang(Gang.of(1), new Steps(port, arguments[1], batch));
    }
  }

  @Override
  public void close() {
    process.destroy();
  }
}
