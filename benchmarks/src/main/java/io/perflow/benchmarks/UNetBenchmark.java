package io.perflow.benchmarks;

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
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The benchmark of one sampling step and one training step of a U-Net on fields of 128 x 128
 * pixels, in milliseconds. With {@code -prof gc}, {@code gc.alloc.rate.norm} is the bytes allocated
 * per step by all threads.
 */
@State(org.openjdk.jmh.annotations.Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5, time = 5)
@Measurement(iterations = 5, time = 3)
@Fork(1)
public class UNetBenchmark {
  /** The configuration of the network. */
  @Param({"small", "base"})
  public String preset;

  /** The number of fields computed together. */
  @Param({"1", "4"})
  public int batch;

  /** The number of pixels along a side. */
  @Param("128")
  public int size;

  /** The number of threads of the library; 0 stands for all cores. */
  @Param("0")
  public int threads;

  private UNet net;
  private Optimizer optimizer;
  private Tensor state; // (batch, out, size, size)
  private Tensor condition; // (batch, in - out, size, size)
  private Tensor time; // (batch)

  /** Creates the state; JMH calls it. */
  public UNetBenchmark() {}

  /** Builds the network and draws the input. */
  @Setup
  public void draw() {
    Settings.threads(threads == 0 ? Runtime.getRuntime().availableProcessors() : threads);
    Rng rng = Rng.of(1);
    UNetConfig config = UNetConfig.preset(preset);
    net = UNet.of(config, rng.split("net"));
    Initializer.nonZero(net, rng.split("values"));
    optimizer = AdamW.of(1e-4).build(net.parameters());
    int out = config.outChannels();
    state = rng.split("state").normal(Shape.of(batch, out, size, size));
    condition =
        rng.split("condition").normal(Shape.of(batch, config.inChannels() - out, size, size));
    time = rng.split("time").uniform(Shape.of(batch));
  }

  /**
   * Measures one step of Euler's method: the velocity at the state and its condition, and the
   * update.
   */
  @Benchmark
  public void samplingStep(Blackhole hole) {
    try (Scope scope = Scope.open()) {
      Tensor velocity = net.apply(Tensor.concat(1, state, condition), time);
      hole.consume(state.addScaled(velocity, 0.05));
    }
  }

  /** Measures one training step: forward, backward and AdamW. */
  @Benchmark
  public void trainingStep(Blackhole hole) {
    try (Scope scope = Scope.open();
        Tape tape = Tape.watching(net.values())) {
      Tensor velocity = net.apply(Tensor.concat(1, state, condition), time);
      Tensor loss = velocity.sub(state).square().mean();
      optimizer.step(tape.gradients(loss));
      hole.consume(loss);
    }
  }
}
