package io.perflow.tensor.cpu.memory;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Where cache lines begin in arrays.
 *
 * <p>A vector of 512 bits is as long as a cache line. One that lies across two lines takes two
 * accesses, and Winograd's transforms, which do little but load and store, then take up to twice as
 * long. Java neither aligns arrays nor says where they lie, and its collector moves them. But the C
 * library says it: {@code memset} of no bytes returns the address that it is given.
 *
 * <p>No result depends on these positions. Where the process has no access to native functions,
 * they are all zero.
 */
public final class CacheLines {
  /** Floats of a line. */
  private static final int LINE = 16;

  // A constant, so that the call is compiled as one.
  private static final MethodHandle MEMSET = memset();

  private CacheLines() {}

  /**
   * An array for {@code length} floats from {@link #first} on, to be handed back to {@link
   * Buffers}.
   */
  public static float[] floats(int length) {
    return Buffers.floats(length + LINE - 1);
  }

  /** The position at which the first line begins; the collector may make it another later. */
  public static int first(float[] array) {
    if (MEMSET == null) {
      return 0;
    }
    try {
      long address = (long) MEMSET.invokeExact(MemorySegment.ofArray(array), 0, 0L);
      return (int) (-address >>> 2) & LINE - 1;
    } catch (Throwable e) { // what a method handle declares
      throw new AssertionError(e);
    }
  }

  @SuppressWarnings("restricted") // memset of no bytes touches no memory
  private static MethodHandle memset() {
    if (!CacheLines.class.getModule().isNativeAccessEnabled()) {
      return null;
    }
    Linker linker = Linker.nativeLinker();
    FunctionDescriptor signature =
        FunctionDescriptor.of(
            ValueLayout.JAVA_LONG,
            ValueLayout.ADDRESS,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_LONG);
    return linker
        .defaultLookup()
        .find("memset")
        .map(f -> linker.downcallHandle(f, signature, Linker.Option.critical(true)))
        .orElse(null);
  }
}
