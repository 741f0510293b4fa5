package io.perflow.cli;

import io.perflow.autograd.Gradients;
import io.perflow.autograd.Tape;
import io.perflow.nn.Initializer;
import io.perflow.nn.Parameter;
import io.perflow.nn.Weights;
import io.perflow.nn.unet.UNet;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code bench unet}, which runs a U-Net with random weights on random input. It writes
 * weights, inputs, output and all gradients of the mean square of the output, and the best times of
 * a forward pass and of a training step.
 */
@Command(name = "unet", description = "Time a U-Net and write its weights, outputs and gradients.")
final class BenchUnetCommand implements Callable<Integer> {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      required = true,
      description = "JSON configuration of the network.")
  private Path config;

  @Option(
      names = "--batch",
      paramLabel = "N",
      defaultValue = "1",
      description = "Samples in a batch (${DEFAULT-VALUE}).")
  private int batch;

  @Option(
      names = "--size",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "128",
      description = "Pixels along each side (${DEFAULT-VALUE}).")
  private int size;

  @Option(
      names = "--threads",
      paramLabel = "N",
      converter = Count.class,
      description = "Number of threads. If omitted, one for each processor.")
  private int threads;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      required = true,
      description = "Directory for the results.")
  private Path out;

  @Option(names = "--exact", description = "Direct convolution instead of Winograd's algorithm.")
  private boolean exact;

  @Option(
      names = "--device",
      paramLabel = "NAME",
      defaultValue = "cpu",
      description = "cpu, cuda:N, or emulated, which counts but is slow (${DEFAULT-VALUE}).")
  private String device;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of all random numbers (${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--warmup",
      paramLabel = "SECONDS",
      defaultValue = "5",
      description = "Seconds of calls before the timed ones (${DEFAULT-VALUE}).")
  private double warmup;

  @Option(
      names = "--calls",
      paramLabel = "N",
      defaultValue = "10",
      description = "Timed calls at least; the best counts (${DEFAULT-VALUE}).")
  private int calls;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  private UNet net;
  private Tensor x;
  private Tensor t;

  @Override
  public Integer call() throws IOException {
    if (threads > 0) {
      Settings.threads(threads);
    }
    boolean before = Settings.exactConvolution();
    Settings.exactConvolution(exact);
    try {
      measure();
    } finally {
      Settings.exactConvolution(before);
    }
    return 0;
  }

  private void measure() throws IOException {
    Rng rng = Rng.of(seed);
    net = UNet.of(UNetConfig.read(config), rng.split("init"));
    Initializer.nonZero(net, rng.split("values"));
    Device place = Devices.named(device);
    net.to(place);
    x = rng.split("x").normal(Shape.of(batch, net.config().inChannels(), size, size)).to(place);
    t = rng.split("t").uniform(Shape.of(batch)).to(place);
    Files.createDirectories(out);
    Weights.save(out.resolve("weights.safetensors"), net, Map.of("config", net.config().toJson()));
    writeNumbers();
    // A training step runs every kernel, so once the compiler has finished with it, both are warm.
    repeat(this::train);
    repeat(this::forward);
    double forward = best(this::forward);
    double train = best(this::train);
    Map<String, Object> times = new LinkedHashMap<>();
    times.put("forward_ms", forward);
    times.put("train_ms", train);
    times.put("threads", Settings.threads());
    times.put("device", x.device().toString());
    Json.write(out.resolve("times.json"), times);
    print("forward %.2f ms, training step %.2f ms".formatted(forward, train));
    Devices.traffic(x.device(), this::forward)
        .ifPresent(
            asked -> {
              print("forward: " + Devices.text(asked));
              times.put("forward_traffic", Devices.json(asked));
            });
    Devices.traffic(x.device(), this::train)
        .ifPresent(
            asked -> {
              print("training step: " + Devices.text(asked));
              times.put("train_traffic", Devices.json(asked));
            });
    json.write(times);
  }

  private void print(String line) {
    spec.commandLine().getOut().println(line);
  }

  // Writes x, t, y and the gradients of mean(y^2).
  private void writeNumbers() throws IOException {
    List<Tensor> watched = new ArrayList<>(net.values());
    watched.add(x);
    try (Scope _ = Scope.open();
        Tape tape = Tape.watching(watched)) {
      Map<String, Tensor> numbers = new LinkedHashMap<>();
      Tensor y = net.apply(x, t);
      numbers.put("x", x);
      numbers.put("t", t);
      numbers.put("y", y);
      Gradients gradients = tape.gradients(y.square().mean());
      numbers.put("grad.x", gradients.of(x));
      for (Map.Entry<String, Parameter> entry : net.parameters().entrySet()) {
        numbers.put("grad." + entry.getKey(), gradients.of(entry.getValue().value()));
      }
      SafeTensors.write(out.resolve("io.safetensors"), numbers, Map.of());
    }
  }

  private void forward() {
    try (Scope _ = Scope.open()) {
      net.apply(x, t);
    }
  }

  private void train() {
    try (Scope _ = Scope.open();
        Tape tape = Tape.watching(net.values())) {
      tape.gradients(net.apply(x, t).square().mean());
    }
  }

  private void repeat(Runnable call) {
    long start = System.nanoTime();
    for (int i = 0; i < calls || System.nanoTime() - start < warmup * 1e9; i++) {
      call.run();
    }
  }

  /** Returns the milliseconds of the fastest call. */
  private double best(Runnable call) {
    long best = Long.MAX_VALUE;
    long start = System.nanoTime();
    for (int i = 0; i < calls || System.nanoTime() - start < warmup * 0.5e9; i++) {
      long from = System.nanoTime();
      call.run();
      best = Math.min(best, System.nanoTime() - from);
    }
    return best / 1e6;
  }
}
