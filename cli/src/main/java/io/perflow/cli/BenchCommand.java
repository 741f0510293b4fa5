package io.perflow.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * The command {@code bench}, whose subcommands print timings that can be compared with those of
 * another framework.
 */
@Command(
    name = "bench",
    description = "Measure speed on this machine.",
    subcommands = {
      BenchOpsCommand.class,
      BenchUnetCommand.class,
      BenchTrainCommand.class,
      BenchSamplingCommand.class
    })
final class BenchCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }
}
