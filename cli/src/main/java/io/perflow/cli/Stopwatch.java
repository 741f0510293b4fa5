package io.perflow.cli;

/**
 * A stopwatch that counts the best of several calls: on a shared machine the least disturbed call
 * says most about the code.
 */
final class Stopwatch {
  private static final int FEWEST_CALLS = 20;

  private Stopwatch() {}

  /**
   * Returns the best milliseconds of at least 20 calls, after a warm-up as long as the measurement.
   */
  static double bestMillis(Runnable task, double seconds) {
    repeat(task, seconds);
    return repeat(task, seconds);
  }

  private static double repeat(Runnable task, double seconds) {
    long end = System.nanoTime() + (long) (1e9 * seconds);
    long best = Long.MAX_VALUE;
    for (int calls = 0; calls < FEWEST_CALLS || System.nanoTime() < end; calls++) {
      long start = System.nanoTime();
      task.run();
      best = Math.min(best, System.nanoTime() - start);
    }
    return best / 1e6;
  }
}
