package io.perflow.benchmarks;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Counts what an operation does beside how often it runs: in throughput mode the counters come out
 * as GFLOP/s and GB/s. Bytes are those an ideal kernel would move: every input read once, every
 * output written once.
 */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.OPERATIONS)
public class Work {
  /** Floating-point operations so far, in thousand millions. */
  public double gflop;

  /** Bytes moved so far, in thousand millions. */
  public double gigabytes;

  /** Made by JMH. */
  public Work() {}

  /** Starts at zero. */
  @Setup(Level.Iteration)
  public void reset() {
    gflop = 0;
    gigabytes = 0;
  }
}
