package io.perflow.cuda.emulator;

/** A budget that counts how often each basic block ran, and stops a launch that runs too long. */
final class Budget {
  /** The number of thread executions of each block. */
  final long[] threads;

  /**
   * The number of warp executions of each block: a warp counts when one of its threads takes part.
   */
  final long[] warps;

  private final Frame frame;
  private final boolean countsWarps;
  private final long limit;
  private long spent;

  Budget(Frame frame, long limit, boolean countsWarps) {
    this.frame = frame;
    this.limit = limit;
    this.countsWarps = countsWarps;
    this.threads = new long[frame.code.length];
    this.warps = new long[frame.code.length];
  }

  void spend(int block, int n, int[] lanes) {
    threads[block] += n;
    Program.Block b = frame.program.blocks.get(block);
    spent += (long) n * (b.to() - b.from());
    if (spent > limit) {
      throw frame.fault(
          KernelFault.Kind.TIMEOUT,
          frame.program.kernel.instructions().get(b.from()),
          lanes[0],
          "more than %d thread instructions; is there an endless loop?".formatted(limit));
    }
    if (countsWarps) {
      int last = -1;
      for (int k = 0; k < n; k++) {
        int warp = lanes[k] / Clock.WARP;
        warps[block] += warp == last ? 0 : 1;
        last = warp;
      }
    }
  }
}
