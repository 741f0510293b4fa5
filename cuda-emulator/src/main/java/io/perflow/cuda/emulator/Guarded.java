package io.perflow.cuda.emulator;

/** Instructions that only threads with a true predicate execute. */
final class Guarded implements Op {
  private final Frame frame;
  private final boolean[] predicate;
  private final Op[] ops;
  private final int[] chosen;

  Guarded(Frame frame, boolean[] predicate, Op[] ops) {
    this.frame = frame;
    this.predicate = predicate;
    this.ops = ops;
    this.chosen = new int[frame.threads];
  }

  @Override
  public void run(int[] lanes, int from, int to) {
    int n = 0;
    for (int k = from; k < to; k++) {
      chosen[n] = lanes[k];
      n += predicate[lanes[k]] ? 1 : 0;
    }
    if (n == 0) {
      return;
    }
    boolean neighbours = chosen[n - 1] - chosen[0] == n - 1;
    int first = chosen[0];
    for (Op op : ops) {
      if (neighbours) {
        op.run(frame, first, first + n);
      } else {
        op.run(chosen, 0, n);
      }
    }
  }
}
