package io.perflow.benchmarks;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Attention;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The benchmark of matrix products and attention. GFLOP/s count multiplications and additions of
 * the products.
 */
public class LinearBenchmark extends OpBenchmark {
  /** The rows and columns of the matrices, and the number of pixels that attend to each other. */
  @Param({"256", "1024"})
  public int size;

  private Tensor a;
  private Tensor b;
  private Tensor q;

  /** Creates the state; JMH calls it. */
  public LinearBenchmark() {}

  /** Draws the input. */
  @Setup
  public void draw() {
    useThreads();
    a = normal(size, size);
    b = normal(size, size);
    q = normal(1, 4, size, 32);
  }

  /** Measures a product of square matrices. */
  @Benchmark
  public void matmul(Work work, Blackhole hole) {
    try (Scope scope = Scope.open()) {
      hole.consume(a.matmul(b));
    }
    work.gflop += 2e-9 * size * size * size;
  }

  /** Measures attention with four heads of width 32. */
  @Benchmark
  public void attention(Work work, Blackhole hole) {
    try (Scope scope = Scope.open()) {
      hole.consume(Attention.of(q, q, q));
    }
    work.gflop += 2e-9 * 2 * 4 * 32 * size * size;
  }
}
