package io.perflow.cli;

import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Option;

/** Numbers for programs in place of text for people. */
final class JsonOption {
  private static final String STANDARD_OUTPUT = "-";

  @Option(
      names = "--json",
      arity = "0..1",
      fallbackValue = STANDARD_OUTPUT,
      paramLabel = "FILE",
      description = "Print the numbers as JSON, or write them to a file.")
  private String target;

  /** Whether standard output is for JSON, so that nothing else may go there. */
  boolean quiet() {
    return STANDARD_OUTPUT.equals(target);
  }

  /** Writes the numbers where they are wanted; nowhere unless asked for. */
  void write(PrintWriter out, Map<String, Object> numbers) throws IOException {
    if (quiet()) {
      out.println(Json.pretty(numbers).strip());
    } else if (target != null) {
      Json.write(Path.of(target), numbers);
    }
  }
}
