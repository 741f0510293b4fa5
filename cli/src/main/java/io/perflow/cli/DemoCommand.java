package io.perflow.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code demo}, which shows what the shipped models can do on fields that no training
 * has seen.
 */
@Command(
    name = "demo",
    description = {
      "Show in a minute what the shipped models can do.",
      "Simulates fields of all four benchmarks that no training has seen, reconstructs them from a"
          + " few sensors beside kriging, a thin-plate spline and the figures of the paper, and"
          + " writes one page, report.html. With --train it trains a small flow instead, which"
          + " takes a few minutes."
    })
final class DemoCommand implements Callable<Integer> {
  private static final int SEEDS = 100_000; // few digits, because users type it

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "perflow-demo",
      description = "Directory for the page and the readings (${DEFAULT-VALUE}).")
  private Path out;

  @Option(
      names = "--models",
      paramLabel = "DIR",
      description = "Directory of the shipped models. If omitted, the one beside the command.")
  private Path models;

  @Option(
      names = "--fields",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "2",
      description = "Number of fields of each benchmark (${DEFAULT-VALUE}).")
  private int fields;

  @Option(
      names = "--samples",
      paramLabel = "N",
      converter = Count.class,
      description = "Number of samples drawn for each field. If omitted, 20; with --train, 8.")
  private Integer samples;

  @Option(
      names = "--train",
      description =
          "Simulate fields of Burgers' equation, train a small flow that keeps the total velocity"
              + " at zero as the equation does and its twin that does not, and compare them.")
  private boolean train;

  @Option(
      names = "--steps",
      paramLabel = "N",
      converter = Count.class,
      description = "With --train: training steps of each flow. If omitted, 600.")
  private Integer steps;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Seed of the fields. If omitted, another one in every run; with --train, 1.")
  private Long seed;

  @Mixin private MachineOptions machine = new MachineOptions();
  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    PerflowCommand.requireDirectory(out);
    if (!train && steps != null) {
      throw new IllegalArgumentException("--steps is for --train; without it nothing is trained");
    }
    if (train) {
      int members = samples == null ? 8 : samples;
      DemoTraining.Plan plan =
          new DemoTraining.Plan(out, steps == null ? 600 : steps, members, seed == null ? 1 : seed);
      new DemoTraining(plan, machine.use(), json, spec).run();
      return 0;
    }
    machine.use();
    long chosen = seed == null ? ThreadLocalRandom.current().nextInt(1, SEEDS) : seed;
    show(new DemoTrial.Size(fields, samples == null ? 20 : samples, chosen));
    return 0;
  }

  private void show(DemoTrial.Size size) throws IOException {
    if (size.samples() < 2) {
      throw new IllegalArgumentException(
          "--samples 1 shows no uncertainty; ask for at least 2, usually 20");
    }
    PrintWriter print = spec.commandLine().getOut();
    print.printf(
        "%s of each benchmark, seed %d, which no training has seen%n",
        Counted.of(size.fields(), "field"), size.seed());
    print.flush();
    DemoReport report = new DemoReport(trials(size), size);
    report.write(out);
    report.lines().forEach(print::println);
    print.println(report.sentence());
    print.printf("report: %s%n", out.resolve("report.html"));
    json.write(report.toJson());
  }

  private List<DemoTrial> trials(DemoTrial.Size size) throws IOException {
    List<DemoTrial> trials = new ArrayList<>();
    DemoBenchmark[] all = DemoBenchmark.values();
    int[] parts = {0};
    try (Progress progress = Progress.of(spec, "demo", all.length * DemoTrial.PARTS)) {
      for (DemoBenchmark benchmark : all) {
        trials.add(
            DemoTrial.run(
                benchmark,
                models == null ? Shipped.models() : models,
                size,
                doing -> progress.at(parts[0]++, benchmark.title() + ": " + doing)));
      }
    }
    return trials;
  }
}
