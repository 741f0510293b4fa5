package io.perflow.benchmarks;

import io.perflow.tensor.Norms;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.function.Supplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The benchmark of operations that memory bounds, in GB/s; {@link CopyBenchmark} shows what the
 * machine can do.
 */
public class MemoryBoundBenchmark extends OpBenchmark {
  /** The batch x channels x pixels along a side. */
  @Param({"1x64x128", "8x64x64"})
  public String size;

  private Tensor x;
  private Tensor perChannel;
  private Tensor weight;

  /** Creates the state; JMH calls it. */
  public MemoryBoundBenchmark() {}

  /** Draws the input. */
  @Setup
  public void draw() {
    useThreads();
    int[] s = sizes(size);
    x = images(s[0], s[1], s[2], s[2]);
    weight = normal(s[1]);
    perChannel = weight.reshape(1, s[1], 1, 1);
  }

  private void run(Supplier<Tensor> op, double passes, Work work, Blackhole hole) {
    try (Scope scope = Scope.open()) {
      hole.consume(op.get());
    }
    work.gigabytes += 4e-9 * passes * x.size();
  }

  /**
   * Measures group norm and SiLU in one: the input is read twice, because the statistics come
   * first.
   */
  @Benchmark
  public void groupNormSilu(Work work, Blackhole hole) {
    run(() -> Norms.groupNormSilu(x, 8, weight, weight, 1e-5), 3, work, hole);
  }

  /** Adds a vector over the channels. */
  @Benchmark
  public void broadcastAdd(Work work, Blackhole hole) {
    run(() -> x.add(perChannel), 2, work, hole);
  }

  /** Measures SiLU alone. */
  @Benchmark
  public void silu(Work work, Blackhole hole) {
    run(x::silu, 2, work, hole);
  }

  /** Sums all elements. */
  @Benchmark
  public void sum(Work work, Blackhole hole) {
    run(x::sum, 1, work, hole);
  }

  /** Joins two images along the channels. */
  @Benchmark
  public void concat(Work work, Blackhole hole) {
    run(() -> Tensor.concat(1, x, x), 4, work, hole);
  }
}
