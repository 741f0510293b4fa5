package io.perflow.tensor.cpu.memory;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.junit.jupiter.api.Test;

class CacheLinesTest {
  /** Arrays of odd lengths between the others begin at all places that Java gives them. */
  @Test
  void theFirstLineBeginsAtAMultipleOf64Bytes() throws Throwable {
    int right = 0;
    for (int i = 0; i < 100; i++) {
      float[] array = new float[64 + i];
      int first = CacheLines.first(array);
      assertTrue(first >= 0 && first < 16, "a line begins at " + first);
      right += address(array, first) % 64 == 0 ? 1 : 0;
    }
    // the collector may move an array between the two questions
    assertTrue(right >= 90, right + " of 100 arrays");
  }

  @Test
  void anArrayHasRoomBehindTheFirstLine() {
    for (int length : new int[] {1, 16, 17, 1000}) {
      float[] array = CacheLines.floats(length);
      assertTrue(array.length >= 15 + length, array.length + " for " + length);
      Buffers.give(array);
    }
  }

  // memmove returns the address it is given, too
  @SuppressWarnings("restricted")
  private static long address(float[] array, int element) throws Throwable {
    FunctionDescriptor signature =
        FunctionDescriptor.of(
            ValueLayout.JAVA_LONG, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG);
    Linker linker = Linker.nativeLinker();
    MethodHandle memmove =
        linker.downcallHandle(
            linker.defaultLookup().find("memmove").orElseThrow(),
            signature,
            Linker.Option.critical(true));
    MemorySegment place = MemorySegment.ofArray(array).asSlice(4L * element);
    return (long) memmove.invokeExact(place, place, 0L);
  }
}
