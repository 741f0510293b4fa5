package io.perflow.cuda.emulator;

/**
 * Who last wrote and who read each word of a memory: the race detector. A stamp holds the number of
 * the block (unique over all launches) in its upper half, then the time by the block's {@link
 * Clock}, then the thread, or a code when there were several.
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

  private final long[] written;
  private final long[] read;
  private final int shift;

  /** A shadow with one stamp for each {@code 1 << shift} bytes. */
  Shadow(long bytes, int shift) {
    int words = (int) ((bytes + (1L << shift) - 1) >> shift);
    this.written = new long[words];
    this.read = new long[words];
    this.shift = shift;
  }

  long bytes() {
    return (long) written.length << shift;
  }

  int shift() {
    return shift;
  }

  /** The access that a new one conflicts with, or null. */
  record Conflict(boolean wrote, long stamp) {
    String describe(int serial, int firstSerial) {
      int who = (int) stamp & WHO;
      int block = (int) (stamp >>> 32) - firstSerial;
      String where =
          who == SEVERAL_BLOCKS || who == ATOMIC_BLOCKS
              ? "several blocks"
              : (int) (stamp >>> 32) == serial ? "the same block" : "block " + block;
      String whom =
          switch (who) {
            case SEVERAL, SEVERAL_BLOCKS -> "several threads";
            case ATOMIC, ATOMIC_BLOCKS -> "an atomic operation";
            default -> who < WARP_CODE ? "thread " + who : "warp " + (who - WARP_CODE);
          };
      return "%s by %s of %s".formatted(wrote ? "written" : "read", whom, where);
    }
  }

  /** Whether a word was written by a block that has a number from {@code first} on. */
  boolean writtenSince(int offset, int first) {
    return (int) (written[offset >> shift] >>> 32) >= first;
  }

  /** Notes a read of {@code bytes} at an offset. */
  Conflict read(Frame f, int offset, int bytes, int thread, int first) {
    long mine = stamp(f, thread);
    for (int w = offset >> shift; w <= (offset + bytes - 1) >> shift; w++) {
      long writer = written[w];
      if ((int) (writer >>> 32) >= first && conflicts(f, writer, thread)) {
        return new Conflict(true, writer);
      }
      long reader = read[w];
      if (reader != mine) {
        read[w] = (int) (reader >>> 32) < first ? mine : merged(f, reader, mine, thread);
      }
    }
    return null;
  }

  /** Notes a write of {@code bytes} at an offset. */
  Conflict write(Frame f, int offset, int bytes, int thread, int first) {
    long mine = stamp(f, thread);
    for (int w = offset >> shift; w <= (offset + bytes - 1) >> shift; w++) {
      long writer = written[w];
      if ((int) (writer >>> 32) >= first && conflicts(f, writer, thread)) {
        return new Conflict(true, writer);
      }
      long reader = read[w];
      if ((int) (reader >>> 32) >= first && conflicts(f, reader, thread)) {
        return new Conflict(false, reader);
      }
      written[w] = mine;
    }
    return null;
  }

  /** Notes an atomic operation on {@code bytes} at an offset. */
  Conflict atomic(Frame f, int offset, int bytes, int thread, int first) {
    for (int w = offset >> shift; w <= (offset + bytes - 1) >> shift; w++) {
      long writer = written[w];
      boolean current = (int) (writer >>> 32) >= first;
      int who = (int) writer & WHO;
      boolean atomic = who == ATOMIC || who == ATOMIC_BLOCKS;
      if (current && !atomic && conflicts(f, writer, thread)) {
        return new Conflict(true, writer);
      }
      long reader = read[w];
      if ((int) (reader >>> 32) >= first && conflicts(f, reader, thread)) {
        return new Conflict(false, reader);
      }
      boolean elsewhere = current && atomic && (int) (writer >>> 32) != f.serial;
      boolean already = current && who == ATOMIC_BLOCKS;
      written[w] = stamp(f, elsewhere || already ? ATOMIC_BLOCKS : ATOMIC);
    }
    return null;
  }

  private static long stamp(Frame f, int who) {
    return (long) f.serial << 32 | Integer.toUnsignedLong(f.clock.now() << Clock.WHO_BITS | who);
  }

  private static boolean conflicts(Frame f, long stamp, int thread) {
    int who = (int) stamp & WHO;
    if ((int) (stamp >>> 32) != f.serial || who == SEVERAL_BLOCKS || who == ATOMIC_BLOCKS) {
      return true;
    }
    int time = (int) stamp >>> Clock.WHO_BITS;
    int warp = who < WARP_CODE ? who / Clock.WARP : who - WARP_CODE;
    if (who >= ATOMIC_BLOCKS || warp != thread / Clock.WARP) {
      return !f.clock.beforeBlock(time);
    }
    return who != thread && !f.clock.beforeWarp(time, warp);
  }

  /** One more reader: remembers the narrowest group that holds all that still matter. */
  private static long merged(Frame f, long old, long mine, int thread) {
    int who = (int) old & WHO;
    if ((int) (old >>> 32) != f.serial || who == SEVERAL_BLOCKS) {
      return stamp(f, SEVERAL_BLOCKS);
    }
    int time = (int) old >>> Clock.WHO_BITS;
    if (who == thread || f.clock.beforeBlock(time)) {
      return mine;
    }
    int warp = who < WARP_CODE ? who / Clock.WARP : who - WARP_CODE;
    boolean sameWarp = who != SEVERAL && warp == thread / Clock.WARP;
    return stamp(f, sameWarp ? WARP_CODE + warp : SEVERAL);
  }
}
