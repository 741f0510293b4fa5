package io.perflow.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Makes a model small enough to ship. */
@Command(
    name = "export",
    description = "Write a model in half precision: half the size, the same use.")
final class ExportCommand implements Callable<Integer> {
  @Option(names = "--model", required = true, description = "File of the flow.")
  private Path model;

  @Option(names = "--out", required = true, description = "File to write.")
  private Path out;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    Model loaded = Model.load(model);
    loaded.saveHalf(out);
    long before = Files.size(loaded.file());
    if (!json.quiet()) {
      spec.commandLine().getOut().printf("%s: %d bytes, from %d%n", out, Files.size(out), before);
    }
    Map<String, Object> numbers = new LinkedHashMap<>();
    numbers.put("file", out.toString());
    numbers.put("bytes", Files.size(out));
    numbers.put("bytes_before", before);
    json.write(spec.commandLine().getOut(), numbers);
    return 0;
  }
}
