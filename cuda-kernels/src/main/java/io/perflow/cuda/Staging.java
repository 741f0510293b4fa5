package io.perflow.cuda;

import io.perflow.cuda.driver.CudaDriver;
import java.lang.foreign.MemorySegment;

/**
 * The copying between Java arrays and the device through two pinned buffers, which the device reads
 * and writes by itself: while one is on its way, the other is filled or emptied. An upload returns
 * as soon as the last piece is queued.
 */
final class Staging {
  private static final int BUFFERS = 2;
  private static final long BUFFER_BYTES = 1 << 22;

  private final CudaDriver driver;
  private final long stream;
  private final MemorySegment[] buffers = new MemorySegment[BUFFERS];
  private final long[] passed = new long[BUFFERS]; // events behind the last use of each
  private int next;

  Staging(CudaDriver driver, long stream) {
    this.driver = driver;
    this.stream = stream;
  }

  /** Queues the copy of a heap segment to the device. */
  synchronized void upload(MemorySegment from, long to) {
    for (long at = 0; at < from.byteSize(); at += BUFFER_BYTES) {
      long bytes = Math.min(BUFFER_BYTES, from.byteSize() - at);
      int b = take();
      buffers[b].copyFrom(from.asSlice(at, bytes));
      driver.memcpyHtoDAsync(to + at, buffers[b], bytes, stream);
      driver.eventRecord(passed[b], stream);
    }
  }

  /** Copies from the device to a heap segment, waiting for all work queued before. */
  synchronized void download(long from, MemorySegment to) {
    long total = to.byteSize();
    int pending = -1;
    for (long at = 0; at < total; at += BUFFER_BYTES) {
      int b = take();
      driver.memcpyDtoHAsync(buffers[b], from + at, Math.min(BUFFER_BYTES, total - at), stream);
      driver.eventRecord(passed[b], stream);
      if (pending >= 0) {
        empty(pending, to, at - BUFFER_BYTES);
      }
      pending = b;
    }
    if (pending >= 0) {
      empty(pending, to, (total - 1) / BUFFER_BYTES * BUFFER_BYTES);
    }
  }

  private void empty(int b, MemorySegment to, long at) {
    driver.eventSynchronize(passed[b]);
    long bytes = Math.min(BUFFER_BYTES, to.byteSize() - at);
    to.asSlice(at, bytes).copyFrom(buffers[b].asSlice(0, bytes));
  }

  // Returns a buffer that nothing on the device uses any more.
  private int take() {
    int b = next;
    next = (next + 1) % BUFFERS;
    if (buffers[b] == null) {
      buffers[b] = driver.memHostAlloc(BUFFER_BYTES, CudaDriver.MEMHOSTALLOC_PORTABLE);
      passed[b] = driver.eventCreate(CudaDriver.EVENT_DISABLE_TIMING);
    } else {
      driver.eventSynchronize(passed[b]);
    }
    return b;
  }

  /** Frees the buffers. */
  synchronized void close() {
    for (int b = 0; b < BUFFERS; b++) {
      if (buffers[b] != null) {
        driver.memFreeHost(buffers[b]);
        driver.eventDestroy(passed[b]);
        buffers[b] = null;
      }
    }
  }
}
