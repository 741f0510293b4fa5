package io.perflow.benchmarks;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The base of the benchmarks of single operations: settings, threads and random input. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public abstract class OpBenchmark {
  /** The number of threads of the library; 0 stands for all cores. */
  @Param({"1", "0"})
  public int threads;

  private final Rng rng = Rng.of(1);

  /** Creates the state; for subclasses. */
  protected OpBenchmark() {}

  /** Applies {@link #threads}. */
  protected final void useThreads() {
    Settings.threads(threads == 0 ? Runtime.getRuntime().availableProcessors() : threads);
  }

  /** Draws random normal F32 numbers, row-major. */
  protected final Tensor normal(int... shape) {
    return rng.normal(Shape.of(shape));
  }

  /**
   * Draws random normal images (n, c, h, w) that lie channels last, as the CPU backend keeps them.
   */
  protected final Tensor images(int... shape) {
    Tensor x = normal(shape);
    return x.device().backend().memory().copy(x, Layout.channelsLast(x.shape()));
  }

  /** Returns the numbers of a parameter such as {@code 4x32x128}. */
  protected static int[] sizes(String text) {
    return Arrays.stream(text.split("x")).mapToInt(Integer::parseInt).toArray();
  }
}
