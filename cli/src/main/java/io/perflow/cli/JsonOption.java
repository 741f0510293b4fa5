package io.perflow.cli;

import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Stack;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The option {@code --json}, which prints numbers for programs in place of text for people. */
final class JsonOption {
  /** The value of the option without a file. */
  static final String STANDARD_OUTPUT = "-";

  @Option(
      names = "--json",
      arity = "0..1",
      fallbackValue = STANDARD_OUTPUT,
      paramLabel = "FILE",
      preprocessor = Attached.class,
      description = "Print the results as JSON instead of text, or write them to a file.")
  private String target;

  /**
   * A preprocessor that leaves the word after {@code --json} to a command that has arguments of its
   * own, so that none of them is taken for a file to overwrite; {@code --json=FILE} names one.
   */
  static final class Attached implements IParameterPreprocessor {
    @Override
    public boolean preprocess(
        Stack<String> words, CommandSpec command, ArgSpec option, Map<String, Object> info) {
      if (" ".equals(info.get("separator")) && !command.positionalParameters().isEmpty()) {
        words.push(STANDARD_OUTPUT);
      }
      return false;
    }
  }

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  /** Returns whether standard output is for the JSON alone. */
  boolean printed() {
    return STANDARD_OUTPUT.equals(target);
  }

  /** Writes the numbers where the option says; does nothing without the option. */
  void write(Map<String, Object> numbers) throws IOException {
    if (printed()) {
      PerflowCommand.out(command).println(Json.pretty(numbers).strip());
    } else if (target != null) {
      Json.write(Path.of(target), numbers);
    }
  }
}
