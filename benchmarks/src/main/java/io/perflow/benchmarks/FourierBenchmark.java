package io.perflow.benchmarks;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The benchmark of a two-dimensional real transform and its inverse. GFLOP/s follow the usual count
 * for real data, 2.5 n log2 n per transform of n points.
 */
public class FourierBenchmark extends OpBenchmark {
  /** The batch x pixels along a side; 60 is not a power of two. */
  @Param({"80x64", "32x128", "8x256", "80x60"})
  public String size;

  /** The type of the numbers. */
  @Param({"F32", "F64"})
  public DataType type;

  private Tensor x;
  private int side;
  private double flops;

  /** Creates the state; JMH calls it. */
  public FourierBenchmark() {}

  /** Draws the input. */
  @Setup
  public void draw() {
    useThreads();
    int[] s = sizes(size);
    side = s[1];
    x = normal(s[0], side, side).to(type);
    flops = 2 * 2.5 * x.size() * Math.log((double) side * side) / Math.log(2);
  }

  /** Measures a transform and its inverse. */
  @Benchmark
  public void roundTrip(Work work, Blackhole hole) {
    try (Scope scope = Scope.open()) {
      hole.consume(Fourier.irfft(Fourier.rfft(x, 2), side, side));
    }
    work.gflop += 1e-9 * flops;
  }
}
