package io.perflow.benchmarks;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The counters of an operation's work, which come out as GFLOP/s and GB/s in throughput mode. Bytes
 * are those an ideal kernel would move: every input read once, every output written once.
 */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.OPERATIONS)
public class Work {
  /** The floating-point operations so far, in units of 10⁹. */
  public double gflop;

  /** The bytes moved so far, in units of 10⁹. */
  public double gigabytes;

  /** Creates the counters; JMH calls it. */
  public Work() {}

  /** Starts at zero. */
  @Setup(Level.Iteration)
  public void reset() {
    gflop = 0;
    gigabytes = 0;
  }
}
