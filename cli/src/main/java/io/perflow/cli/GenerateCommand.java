package io.perflow.cli;

import io.perflow.Perflow;
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
import picocli.CommandLine.Spec;

/** Simulates the data of a benchmark and writes them to a file. */
@Command(
    name = "generate",
    description = {
      "Simulate the data of a benchmark.",
      "The same settings give the same file, bit for bit, for any number of threads. Finished"
          + " samples are kept in FILE.part: a run that was stopped goes on when it is repeated."
    })
final class GenerateCommand implements Callable<Integer> {
  /** The paper's numbers of samples. */
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
      description = "Simulated problem: burgers, poisson, darcy, ns, heat or one of your own.")
  private String name;

  @Option(
      names = "--samples",
      description = "Samples. If omitted, 5000 to train, 1000 val, 20 test.")
  private Integer samples;

  @Option(
      names = "--split",
      defaultValue = "train",
      description = "${COMPLETION-CANDIDATES}: independent parts (${DEFAULT-VALUE}).")
  private Split split;

  @Option(
      names = "--size",
      description = "Points along an axis. If omitted, 128; for ns and heat 64.")
  private Integer size;

  @Option(names = "--seed", defaultValue = "1", description = "Seed (${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--preset",
      defaultValue = "",
      description =
          "Convention of the data: paper or diffusionpde, for ns also hard. If omitted, the usual"
              + " one, which is paper where there is such.")
  private String preset;

  @Option(
      names = "--scaling",
      defaultValue = "unit",
      description = "Standard deviation in units for networks: unit or half (${DEFAULT-VALUE}).")
  private Scaling scaling;

  @Option(
      names = "--type",
      defaultValue = "F32",
      description = "Precision of the file: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
  private DataType type;

  @Option(
      names = "--plain",
      description =
          "Write a plain npz file as another tool would: one array per quantity and the"
              + " coordinates, for perflow init to read.")
  private boolean plain;

  @Option(names = "--threads", description = "Samples at a time; all processors by default.")
  private Integer threads;

  @Option(names = "--out", required = true, description = "File: *.safetensors or *.npz.")
  private Path out;

  @Option(names = "--force", description = "Replace the file if it is there.")
  private boolean force;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    if (Files.exists(out) && !force) {
      throw new IOException(
          out + " is there already; choose another --out, or replace it: --force");
    }
    int team = threads == null ? Runtime.getRuntime().availableProcessors() : threads;
    Generation generation = generation();
    int kernelThreads = Settings.threads();
    // Samples are computed side by side; a kernel that takes more threads would get in their way.
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

  private void run(Generation generation, int team) throws IOException {
    AtomicInteger before = new AtomicInteger(-1);
    long start = System.nanoTime();
    try (Progress progress = Progress.of(name + " " + split, generation.samples())) {
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
    if (!json.quiet()) {
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
    }
    Map<String, Object> numbers = new LinkedHashMap<>();
    numbers.put("file", out.toString());
    numbers.put("samples", generation.samples());
    numbers.put("made_now", made);
    numbers.put("seconds", seconds);
    numbers.put("threads", team);
    json.write(spec.commandLine().getOut(), numbers);
  }
}
