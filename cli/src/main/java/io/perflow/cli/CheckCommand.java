package io.perflow.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code check}, which verifies files that perflow wrote. */
@Command(
    name = "check",
    description = {
      "Check that files of perflow are undamaged.",
      "Reads models, checkpoints, data sets, results, problems and tables completely. Checks their"
          + " checksums and shapes, and that their numbers are finite. The exit code is 1 when a"
          + " file cannot be used."
    })
final class CheckCommand implements Callable<Integer> {
  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "Files to check, or directories of such files.")
  private List<Path> paths;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    Map<String, Object> found = new LinkedHashMap<>();
    List<String> damaged = new ArrayList<>();
    for (Path file : files()) {
      String line;
      try (Progress _ = Progress.of(spec, "check " + file)) {
        line = CheckedFile.describe(file);
      } catch (NoSuchFileException e) {
        line = "there is no such file";
        damaged.add(file.toString());
      } catch (IOException | IllegalArgumentException e) {
        line = "damaged: " + (e.getMessage() == null ? e.toString() : e.getMessage());
        damaged.add(file.toString());
      }
      found.put(file.toString(), line);
      out.println(file + ": " + line);
    }
    json.write(found);
    if (!damaged.isEmpty()) {
      throw new IllegalArgumentException(
          "%d of %s cannot be used: %s"
              .formatted(
                  damaged.size(), Counted.of(found.size(), "file"), String.join(", ", damaged)));
    }
    return 0;
  }

  private List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    for (Path path : paths) {
      if (!Files.isDirectory(path)) {
        files.add(path);
        continue;
      }
      try (Stream<Path> entries = Files.list(path)) {
        List<Path> inside = entries.filter(Files::isRegularFile).sorted().toList();
        if (inside.isEmpty()) {
          throw new IllegalArgumentException("there is no file in %s to check".formatted(path));
        }
        files.addAll(inside);
      }
    }
    return files;
  }
}
