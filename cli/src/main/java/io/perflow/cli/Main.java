package io.perflow.cli;

import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;
import picocli.CommandLine;

/** Entry point of the {@code perflow} command: runs it and turns every error into one line. */
public final class Main {
  private Main() {}

  /**
   * Runs the command and ends the JVM with its exit code.
   *
   * @param args arguments of the command
   */
  public static void main(String[] args) {
    // numbers read the same on every machine, and as files write them
    Locale.setDefault(Locale.ROOT);
    var out = new PrintWriter(System.out, true);
    var err = new PrintWriter(System.err, true);
    System.exit(run(out, err, args));
  }

  /**
   * Runs the command.
   *
   * @return 0 on success, 1 when the command failed, 2 when it was called wrongly
   */
  static int run(PrintWriter out, PrintWriter err, String... args) {
    PrintWriter plainOut = PlainText.on(out);
    PrintWriter plainErr = PlainText.on(err);
    try {
      return execute(plainOut, plainErr, args);
    } catch (OutOfMemoryError e) {
      plainErr.println(
          ("perflow: not enough memory: Java may use %d MB and needs more for this (%s); give it"
                  + " more, as in PERFLOW_OPTS=-Xmx8g, or ask for smaller batches, fewer samples or"
                  + " a smaller file")
              .formatted(Runtime.getRuntime().maxMemory() >> 20, e.getMessage()));
      return CommandLine.ExitCode.SOFTWARE;
    } finally {
      plainOut.flush();
      plainErr.flush();
    }
  }

  private static int execute(PrintWriter out, PrintWriter err, String... args) {
    var root = new PerflowCommand();
    return new CommandLine(root)
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
        .setExecutionExceptionHandler(
            (failure, command, parsed) -> {
              if (root.trace) {
                failure.printStackTrace(err);
              } else {
                err.println(oneLine(failure));
              }
              return CommandLine.ExitCode.SOFTWARE;
            })
        .execute(args);
  }

  private static String oneLine(Exception e) {
    return "perflow: " + reason(e).strip().replaceAll("\\s*\\R\\s*", "; ");
  }

  private static String reason(Exception e) {
    return switch (e) {
      case FileSystemException file -> file.getFile() + ": " + reason(file);
      case CommandLine.UnmatchedArgumentException unknown
          when !unknown.isUnknownOption() && !unknown.getSuggestions().isEmpty() ->
          "unknown command '%s'; did you mean %s?"
              .formatted(unknown.getUnmatched().get(0), unknown.getSuggestions().get(0));
      case CommandLine.MutuallyExclusiveArgsException both ->
          both.getMessage().replaceFirst("^Error: ", "");
      default -> e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    };
  }

  // the message of some of these is the bare name of the file
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
