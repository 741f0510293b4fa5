package io.perflow.cuda.emulator;

/**
 * The race detector: a record of who last wrote and who read each word of a memory. A stamp holds
 * the number of the block (unique over all launches) in its upper half, then the time by the
 * block's {@link Clock}, then the thread, or a code when there were several. Stamps therefore
 * ascend with time, and most questions about order are a single comparison.
 *
 * <p>Two accesses conflict when at least one writes, not both are atomic, and no barrier lies
 * between them; between blocks of one launch nothing orders, between launches everything does. One
 * reader, all readers of a warp, or "several" are remembered, so no conflict is missed; a conflict
 * may be reported where several warps have read and each of them was ordered by barriers of warps
 * only.
 */
final class Shadow {
  private static final int WARP_CODE = 1024;
  private static final int SEVERAL = 2047;
  private static final int SEVERAL_BLOCKS = 2046;
  private static final int ATOMIC = 2045;
  private static final int ATOMIC_BLOCKS = 2044;
  private static final int WHO = (1 << Clock.WHO_BITS) - 1;

  /** For each word the stamp of the last write and that of the reads, side by side. */
  private final long[] stamps;

  private final int shift;

  /** The access with which the last refused one conflicts; 0 for memory never written. */
  private long culprit;

  private boolean culpritWrote;

  /** Creates a shadow with one stamp for each {@code 1 << shift} bytes. */
  Shadow(long bytes, int shift) {
    int words = (int) ((bytes + (1L << shift) - 1) >> shift);
    this.stamps = new long[2 * words];
    this.shift = shift;
  }

  int shift() {
    return shift;
  }

  /**
   * Returns whether the word at an offset was written by a block that has a number from first on.
   */
  boolean writtenSince(int offset, int first) {
    return (int) (stamps[2 * (offset >> shift)] >>> 32) >= first;
  }

  /** Returns whether the last access that was refused reads what has never been written. */
  boolean refusedUninitialised() {
    return culprit == 0;
  }

  /** Returns the other side of the last access that was refused. */
  String refusedBecause(Frame f) {
    int who = (int) culprit & WHO;
    int block = (int) (culprit >>> 32);
    String where =
        who == SEVERAL_BLOCKS || who == ATOMIC_BLOCKS
            ? "several blocks"
            : block == f.serial ? "the same block" : "block " + (block - f.firstSerial);
    String whom =
        switch (who) {
          case SEVERAL, SEVERAL_BLOCKS -> "several threads";
          case ATOMIC, ATOMIC_BLOCKS -> "an atomic operation";
          default -> who < WARP_CODE ? "thread " + who : "warp " + (who - WARP_CODE);
        };
    return "%s by %s of %s".formatted(culpritWrote ? "written" : "read", whom, where);
  }

  /**
   * Notes reads by the threads {@code lanes[from] … lanes[to - 1]}. Accesses of blocks numbered
   * below {@code first} are over. With {@code own} the memory belongs to the block, and what the
   * block has not written is undefined.
   *
   * @return the position of the first thread that may not read, or -1
   */
  int read(
      Frame f, int first, boolean own, int[] offsets, int bytes, int[] lanes, int from, int to) {
    long launch = (long) first << 32;
    long now = stamp(f, 0);
    long barrier = f.clock.barrierStamp(f.serial);
    int words = Math.max(1, bytes >> shift);
    for (int word = 0; word < words; word++) {
      // A word that many threads of a warp read is looked at for the first two of them only.
      long settled = -1;
      for (int k = from; k < to; k++) {
        int w = 2 * ((offsets[k] >> shift) + word);
        int lane = lanes[k];
        long warp = now | WARP_CODE + (lane >> 5);
        long reader = stamps[w + 1];
        if (w == settled && reader == warp || reader >= barrier && (reader & WHO) == SEVERAL) {
          // Several warps have read it since the barrier, so nobody has written it since.
          continue;
        }
        long writer = stamps[w];
        if (writer >= barrier ? conflicts(f, writer, lane) : writer >= launch && other(f, writer)) {
          return refuse(true, writer, k);
        }
        if (own && writer < launch) {
          return refuse(true, 0, k);
        }
        settled = writer < barrier ? w : -1;
        if (reader < launch || own && reader < barrier) {
          stamps[w + 1] = now | lane;
        } else if (reader != (now | lane) && reader != warp) {
          stamps[w + 1] = merged(f, first, reader, now, lane);
        }
      }
    }
    return -1;
  }

  /** Notes writes; as {@link #read}. */
  int write(Frame f, int first, int[] offsets, int bytes, int[] lanes, int from, int to) {
    long launch = (long) first << 32;
    long now = stamp(f, 0);
    long barrier = f.clock.barrierStamp(f.serial);
    int words = Math.max(1, bytes >> shift);
    for (int word = 0; word < words; word++) {
      for (int k = from; k < to; k++) {
        int w = 2 * ((offsets[k] >> shift) + word);
        int lane = lanes[k];
        long writer = stamps[w];
        if (writer >= barrier ? conflicts(f, writer, lane) : writer >= launch && other(f, writer)) {
          return refuse(true, writer, k);
        }
        long reader = stamps[w + 1];
        if (reader >= barrier ? conflicts(f, reader, lane) : reader >= launch && other(f, reader)) {
          return refuse(false, reader, k);
        }
        stamps[w] = now | lane;
      }
    }
    return -1;
  }

  /** Notes atomic operations; as {@link #read}. */
  int atomic(
      Frame f, int first, boolean own, int[] offsets, int bytes, int[] lanes, int from, int to) {
    long launch = (long) first << 32;
    int words = Math.max(1, bytes >> shift);
    for (int word = 0; word < words; word++) {
      for (int k = from; k < to; k++) {
        int w = 2 * ((offsets[k] >> shift) + word);
        long writer = stamps[w];
        boolean current = writer >= launch;
        if (own && !current) {
          return refuse(true, 0, k);
        }
        int who = (int) writer & WHO;
        boolean atomic = current && (who == ATOMIC || who == ATOMIC_BLOCKS);
        if (current && !atomic && conflicts(f, writer, lanes[k])) {
          return refuse(true, writer, k);
        }
        long reader = stamps[w + 1];
        if (reader >= launch && conflicts(f, reader, lanes[k])) {
          return refuse(false, reader, k);
        }
        stamps[w] = atomic && other(f, writer) ? launch | ATOMIC_BLOCKS : stamp(f, ATOMIC);
      }
    }
    return -1;
  }

  private int refuse(boolean wrote, long stamp, int k) {
    culpritWrote = wrote;
    culprit = stamp;
    return k;
  }

  private static long stamp(Frame f, int who) {
    return (long) f.serial << 32 | Integer.toUnsignedLong(f.clock.now() << Clock.WHO_BITS | who);
  }

  /**
   * Returns whether another block made an access; accesses of several blocks are kept under the
   * number of the first, which has ended by then.
   */
  private static boolean other(Frame f, long stamp) {
    return (int) (stamp >>> 32) != f.serial;
  }

  private static boolean conflicts(Frame f, long stamp, int thread) {
    if (other(f, stamp)) {
      return true;
    }
    int who = (int) stamp & WHO;
    int time = (int) stamp >>> Clock.WHO_BITS;
    int warp = who < WARP_CODE ? who / Clock.WARP : who - WARP_CODE;
    if (who >= ATOMIC_BLOCKS || warp != thread / Clock.WARP) {
      return !f.clock.beforeBlock(time);
    }
    return who != thread && !f.clock.beforeWarp(time, warp);
  }

  /**
   * Adds one more reader and remembers the narrowest group that holds all readers that still
   * matter.
   */
  private static long merged(Frame f, int first, long old, long now, int thread) {
    if (other(f, old)) {
      return (long) first << 32 | SEVERAL_BLOCKS;
    }
    int who = (int) old & WHO;
    int time = (int) old >>> Clock.WHO_BITS;
    int warp = who < WARP_CODE ? who / Clock.WARP : who - WARP_CODE;
    boolean sameWarp = who != SEVERAL && warp == thread / Clock.WARP;
    // To other warps, the later of two reads by a warp is the harder one to come after.
    boolean over = f.clock.beforeBlock(time) || sameWarp && f.clock.beforeWarp(time, warp);
    if (who == thread || over) {
      return now | thread;
    }
    return now | (sameWarp ? WARP_CODE + warp : SEVERAL);
  }
}
