package io.perflow.cli;

import io.perflow.Perflow;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command without a subcommand: prints its help. A new subcommand is listed here. */
@Command(
    name = "perflow",
    description = "Deep learning on the JVM with physical constraints.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = PerflowCommand.Version.class,
    subcommands = {
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
      BenchCommand.class
    })
final class PerflowCommand implements Runnable {
  @Option(
      names = "--trace",
      scope = ScopeType.INHERIT,
      description = "Print the stack trace of an error.")
  boolean trace;

  @Spec private CommandSpec spec;

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
