package io.perflow.cli;

import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The entry point of the {@code perflow} command, which runs it and turns every error into one
 * line.
 */
public final class Main {
  private Main() {}

  /**
   * Runs the command and ends the JVM with its exit code.
   *
   * @param args the arguments of the command
   */
  public static void main(String[] args) {
    // Numbers look the same on every machine, and the same as in files.
    Locale.setDefault(Locale.ROOT);
    StandardError.restore();
    var out = new PrintWriter(System.out, true);
    var err = new PrintWriter(System.err, true);
    System.exit(run(out, err, Screen.of(PlainText.on(err)), args));
  }

  /**
   * Runs the command.
   *
   * @return 0 on success, 1 when the command failed, 2 when it was called wrongly
   */
  static int run(PrintWriter out, PrintWriter err, Screen screen, String... args) {
    PrintWriter plainOut = PlainText.on(out);
    PrintWriter plainErr = PlainText.on(err);
    try {
      return commandLine(plainOut, plainErr, screen, args).execute(args);
    } catch (Error e) {
      Throwable cause = e; // also of a class that could not be loaded for lack of memory
      while (cause != null && !(cause instanceof OutOfMemoryError)) {
        cause = cause.getCause();
      }
      if (cause == null) {
        throw e;
      }
      plainErr.println(
          ("perflow: not enough memory: Java may use %d MB and needs more for this (%s); give it"
                  + " more, as in PERFLOW_OPTS=-Xmx8g, or ask for smaller batches, fewer samples or"
                  + " a smaller file")
              .formatted(Runtime.getRuntime().maxMemory() >> 20, cause.getMessage()));
      return CommandLine.ExitCode.SOFTWARE;
    } finally {
      plainOut.flush();
      plainErr.flush();
    }
  }

  /**
   * Returns the command with the subcommands that some arguments need; without arguments, with all.
   */
  static CommandLine commandLine(PrintWriter out, PrintWriter err, Screen screen, String... args) {
    var root = new PerflowCommand(screen);
    return PerflowCommand.line(root, args)
        .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOut(out)
        .setErr(err)
        .setParameterExceptionHandler(
            (mistake, arguments) -> {
              var command = mistake.getCommandLine().getCommandSpec().qualifiedName();
              err.println(oneLine(mistake) + " (see " + command + " --help)");
              return CommandLine.ExitCode.USAGE;
            })
        .setExecutionStrategy(
            parsed -> {
              CommandLine running = parsed.asCommandLineList().getLast();
              if (!running.isUsageHelpRequested()) {
                requireNamedOnce(running);
                Outputs.requireApart(running.getCommandSpec());
                Outputs.requirePlaces(running.getCommandSpec());
                root.silence(running.getCommandSpec());
              }
              try (Verbose _ = root.verbose ? Verbose.begin(err) : null) {
                return new CommandLine.RunLast().execute(parsed);
              }
            })
        .setExecutionExceptionHandler(
            (failure, command, parsed) -> {
              if (root.trace) {
                failure.printStackTrace(err);
              } else {
                err.println(oneLine(failure));
              }
              return CommandLine.ExitCode.SOFTWARE;
            });
  }

  // of options such as --unit T=K, whose later value would silently replace the earlier one
  private static void requireNamedOnce(CommandLine running) {
    for (ArgSpec arg : running.getCommandSpec().args()) {
      if (arg.getValue() instanceof Map<?, ?> map) {
        Set<String> names = new HashSet<>();
        for (String text : arg.originalStringValues()) {
          String name = text.replaceFirst("=.*", "");
          if (!names.add(name) && map.containsKey(name)) {
            throw new CommandLine.ParameterException(
                running,
                "%s names %s twice; keep one".formatted(((OptionSpec) arg).longestName(), name));
          }
        }
      }
    }
  }

  private static String oneLine(Exception e) {
    return "perflow: " + reason(e).strip().replaceAll("\\s*\\R\\s*", "; ");
  }

  /** Why a command failed, in words for its user. */
  static String reason(Exception e) {
    return switch (e) {
      case UncheckedIOException wrapped -> reason(wrapped.getCause());
      case FileSystemException file -> file.getFile() + ": " + reason(file);
      case CommandLine.UnmatchedArgumentException unknown ->
          unknown(unknown.getCommandLine(), unknown.getUnmatched());
      // A misspelt option is also a missing one, and the misspelling says more.
      case CommandLine.MissingParameterException missing
          when !missing.getCommandLine().getUnmatchedArguments().isEmpty() ->
          unknown(missing.getCommandLine(), missing.getCommandLine().getUnmatchedArguments());
      case CommandLine.MutuallyExclusiveArgsException both ->
          both.getMessage().replaceFirst("^Error: ", "");
      case CommandLine.ParameterException wrong ->
          wrong
              .getMessage()
              .replaceFirst("^Value for option option", "Value for option")
              .replaceFirst(
                  "('[-+]?\\d+') is not a long$", "$1 is too large: at most " + Long.MAX_VALUE)
              .replaceFirst(
                  "('[-+]?\\d+') is not an int$", "$1 is too large: at most " + Integer.MAX_VALUE)
              .replaceFirst("is not an? (int|long)$", "is not a whole number")
              .replaceFirst("is not a double$", "is not a number");
      default -> e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    };
  }

  private static String unknown(CommandLine line, List<String> unmatched) {
    CommandSpec command = line.getCommandSpec();
    String word =
        unmatched.stream()
            .filter(text -> text.startsWith("-"))
            .findFirst()
            .orElse(unmatched.getFirst())
            .replaceFirst("=.*", "");
    if (word.startsWith("-")) {
      return "%s has no option '%s'%s"
          .formatted(command.qualifiedName(), word, meant(word, command.optionsMap().keySet()));
    }
    return command.subcommands().isEmpty()
        ? "%s takes %s '%s'"
            .formatted(
                command.qualifiedName(),
                command.positionalParameters().isEmpty() ? "no argument" : "no further argument",
                word)
        : "there is no command '%s'%s".formatted(word, meant(word, command.subcommands().keySet()));
  }

  private static String meant(String word, Collection<String> known) {
    return Spelling.nearest(word, known).map("; did you mean %s?"::formatted).orElse("");
  }

  // The message of some of these is only the name of the file.
  private static String reason(FileSystemException e) {
    return switch (e) {
      case NoSuchFileException _ -> "there is no such file";
      case AccessDeniedException _ -> "permission denied";
      case NotDirectoryException _ -> "is not a directory";
      case FileAlreadyExistsException _ -> "is there already, and not as a directory";
      default -> e.getReason() == null ? "cannot be read or written" : e.getReason();
    };
  }
}
