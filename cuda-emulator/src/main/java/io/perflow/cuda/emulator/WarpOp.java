package io.perflow.cuda.emulator;

import io.perflow.cuda.emulator.ptx.Instruction;

/**
 * An operation of a whole warp. It runs once all lanes that its member mask names and that have not
 * left the kernel stand before it; the {@link Scheduler} lets the first ones wait for the rest.
 */
abstract class WarpOp implements Op {
  final Frame frame;
  final Instruction at;
  private final int[] members;

  /** {@code members} is the register with the mask, or null when all lanes must take part. */
  WarpOp(Frame frame, Instruction at, int[] members) {
    this.frame = frame;
    this.at = at;
    this.members = members;
  }

  /** Executes for one warp; {@code first} is its first thread, {@code present} its lanes here. */
  abstract void run(int first, int present);

  /** Returns whether the lanes of a warp that stand here are all that the operation waits for. */
  final boolean complete(int first, int present) {
    int live = frame.live[first / Clock.WARP];
    for (int rest = present; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      int mask = members == null ? -1 : members[first + lane];
      if ((mask & 1 << lane) == 0) {
        throw frame.fault(
            KernelFault.Kind.INACTIVE_LANE,
            at,
            first + lane,
            "the member mask %#x leaves out the lane %d itself".formatted(mask, lane));
      }
      if ((mask & live & ~present) != 0) {
        return false;
      }
    }
    return true;
  }

  @Override
  public final void run(int[] lanes, int from, int to) {
    for (int k = from; k < to; ) {
      int warp = lanes[k] / Clock.WARP;
      int present = 0;
      for (; k < to && lanes[k] / Clock.WARP == warp; k++) {
        present |= 1 << lanes[k];
      }
      run(warp * Clock.WARP, present);
    }
  }
}
