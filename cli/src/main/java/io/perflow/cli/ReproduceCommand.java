package io.perflow.cli;

import io.perflow.cli.reproduce.Benchmark;
import io.perflow.cli.reproduce.KeptTable;
import io.perflow.cli.reproduce.Reproduction;
import io.perflow.cli.reproduce.Scale;
import io.perflow.cli.reproduce.StoppedException;
import io.perflow.cli.reproduce.Study;
import io.perflow.cli.reproduce.Watcher;
import io.perflow.tensor.Device;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code reproduce}, which makes the tables and figures of the paper. */
@Command(
    name = "reproduce",
    description = {
      "Reproduce tables and figures of the paper.",
      "Simulates the data, trains the systems, tests them, and writes the results. Results that are"
          + " already in the directory --out are used again, so that a run that was stopped goes on"
          + " when you repeat the command."
    })
final class ReproduceCommand implements Callable<Integer> {
  @Parameters(
      arity = "1..*",
      paramLabel = "WHAT",
      description =
          "Tables and figures: table1 (all systems on all benchmarks), time (of a sample), table2"
              + " (ablation), fno (a conditional FNO), steps (of the solver), uq (error bars), base"
              + " (source distributions), noise (of the readings), observations (number of"
              + " sensors), data (number of training fields), weight (of guidance), or all.")
  private List<String> what;

  @Option(
      names = "--scale",
      paramLabel = "NAME",
      defaultValue = "cpu",
      description =
          "smoke (minutes, numbers without meaning), cpu (a night on two cores), grid (the paper's"
              + " grids and sensors with a short training) or paper (its own sizes, for a GPU)"
              + " (${DEFAULT-VALUE}).")
  private String scale;

  @Option(
      names = "--benchmark",
      paramLabel = "NAMES",
      split = ",",
      description = "Only these benchmarks: burgers, poisson, darcy, ns.")
  private List<String> benchmarks;

  @Option(
      names = "--system",
      paramLabel = "NAMES",
      split = ",",
      description =
          "Only these systems, for instance perflow,perflow-g,kriging. At the scale grid,"
              + " guided systems and inverted surrogates run only when they are named here.")
  private Set<String> systems = Set.of();

  @Option(
      names = "--finished",
      description = "Run nothing; write the results of tests that are finished.")
  private boolean finished;

  @Option(
      names = "--redraw",
      description =
          "Compute nothing; draw the figures again from the results.csv that are in --out. The"
              + " maps of uq are not drawn, since they show fields.")
  private boolean redraw;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Directory to write to. If omitted, perflow-reproduce/SCALE.")
  private Path out;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of all random numbers (${DEFAULT-VALUE}).")
  private long seed;

  @Mixin private MachineOptions machine = new MachineOptions();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    Device device = machine.use();
    List<Study> studies =
        what.contains("all")
            ? List.of(Study.values())
            : what.stream().map(Study::of).distinct().toList();
    Path home = out == null ? Path.of("perflow-reproduce", scale) : out;
    if (redraw) {
      KeptTable.redraw(home, studies).forEach(figure -> print("figure: " + figure));
      return 0;
    }
    try {
      Reproduction reproduction =
          new Reproduction(home, Scale.of(scale), seed, new Lines(), device).finishedOnly(finished);
      for (Path directory : reproduction.run(studies, chosen(), systems)) {
        Path results = directory.resolve("results.md");
        Files.readAllLines(results).stream()
            .filter(line -> line.startsWith("|") || line.startsWith("- "))
            .forEach(this::print);
        print("results: " + results);
      }
      return 0;
    } catch (StoppedException e) {
      print(e.getMessage());
      return 130;
    }
  }

  private Set<Benchmark> chosen() {
    return benchmarks == null
        ? EnumSet.allOf(Benchmark.class)
        : benchmarks.stream().map(Benchmark::of).collect(Collectors.toSet());
  }

  private void print(String line) {
    spec.commandLine().getOut().println(line);
  }

  /**
   * A watcher that prints a line for each finished task, and below it the progress of the running
   * one.
   */
  private final class Lines implements Watcher {
    @Override
    public Task begin(String name, long total) {
      Progress progress = Progress.of(spec, name, total);
      return new Task() {
        @Override
        public void accept(long done) {
          progress.at(done);
        }

        @Override
        public void close() {
          progress.close();
        }
      };
    }

    @Override
    public void done(String line) {
      print(line);
    }

    @Override
    public AutoCloseable interruptible(Runnable stop) {
      return new Interrupt(stop);
    }
  }
}
