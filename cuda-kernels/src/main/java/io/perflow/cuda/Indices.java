package io.perflow.cuda;

import java.lang.foreign.MemorySegment;
import java.nio.IntBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * Lists of places on the device. A loop uses the same lists repeatedly, and an upload waits for the
 * one before the last, so the latest lists are kept on the device.
 */
final class Indices {
  private static final long MOST_BYTES = 1 << 24;

  private final Gpu gpu;
  private final Map<Key, Scratch> latest = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  private record Key(String purpose, IntBuffer index, int size) {}

  Indices(Gpu gpu) {
    this.gpu = gpu;
    gpu.beforeClose(this::clear);
  }

  /**
   * Launches kernels that read integers derived from an index.
   *
   * @param purpose the text that identifies them, together with {@code size} and the index
   * @param make computes the integers if they are not on the device yet
   * @param launch receives their address
   */
  synchronized void with(
      String purpose, int[] index, int size, Supplier<int[]> make, LongConsumer launch) {
    Scratch there = latest.get(new Key(purpose, IntBuffer.wrap(index), size));
    if (there == null) {
      int[] values = make.get();
      there = gpu.scratch(4L * Math.max(1, values.length));
      gpu.upload(MemorySegment.ofArray(values), there.address());
      latest.put(new Key(purpose, IntBuffer.wrap(index.clone()), size), there);
      bytes += there.bytes();
    }
    launch.accept(there.address());
    for (Iterator<Scratch> oldest = latest.values().iterator();
        bytes > MOST_BYTES && oldest.hasNext(); ) {
      Scratch gone = oldest.next();
      bytes -= gone.bytes();
      gone.close(); // the launched kernels run before anything that gets this memory
      oldest.remove();
    }
  }

  private synchronized void clear() {
    latest.values().forEach(Scratch::close);
    latest.clear();
    bytes = 0;
  }
}
