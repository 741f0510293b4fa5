package io.perflow.cli;

import io.perflow.autograd.Tape;
import io.perflow.nn.Initializer;
import io.perflow.nn.optim.AdamW;
import io.perflow.nn.optim.Optimizer;
import io.perflow.nn.unet.UNet;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code bench train}, which trains a U-Net on random numbers for a few steps (forward,
 * backward and AdamW) and prints the best time of a step and the peak of resident memory. {@code
 * src-test-fixtures/scripts/train_memory.py} does the same with PyTorch.
 */
@Command(
    name = "train",
    description = "Time training steps of a U-Net and measure the peak of memory.")
final class BenchTrainCommand implements Callable<Integer> {
  @Option(
      names = "--preset",
      paramLabel = "NAME",
      defaultValue = "base",
      description = "Preset of the network (${DEFAULT-VALUE}).")
  private String preset;

  @Option(
      names = "--batch",
      paramLabel = "N",
      defaultValue = "4",
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
      names = "--steps",
      paramLabel = "N",
      defaultValue = "30",
      description = "Training steps (${DEFAULT-VALUE}).")
  private int steps;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    if (threads > 0) {
      Settings.threads(threads);
    }
    Rng rng = Rng.of(1);
    UNet net = UNet.of(UNetConfig.preset(preset), rng.split("net"));
    Initializer.nonZero(net, rng.split("values"));
    Optimizer optimizer = AdamW.of(1e-4).build(net.parameters());
    UNetConfig config = net.config();
    Tensor x = rng.split("x").normal(Shape.of(batch, config.inChannels(), size, size));
    Tensor y = rng.split("y").normal(Shape.of(batch, config.outChannels(), size, size));
    Tensor t = rng.split("t").uniform(Shape.of(batch));
    long best = Long.MAX_VALUE;
    for (int i = 0; i < steps; i++) {
      long start = System.nanoTime();
      try (Scope _ = Scope.open();
          Tape tape = Tape.watching(net.values())) {
        optimizer.step(tape.gradients(net.apply(x, t).sub(y).square().mean()));
      }
      best = Math.min(best, System.nanoTime() - start);
    }
    OptionalLong memory = peakMegabytes();
    spec.commandLine()
        .getOut()
        .printf(
            "training step %.1f ms, peak memory %s%n",
            best / 1e6, memory.isPresent() ? memory.getAsLong() + " MB" : "unknown on this system");
    Map<String, Object> numbers = new LinkedHashMap<>();
    numbers.put("train_ms", best / 1e6);
    numbers.put("threads", Settings.threads());
    memory.ifPresent(megabytes -> numbers.put("peak_memory_mb", megabytes));
    json.write(numbers);
    return 0;
  }

  // The high-water mark of the resident set, which Linux keeps for every process.
  private static OptionalLong peakMegabytes() throws IOException {
    Path status = Path.of("/proc/self/status");
    if (!Files.exists(status)) {
      return OptionalLong.empty();
    }
    try (Stream<String> lines = Files.lines(status)) {
      String kilobytes =
          lines
              .filter(line -> line.startsWith("VmHWM:"))
              .map(line -> line.replaceAll("[^0-9]", ""))
              .findFirst()
              .orElse("0");
      return OptionalLong.of(Long.parseLong(kilobytes) / 1024);
    }
  }
}
