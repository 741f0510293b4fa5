package io.perflow.cli;

import java.io.PrintWriter;
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
    var root = new PerflowCommand();
    return new CommandLine(root)
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
    var text = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    return "perflow: " + text.strip().replaceAll("\\s*\\R\\s*", "; ");
  }
}
