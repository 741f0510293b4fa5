package io.perflow.cuda.emulator;

/** The counters of a launch's memory traffic: sectors of global memory, passes of shared memory. */
final class Counters {
  private static final int SECTOR_SHIFT = 5;
  private static final int BANKS = 32;

  /** Bytes that shared memory delivers in one pass. */
  private static final int PASS = 128;

  long loadRequests;
  long loadSectors;
  long storeRequests;
  long storeSectors;
  long atomicRequests;
  long sharedRequests;
  long sharedPasses;
  long sharedBestPasses;
  private final int[] seen = new int[PASS];

  /** Records an access to one allocation; lanes ascend. */
  void global(Access access, int[] offsets, int[] lanes, int from, int to) {
    for (int k = from; k < to; ) {
      int start = k;
      int distinct = 0;
      for (; k < to && lanes[k] >> 5 == lanes[start] >> 5; k++) {
        distinct = note(distinct, offsets[k] >> SECTOR_SHIFT);
      }
      switch (access.purpose) {
        case LOAD -> {
          loadRequests++;
          loadSectors += distinct;
        }
        case STORE -> {
          storeRequests++;
          storeSectors += distinct;
        }
        case ATOMIC -> atomicRequests++;
      }
    }
  }

  /**
   * Adds a value unless it is noted; neighbours mostly share a sector with the one before, so the
   * search begins at the end.
   */
  private int note(int count, int value) {
    for (int i = count - 1; i >= 0; i--) {
      if (seen[i] == value) {
        return count;
      }
    }
    seen[count] = value;
    return count + 1;
  }

  /**
   * Records an access to shared memory. A pass serves each of the 32 banks one word, which any
   * number of threads may read. Threads that take 8 bytes are served by halves of a warp, 16 by
   * quarters.
   */
  void shared(Access access, int[] offsets, int[] lanes, int from, int to) {
    int served = Math.min(Clock.WARP, PASS / access.bytes);
    for (int k = from; k < to; ) {
      int start = k;
      for (; k < to && lanes[k] >> 5 == lanes[start] >> 5; k++) {
        continue;
      }
      sharedRequests++;
      for (int part = start; part < k; ) {
        int group = lanes[part] / served;
        int end = part;
        while (end < k && lanes[end] / served == group) {
          end++;
        }
        sharedPasses += passes(access.bytes, offsets, part, end);
        sharedBestPasses++;
        part = end;
      }
    }
  }

  private int passes(int bytes, int[] offsets, int from, int to) {
    int distinct = 0;
    for (int k = from; k < to; k++) {
      for (int w = offsets[k] >> 2; w <= (offsets[k] + bytes - 1) >> 2; w++) {
        distinct = note(distinct, w);
      }
    }
    int most = 1;
    int[] load = new int[BANKS];
    for (int i = 0; i < distinct; i++) {
      most = Math.max(most, ++load[seen[i] & BANKS - 1]);
    }
    return most;
  }
}
