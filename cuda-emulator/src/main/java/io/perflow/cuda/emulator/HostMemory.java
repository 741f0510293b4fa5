package io.perflow.cuda.emulator;

import io.perflow.cuda.driver.CudaException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Memory outside of the device: the pinned part, which the driver owns, and its use in copies. */
final class HostMemory {
  private static final int ALIGNMENT = 64;

  private final Map<Long, Pinned> pinned = new HashMap<>();

  private record Pinned(Arena arena, String origin) {}

  MemorySegment allocate(long bytes, String origin) {
    Arena arena = Arena.ofShared();
    MemorySegment made = arena.allocate(bytes, ALIGNMENT);
    poison(made);
    pinned.put(made.address(), new Pinned(arena, origin));
    return made;
  }

  /** Frees pinned memory; false if this is none. */
  boolean free(MemorySegment host) {
    Pinned gone = pinned.remove(host.address());
    if (gone != null) {
      gone.arena.close();
    }
    return gone != null;
  }

  /** What was pinned and not freed, with its origin. */
  List<String> open() {
    return pinned.values().stream().map(p -> "pinned host memory made by " + p.origin).toList();
  }

  /** Refuses memory that a copy cannot use. */
  static void check(MemorySegment host, long bytes, String call) {
    if (!host.isNative() || bytes > host.byteSize()) {
      throw Calls.error(
          CudaException.INVALID_VALUE,
          call,
          "%d bytes of %s memory of %d bytes"
              .formatted(bytes, host.isNative() ? "native" : "heap", host.byteSize()));
    }
  }

  /** Copies the beginning of host memory to device memory. */
  static void read(MemorySegment from, byte[] data, int at, int bytes, String call) {
    demandAlive(from, call);
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, 0, data, at, bytes);
  }

  /** Copies device memory to the beginning of host memory. */
  static void write(byte[] data, int at, MemorySegment to, int bytes, String call) {
    demandAlive(to, call);
    MemorySegment.copy(data, at, to, ValueLayout.JAVA_BYTE, 0, bytes);
  }

  private static void demandAlive(MemorySegment host, String call) {
    if (!host.scope().isAlive()) {
      throw new KernelFault(
          KernelFault.Kind.USE_AFTER_FREE,
          "%s: the host memory was freed before the copy had run".formatted(call));
    }
  }

  /** Fills memory with the pattern of what was never written. */
  static void poison(MemorySegment host) {
    byte[] pattern = new byte[(int) Math.min(host.byteSize(), 1 << 16)];
    Allocation.poison(pattern);
    for (long at = 0; at < host.byteSize(); at += pattern.length) {
      int n = (int) Math.min(pattern.length, host.byteSize() - at);
      MemorySegment.copy(pattern, 0, host, ValueLayout.JAVA_BYTE, at, n);
    }
  }
}
