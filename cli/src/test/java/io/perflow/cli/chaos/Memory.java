package io.perflow.cli.chaos;

import io.perflow.cli.Main;
import io.perflow.cli.Plate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Commands in heaps that are too small for them, or nearly. Each ends with its result or with one
 * line.
 */
final class Memory {
  private static final int[] HEAPS = {4, 6, 8, 10, 12, 16, 24, 32, 64, 128}; // MB
  // what the JVM itself says when its heap is too small to start in
  private static final String NO_START = "Error occurred during initialization of VM";

  private final Path home;
  private final Path directory;
  private final List<String> wrong = new ArrayList<>();
  private int answered;
  private int done;
  private int notStarted;

  Memory(Path home, Path directory) {
    this.home = home;
    this.directory = directory;
  }

  List<String> wrong() {
    return wrong;
  }

  String figures() {
    return "%d commands succeeded, %d ended with a line, %d heaps were too small for a JVM"
        .formatted(done, answered, notStarted);
  }

  private Map<String, Object[]> commands(Path out) {
    Path model = home.resolve("run/best.safetensors");
    Map<String, Object[]> commands = new LinkedHashMap<>();
    commands.put("train", Plate.train(home, "--out", out.resolve("run")));
    commands.put(
        "learn",
        new Object[] {"train", home, "--system", "kriging", "--out", out.resolve("prior")});
    Path data = out.resolve("data.safetensors");
    commands.put(
        "generate", new Object[] {"generate", "ns", "--size", 64, "--samples", 8, "--out", data});
    commands.put("check", new Object[] {"check", home.resolve("run"), data});
    commands.put(
        "reconstruct",
        new Object[] {
          "reconstruct",
          "--model",
          model,
          "--observations",
          home.resolve("readings.csv"),
          "--samples",
          200,
          "--steps",
          2,
          "--out",
          out.resolve("made")
        });
    return commands;
  }

  Memory run() throws IOException {
    for (int heap : HEAPS) {
      Path out = Files.createDirectories(directory.resolve(heap + "m"));
      for (Map.Entry<String, Object[]> command : commands(out).entrySet()) {
        if (command.getKey().equals("check") && !Files.exists(out.resolve("data.safetensors"))) {
          continue;
        }
        run(heap, command.getKey(), command.getValue());
      }
    }
    return this;
  }

  private void run(int heap, String name, Object[] args) throws IOException {
    Path output = directory.resolve("output.txt");
    List<String> options = List.of("-Xmx" + heap + "m");
    try (Child child = Child.start(List.of(), options, Main.class, output, args)) {
      if (child.end() == 0) {
        done++;
        return;
      }
      if (child.said().startsWith(NO_START)) {
        notStarted++;
        return;
      }
      answered++;
      // a command may have said where it is before it failed
      String last = child.said().lines().reduce("", (_, line) -> line);
      String fault = last.startsWith("perflow: ") ? Answer.fault(last) : "said " + child.said();
      if (!fault.isEmpty()) {
        wrong.add("%s in %d MB %s".formatted(name, heap, fault));
      }
    } catch (IllegalStateException e) {
      wrong.add("%s in %d MB: %s".formatted(name, heap, e.getMessage()));
    }
  }
}
