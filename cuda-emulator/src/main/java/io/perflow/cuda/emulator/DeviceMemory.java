package io.perflow.cuda.emulator;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The address space of the emulated device. Each allocation is followed by a red zone, and no
 * address is given out twice, so that an access beside an allocation or after it was freed is
 * always detected.
 */
final class DeviceMemory {
  /** Above 32 bits, so that a kernel that truncates a pointer to an int fails. */
  private static final long FIRST_ADDRESS = 0x7_0000_0000L;

  private static final int ALIGNMENT = 256;
  private static final int RED_ZONE = 1 << 16;

  private final long capacity;
  private final TreeMap<Long, Allocation> live = new TreeMap<>();
  private final TreeMap<Long, Allocation> freed = new TreeMap<>();
  private long next = FIRST_ADDRESS;
  private long used;

  DeviceMemory(long capacity) {
    this.capacity = capacity;
  }

  long capacity() {
    return capacity;
  }

  long used() {
    return used;
  }

  /** Returns new memory filled with NaNs, or null if there is not enough. */
  Allocation allocate(long bytes, String origin) {
    long rounded = (bytes + ALIGNMENT - 1) & -ALIGNMENT;
    if (bytes > Integer.MAX_VALUE - ALIGNMENT || used + rounded > capacity) {
      return null;
    }
    var made = new Allocation(next, (int) bytes, origin);
    live.put(next, made);
    next += rounded + RED_ZONE;
    used += rounded;
    return made;
  }

  /** Ends an allocation; false when the address is not the beginning of a live one. */
  boolean free(long address, String where) {
    Allocation gone = live.remove(address);
    if (gone == null) {
      return false;
    }
    used -= (gone.data.length + ALIGNMENT - 1) & -ALIGNMENT;
    // The content goes with it; only its place stays known.
    var grave = new Allocation(gone.base, 0, gone.origin + ", " + gone.data.length + " bytes");
    grave.free(where);
    freed.put(address, grave);
    gone.free(where);
    return true;
  }

  /** Returns the allocation that contains this number of bytes from an address on, or null. */
  Allocation find(long address, long bytes) {
    Map.Entry<Long, Allocation> entry = live.floorEntry(address);
    if (entry == null || address + bytes > entry.getKey() + entry.getValue().data.length) {
      return null;
    }
    return entry.getValue();
  }

  /** Returns the fault to throw, which says why there is nothing at an address. */
  KernelFault missing(long address, long bytes, String access) {
    Map.Entry<Long, Allocation> before = live.floorEntry(address);
    Map.Entry<Long, Allocation> dead = freed.floorEntry(address);
    boolean deadIsNearer = dead != null && (before == null || dead.getKey() > before.getKey());
    if (deadIsNearer) {
      Allocation grave = dead.getValue();
      return new KernelFault(
          KernelFault.Kind.USE_AFTER_FREE,
          "%s of %d bytes at %#x, in memory made by %s and freed by %s"
              .formatted(access, bytes, address, grave.origin, grave.freedAt()));
    }
    String near =
        before == null
            ? "before all allocations"
            : "at byte %d of %s".formatted(address - before.getKey(), before.getValue());
    return new KernelFault(
        KernelFault.Kind.OUT_OF_BOUNDS,
        "%s of %d bytes at %#x, %s".formatted(access, bytes, address, near));
  }

  /** Returns the allocations that have not been freed. */
  List<Allocation> live() {
    return List.copyOf(live.values());
  }
}
