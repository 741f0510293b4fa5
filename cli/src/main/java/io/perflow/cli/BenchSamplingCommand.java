package io.perflow.cli;

import io.perflow.cuda.CudaBackend;
import io.perflow.flow.Condition;
import io.perflow.flow.FlowConfig;
import io.perflow.flow.Observations;
import io.perflow.flow.Recipe;
import io.perflow.flow.RectifiedFlow;
import io.perflow.nn.Initializer;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.solver.Benchmark;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code bench sampling}, which times one Euler step (network, projection and update)
 * with the physics inside and without, in turn. On a GPU, or the emulated one, it also counts the
 * device's work in a step.
 */
@Command(name = "sampling", description = "Time one sampling step, with the physics and without.")
final class BenchSamplingCommand implements Callable<Integer> {
  @Option(
      names = "--preset",
      paramLabel = "NAME",
      defaultValue = "small",
      description = "U-Net (${DEFAULT-VALUE}).")
  private String preset;

  @Option(
      names = "--samples",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "1",
      description = "Samples drawn at once (${DEFAULT-VALUE}).")
  private int samples;

  @Option(
      names = "--size",
      paramLabel = "N",
      converter = Count.class,
      description = "Pixels along each axis; the benchmark's by default.")
  private Integer size;

  @Option(
      names = "--device",
      paramLabel = "NAME",
      defaultValue = "cpu",
      description = "cpu, cuda:N, or emulated, which counts but is slow (${DEFAULT-VALUE}).")
  private String device;

  @Option(
      names = "--threads",
      paramLabel = "N",
      converter = Count.class,
      description = "Number of threads. If omitted, one for each processor.")
  private Integer threads;

  @Option(
      names = "--calls",
      paramLabel = "N",
      defaultValue = "40",
      description = "Timed calls of each; the best counts (${DEFAULT-VALUE}).")
  private int calls;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    if (threads != null) {
      Settings.threads(threads);
    }
    print("%-8s %14s %14s %8s".formatted("", "projected ms", "plain ms", "ratio"));
    Map<String, Object> numbers = new LinkedHashMap<>();
    for (Benchmark benchmark : Benchmark.all()) {
      Step projected = new Step(benchmark, true);
      Step plain = new Step(benchmark, false);
      double first = Double.MAX_VALUE;
      double second = Double.MAX_VALUE;
      // In turn, so that a slow moment of the machine affects both.
      for (int i = 0; i < 2 * calls; i++) {
        double a = projected.milliseconds();
        double b = plain.milliseconds();
        if (i >= calls) {
          first = Math.min(first, a);
          second = Math.min(second, b);
        }
      }
      print("%-8s %14.3f %14.3f %8.4f".formatted(benchmark.name(), first, second, first / second));
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("projected_ms", first);
      row.put("plain_ms", second);
      projected.addTraffic("projected", row);
      plain.addTraffic("plain", row);
      numbers.put(benchmark.name(), row);
    }
    json.write(numbers);
    return 0;
  }

  private void print(String line) {
    spec.commandLine().getOut().println(line);
  }

  /** A flow in the middle of a path. The network's shape is the same with and without physics. */
  private final class Step {
    private final RectifiedFlow flow;
    private final Tensor state;
    private final Condition given;

    Step(Benchmark benchmark, boolean projected) {
      Problem problem = benchmark.generator("", size == null ? benchmark.size() : size).problem();
      Normalization units = Normalization.identity(problem.channelCount());
      FlowConfig config = Recipe.PAPER.flow(problem, units).network(UNetConfig.preset(preset));
      Rng rng = Rng.of(1);
      flow = RectifiedFlow.of(projected ? config : config.unprojected(), rng);
      Initializer.nonZero(flow.network(), rng.split("weights"));
      Device place = Devices.named(device);
      flow.network().to(place);
      state = flow.start(rng.split("start"), samples, place);
      Tensor planes = problem.masks().draw(rng.split("mask"), samples);
      given = flow.given(Observations.of(state, planes));
    }

    double milliseconds() {
      long start = System.nanoTime();
      try (Scope _ = Scope.open()) {
        flow.drift(state, 0.5, given, 0.02).advance(state, 1e-6);
      }
      if (state.device().backend() instanceof CudaBackend gpu) {
        gpu.synchronize();
      }
      return (System.nanoTime() - start) * 1e-6;
    }

    void addTraffic(String what, Map<String, Object> row) {
      Devices.traffic(state.device(), this::milliseconds)
          .ifPresent(
              asked -> {
                print("  %s: %s".formatted(what, Devices.text(asked)));
                row.put(what + "_traffic", Devices.json(asked));
              });
    }
  }
}
