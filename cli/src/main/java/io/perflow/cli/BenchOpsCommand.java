package io.perflow.cli;

import io.perflow.tensor.Settings;
import io.perflow.tensor.io.AtomicFile;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code bench ops}, which times single operations that a JSON list describes. */
@Command(
    name = "ops",
    description =
        "Time operations on random F32 input: a JSON list of {name, op, shapes} in, {name: best ms}"
            + " out.")
final class BenchOpsCommand implements Callable<Integer> {
  @Option(
      names = "--spec",
      paramLabel = "FILE",
      required = true,
      description = "JSON list of operations.")
  private Path specFile;

  @Option(
      names = "--threads",
      paramLabel = "N",
      converter = Count.class,
      description = "Number of threads. If omitted, one for each processor.")
  private Integer threads;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "File for the result; the same as --json=FILE.")
  private Path out;

  @Option(
      names = "--seconds",
      paramLabel = "SECONDS",
      defaultValue = "1",
      description = "Seconds of warm-up and of measurement per operation (default: 1).")
  private double seconds;

  @Option(names = "--exact", description = "Direct convolution instead of Winograd's.")
  private boolean exact;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec command;

  @Override
  public Integer call() throws IOException {
    if (threads != null) {
      Settings.threads(threads);
    }
    Settings.exactConvolution(exact);
    Map<String, Object> best = new LinkedHashMap<>();
    for (OpCase entry : entries()) {
      double ms = Stopwatch.bestMillis(entry.task(), seconds);
      best.put(entry.name(), ms);
      command.commandLine().getOut().printf("%-32s %10.4f ms%n", entry.name(), ms);
    }
    if (out != null) {
      byte[] text = Json.write(best).getBytes(StandardCharsets.UTF_8);
      AtomicFile.write(out, stream -> stream.write(text));
    }
    json.write(best);
    return 0;
  }

  private List<OpCase> entries() throws IOException {
    Object parsed = Json.parse(Files.readString(specFile));
    if (!(parsed instanceof List<?> list)) {
      throw new IOException(specFile + ": expected a JSON list of operations");
    }
    return list.stream().map(OpCase::of).toList();
  }
}
