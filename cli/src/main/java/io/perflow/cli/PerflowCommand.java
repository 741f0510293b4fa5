package io.perflow.cli;

import io.perflow.Perflow;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command without a subcommand, which prints its help. A new subcommand is listed here. */
@Command(
    name = "perflow",
    description = {
      "Reconstruct physical fields from a few sensors, with constraints that hold exactly.",
      "Begin with perflow demo, with perflow studio, or with your own files and perflow init."
    },
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = PerflowCommand.Version.class)
final class PerflowCommand implements Runnable {
  private static final List<Class<?>> SUBCOMMANDS =
      List.of(
          DemoCommand.class,
          InitCommand.class,
          GenerateCommand.class,
          ImportCommand.class,
          PlaceCommand.class,
          TrainCommand.class,
          ReconstructCommand.class,
          StudioCommand.class,
          CalibrateCommand.class,
          EvaluateCommand.class,
          ReproduceCommand.class,
          SummaryCommand.class,
          ExportCommand.class,
          CheckCommand.class,
          DoctorCommand.class,
          GpuSelftestCommand.class,
          BenchCommand.class);

  @Option(
      names = "--trace",
      scope = ScopeType.INHERIT,
      description = "Print the stack trace of an error, for bug reports.")
  boolean trace;

  @Option(
      names = {"-q", "--quiet"},
      scope = ScopeType.INHERIT,
      description =
          "Print warnings and errors only: no progress and no results. Files are written as usual,"
              + " and --json is printed all the same.")
  boolean quiet;

  @Option(
      names = {"-v", "--verbose"},
      scope = ScopeType.INHERIT,
      description =
          "Say on standard error what the command runs on, what the library notices, and how much"
              + " time and memory it took.")
  boolean verbose;

  @Option(
      names = "--master",
      paramLabel = "CLUSTER",
      defaultValue = "${sys:spark.master}", // in the form that spark-submit sets
      description =
          "Cluster for generate, train, evaluate and reconstruct: spark://HOST:PORT, local[N] for N"
              + " tasks in this process, or any other that Spark knows; mpi for the processes that"
              + " mpiexec or srun has started.")
  String master;

  private final Screen screen;

  PerflowCommand(Screen screen) {
    this.screen = screen;
  }

  /** Returns the command whose subcommand this is. */
  static PerflowCommand of(CommandSpec spec) {
    return (PerflowCommand) spec.root().userObject();
  }

  /**
   * Returns standard output for the whole command, also where a command's text for people is
   * silenced.
   */
  static PrintWriter out(CommandSpec spec) {
    return spec.root().commandLine().getOut();
  }

  /**
   * Silences the text for people of the subcommand that runs, if it is unwanted or standard output
   * is for JSON.
   */
  void silence(CommandSpec running) {
    boolean json =
        running.mixins().values().stream()
            .anyMatch(mixin -> mixin.userObject() instanceof JsonOption option && option.printed());
    if (quiet || json) {
      running.commandLine().setOut(new PrintWriter(Writer.nullWriter()));
    }
  }

  /** Refuses an output directory that is a file, before the work is done. */
  static void requireDirectory(Path out) throws FileAlreadyExistsException {
    if (Files.exists(out) && !Files.isDirectory(out)) {
      throw new FileAlreadyExistsException(out.toString());
    }
  }

  /** Returns where progress is shown. */
  Screen screen() {
    return quiet ? Screen.NONE : screen;
  }

  @Spec private CommandSpec spec;

  /**
   * Returns the command line with no more subcommands than its first argument needs: the named one,
   * none for the version, otherwise all. Inspecting the options of every command takes five times
   * as long as starting the JVM.
   */
  static CommandLine line(PerflowCommand root, String... args) {
    CommandLine line = new CommandLine(root);
    String first = args.length == 0 ? "" : args[0];
    if (List.of("-V", "--version").contains(first)) {
      return line;
    }
    List<Class<?>> named =
        SUBCOMMANDS.stream()
            .filter(c -> first.equals(c.getAnnotation(Command.class).name()))
            .toList();
    if (named.isEmpty()) {
      SUBCOMMANDS.forEach(line::addSubcommand);
      line.addSubcommand(CommandLine.HelpCommand.class);
    } else {
      line.addSubcommand(named.getFirst());
    }
    return line;
  }

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"perflow " + Perflow.version()};
    }
  }
}
