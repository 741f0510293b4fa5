package io.perflow.tensor.cpu.loop;

/**
 * Shares independent items among the threads in ranges of consecutive ones. No sum may run over
 * several items, so the cut never shows in a result.
 */
public final class Ranges {
  private Ranges() {}

  /** Work on items {@code from} … {@code to - 1}. */
  @FunctionalInterface
  public interface Body {
    void run(int from, int to);
  }

  /**
   * Covers 0 … count - 1 by ranges of about {@link Walk#TASK} units, one item costing {@code work}.
   */
  public static void run(int count, long work, Body body) {
    int range = (int) Math.max(1, Walk.TASK / Math.max(1, work));
    int tasks = (int) (((long) count + range - 1) / range);
    Parallel.run(
        tasks,
        task -> {
          int from = task * range;
          body.run(from, Math.min(count - from, range) + from);
        });
  }
}
