package io.perflow.cuda;

import io.perflow.cuda.driver.CudaDriver;
import io.perflow.cuda.driver.CudaException;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A pool of recycled device memory. Sizes are rounded up to one of four steps per power of two, so
 * that at most a quarter is wasted and similar shapes share. Returned memory may be reused at once:
 * all work of a device runs in one stream, so earlier uses run before later ones.
 *
 * <p>When the device has no more, memory kept for reuse is freed, then the collector is asked for
 * tensors that belong to no scope, and only then is the request refused.
 */
final class MemoryPool {
  private static final int SMALLEST = 256;
  private static final int PATIENCE = 50; // waits of 10 ms each for the collector's cleaners
  private static final boolean POISON = Boolean.getBoolean("perflow.poison");
  private static final int MOST_PLACES = 5; // in a message

  /** A range of device memory. */
  record Block(long address, long bytes) {}

  private final CudaDriver driver;
  private final long stream;
  private final String device;
  private final boolean trace = Boolean.getBoolean("perflow.traceLeaks");
  private final TreeMap<Long, ArrayDeque<Block>> free = new TreeMap<>();
  private final Map<Block, String> places = new HashMap<>(); // of what is in use, when traced
  private long usedBytes;
  private long peakBytes;

  MemoryPool(CudaDriver driver, long stream, String device) {
    this.driver = driver;
    this.stream = stream;
    this.device = device;
  }

  /**
   * Takes at least this number of bytes with undefined contents; the device's context is current.
   */
  Block take(long bytes) {
    long size = roundUp(bytes);
    Block block = recycled(size);
    if (block == null) {
      block = fresh(size);
    }
    synchronized (this) {
      usedBytes += size;
      peakBytes = Math.max(peakBytes, usedBytes);
      if (trace) {
        places.put(block, caller());
      }
    }
    return block;
  }

  private synchronized Block recycled(long size) {
    ArrayDeque<Block> blocks = free.get(size);
    return blocks == null ? null : blocks.pollLast();
  }

  private Block fresh(long size) {
    for (int attempt = 0; ; attempt++) {
      try {
        return new Block(driver.memAlloc(size), size);
      } catch (CudaException e) {
        if (e.code() != CudaException.OUT_OF_MEMORY) {
          throw e;
        }
        if (attempt > PATIENCE) {
          throw new DeviceMemoryException(refusal(size), e);
        }
        if (attempt > 0) {
          collect(attempt);
        }
        trim();
      }
    }
  }

  // The cleaner of a tensor outside any scope returns its memory some time after a collection.
  private static void collect(int attempt) {
    if (attempt == 1) {
      System.gc();
    }
    try {
      Thread.sleep(10);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns memory to the pool. */
  void give(Block block) {
    if (POISON) { // so that a kernel that reads what it did not write fails a test
      driver.memsetD32Async(block.address, -1, block.bytes / 4, stream);
    }
    synchronized (this) {
      usedBytes -= block.bytes;
      places.remove(block);
      free.computeIfAbsent(block.bytes, _ -> new ArrayDeque<>()).addLast(block);
    }
  }

  /** Frees the memory that is kept for reuse. */
  synchronized void trim() {
    free.values().forEach(blocks -> blocks.forEach(block -> driver.memFree(block.address)));
    free.clear();
  }

  /** Returns the bytes in use by tensors and kernels. */
  synchronized long usedBytes() {
    return usedBytes;
  }

  /** Returns the largest number of bytes in use at once. */
  synchronized long peakBytes() {
    return peakBytes;
  }

  private synchronized String refusal(long size) {
    CudaDriver.MemInfo info = driver.memGetInfo();
    return ("[cuda] out of memory on %s: %s requested, %s used by tensors, %s of %s free; close"
            + " scopes earlier, take a smaller batch, or recompute with checkpoints%s")
        .formatted(device, mib(size), mib(usedBytes), mib(info.free()), mib(info.total()), where());
  }

  private String where() {
    if (!trace) {
      return " (-Dperflow.traceLeaks=true shows where the memory was taken)";
    }
    return "; " + places().stream().limit(MOST_PLACES).collect(Collectors.joining("; "));
  }

  /**
   * Returns the places that allocated the memory in use, largest first; empty unless allocations
   * are traced.
   */
  synchronized List<String> places() {
    Map<String, Long> byPlace =
        places.entrySet().stream()
            .collect(
                Collectors.groupingBy(
                    Map.Entry::getValue, Collectors.summingLong(e -> e.getKey().bytes)));
    return byPlace.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
        .map(e -> mib(e.getValue()) + " taken at " + e.getKey())
        .toList();
  }

  // Returns the innermost frame outside the library's tensors.
  private static String caller() {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames
                    .filter(
                        f ->
                            !f.getClassName().startsWith("io.perflow.cuda.")
                                && !f.getClassName().startsWith("io.perflow.tensor."))
                    .findFirst()
                    .map(f -> f.toStackTraceElement().toString())
                    .orElse("an unknown place"));
  }

  private static String mib(long bytes) {
    return "%.1f MiB".formatted(bytes / (double) (1 << 20));
  }

  private static long roundUp(long bytes) {
    if (bytes <= SMALLEST) {
      return SMALLEST;
    }
    long step = Long.highestOneBit(bytes - 1) >>> 2;
    return Grid.ceil(bytes, step) * step;
  }
}
