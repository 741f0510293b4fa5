package io.perflow.benchmarks;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The benchmark of a plain copy, which shows what the machine's memory allows: the yardstick for
 * every elementwise operation.
 *
 * <p>One operation moves {@code 8 * elements} bytes: 4 read and 4 written per float.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class CopyBenchmark {
  /** The number of elements: in the first-level cache, in the last-level cache, in memory. */
  @Param({"4096", "524288", "16777216"})
  public int elements;

  private float[] source;
  private float[] target;

  /** Creates the state; JMH calls it. */
  public CopyBenchmark() {}

  /** Fills the source. */
  @Setup
  public void fill() {
    source = new float[elements];
    target = new float[elements];
    Arrays.fill(source, 1f);
  }

  /**
   * Copies the source.
   *
   * @return the target, so that the copy is not optimised away
   */
  @Benchmark
  public float[] copy() {
    System.arraycopy(source, 0, target, 0, elements);
    return target;
  }
}
