package io.perflow.cli;

import io.perflow.Perflow;
import io.perflow.nn.distributed.Engine;
import io.perflow.physics.Generation;
import io.perflow.physics.Scaling;
import io.perflow.physics.solver.Benchmark;
import io.perflow.physics.solver.FieldGenerator;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/**
 * The command {@code generate}, which simulates the data of a benchmark and writes them to a file.
 */
@Command(
    name = "generate",
    description = {
      "Simulate the data of a benchmark.",
      "The same options give the same file, bit for bit, for any number of threads. Finished"
          + " fields are kept in FILE.part, so that a run that was stopped goes on when you repeat"
          + " the command."
    })
final class GenerateCommand implements Callable<Integer> {
  /** The splits with the paper's numbers of samples. */
  enum Split {
    train(5000),
    val(1000),
    test(20);

    final int samples;

    Split(int samples) {
      this.samples = samples;
    }
  }

  @Parameters(
      index = "0",
      paramLabel = "BENCHMARK",
      description =
          "Problem to simulate: burgers, poisson, darcy, ns, heat or a benchmark of your own.")
  private String name;

  @Option(
      names = "--samples",
      paramLabel = "N",
      converter = Count.class,
      description =
          "Number of fields. If omitted, 5000 for training, 1000 for validation, 20 for testing.")
  private Integer samples;

  @Option(
      names = "--split",
      defaultValue = "train",
      description =
          "Which of the independent data sets to make: ${COMPLETION-CANDIDATES}"
              + " (${DEFAULT-VALUE}).")
  private Split split;

  @Option(
      names = "--size",
      paramLabel = "N",
      converter = Count.class,
      description = "Grid points along each axis. If omitted, 128; for ns and heat 64.")
  private Integer size;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of all random numbers (${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--preset",
      paramLabel = "NAME",
      defaultValue = "",
      description =
          "Parameters of the simulation: paper or diffusionpde, for ns also hard. If omitted,"
              + " paper, or the only ones there are.")
  private String preset;

  @Option(
      names = "--scaling",
      paramLabel = "NAME",
      defaultValue = "unit",
      description = "Standard deviation of normalized fields: unit or half (${DEFAULT-VALUE}).")
  private Scaling scaling;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      defaultValue = "F32",
      description = "Precision of the file: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
  private DataType type;

  @Option(
      names = "--plain",
      description =
          "Write a plain npz file as another tool would, for perflow init to read: one array for"
              + " each quantity, and the coordinates.")
  private boolean plain;

  @Option(
      names = "--threads",
      paramLabel = "N",
      converter = Count.class,
      description = "Fields simulated at the same time. If omitted, one for each processor.")
  private Integer threads;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      required = true,
      description = "Data set to write, named *.safetensors or *.npz.")
  private Path out;

  @Option(names = "--force", description = "Replace an existing file.")
  private boolean force;

  @Mixin private JsonOption json = new JsonOption();

  @ParentCommand private PerflowCommand root;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    if (Files.exists(out) && !force) {
      throw new IOException(
          out + " is there already; choose another --out, or replace it: --force");
    }
    if (root.master != null) {
      runOnCluster(generation());
      return 0;
    }
    int team = threads == null ? Runtime.getRuntime().availableProcessors() : threads;
    Generation generation = generation();
    int kernelThreads = Settings.threads();
    // Samples are computed side by side, and a kernel with several threads would slow the others
    // down.
    Settings.threads(1);
    try {
      run(generation, team);
    } finally {
      Settings.threads(kernelThreads);
    }
    return 0;
  }

  private Generation generation() {
    Benchmark benchmark = Benchmark.named(name);
    String convention = benchmark.preset(preset);
    FieldGenerator generator =
        benchmark.generator(convention, size == null ? benchmark.size() : size);
    return new Generation(
        generator,
        split.name(),
        seed,
        samples == null ? split.samples : samples,
        type,
        scaling,
        Map.of("preset", convention, "writer", "perflow " + Perflow.version()));
  }

  // Every executor makes shards of the file; this process joins them.
  private void runOnCluster(Generation generation) throws IOException {
    long start = System.nanoTime();
    List<Generation.Shard> shards = generation.shards();
    try (Engine engine = Engine.connect(root.master);
        Progress progress = Progress.of(spec, name + " " + split, shards.size())) {
      progress.at(0);
      engine.map(shards, new RemoteGeneration(RemoteCommand.of(spec)), progress::at);
    }
    generation.join(out, plain);
    double seconds = (System.nanoTime() - start) / 1e9;
    spec.commandLine()
        .getOut()
        .printf(
            Locale.ROOT,
            "%s: %s in %s; %.1f s on %s%n",
            out,
            Counted.of(generation.samples(), "sample"),
            Counted.of(shards.size(), "shard"),
            seconds,
            root.master);
    Map<String, Object> numbers = new LinkedHashMap<>();
    numbers.put("file", out.toString());
    numbers.put("samples", generation.samples());
    numbers.put("seconds", seconds);
    json.write(numbers);
  }

  /** Makes one shard, on an executor. */
  void make(Generation.Shard shard) throws IOException {
    generation().make(shard, out, 1);
  }

  private void run(Generation generation, int team) throws IOException {
    AtomicInteger before = new AtomicInteger(-1);
    long start = System.nanoTime();
    try (Progress progress = Progress.of(spec, name + " " + split, generation.samples())) {
      IntConsumer finished =
          done -> {
            before.compareAndSet(-1, done);
            progress.at(done);
          };
      if (plain) {
        generation.runPlain(out, team, finished);
      } else {
        generation.run(out, team, finished);
      }
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    int made = generation.samples() - before.get();
    String resumed =
        before.get() > 0 ? ", %d of them from an earlier run".formatted(before.get()) : "";
    spec.commandLine()
        .getOut()
        .printf(
            Locale.ROOT,
            "%s: %s%s; %.1f s, %s samples/s on %s%n",
            out,
            Counted.of(generation.samples(), "sample"),
            resumed,
            seconds,
            Progress.rate(made / seconds),
            Counted.of(team, "thread"));
    Map<String, Object> numbers = new LinkedHashMap<>();
    numbers.put("file", out.toString());
    numbers.put("samples", generation.samples());
    numbers.put("made_now", made);
    numbers.put("seconds", seconds);
    numbers.put("threads", team);
    json.write(numbers);
  }
}
