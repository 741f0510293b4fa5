package io.perflow.cuda.emulator;

import java.util.Arrays;

/**
 * The order that barriers give the memory accesses of a block. Time advances at each barrier; two
 * accesses by different threads are ordered when a barrier that both threads pass lies between
 * them: one of the block, or one of the warp if both belong to the same.
 */
final class Clock {
  /** Bits of a stamp for who accessed: a thread, or one of the codes of {@link Shadow}. */
  static final int WHO_BITS = 11;

  static final int WARP = 32;

  private static final int LIMIT = 1 << 32 - WHO_BITS;

  private final int[] warps;
  private int now;
  private int barrier;

  Clock(int threads) {
    warps = new int[(threads + WARP - 1) / WARP];
  }

  /** Begins a block. */
  void reset() {
    now = 1;
    barrier = 1;
    Arrays.fill(warps, 1);
  }

  int now() {
    return now;
  }

  /** Records that all threads of the block have met. */
  void blockBarrier() {
    advance();
    barrier = now;
    Arrays.fill(warps, now);
  }

  /** Records that all threads of a warp that still run have met. */
  void warpBarrier(int warp) {
    advance();
    warps[warp] = now;
  }

  private void advance() {
    if (++now == LIMIT) {
      throw new KernelFault(
          KernelFault.Kind.TIMEOUT, "a block passed more than %d barriers".formatted(LIMIT));
    }
  }

  /** Returns the smallest stamp of a block that the last barrier does not lie behind. */
  long barrierStamp(int block) {
    return (long) block << 32 | Integer.toUnsignedLong(barrier << WHO_BITS);
  }

  /** Returns whether an access at a time is over for a thread of the same block but of any warp. */
  boolean beforeBlock(int time) {
    return time < barrier;
  }

  /**
   * Returns whether an access at a time by a thread of a warp is over for the threads of that warp.
   */
  boolean beforeWarp(int time, int warp) {
    return time < warps[warp];
  }
}
