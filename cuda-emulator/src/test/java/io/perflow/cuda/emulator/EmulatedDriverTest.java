package io.perflow.cuda.emulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.cuda.driver.CudaDriver;
import io.perflow.cuda.driver.CudaException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * The emulated driver keeps the rules of the real one, and the order it runs work in is the least
 * helpful.
 */
class EmulatedDriverTest {
  private static CudaException failing(int code, Executable call) {
    var e = assertThrows(CudaException.class, call);
    assertEquals(code, e.code(), e.getMessage());
    return e;
  }

  @Test
  void callsComeInOrder() throws Exception {
    var d = EmulatedDriver.create();
    failing(CudaException.NOT_INITIALIZED, d::deviceGetCount);
    d.init();
    assertEquals(1, d.deviceGetCount());
    failing(CudaException.INVALID_DEVICE, () -> d.deviceGet(1));
    failing(CudaException.INVALID_CONTEXT, () -> d.memAlloc(16));
    long context = d.devicePrimaryCtxRetain(0);
    d.ctxSetCurrent(context);
    d.memFree(d.memAlloc(16));
    // A context is current for one thread only.
    var seen = new CudaException[1];
    var other =
        new Thread(
            () -> {
              try {
                d.memAlloc(16);
              } catch (CudaException e) {
                seen[0] = e;
              }
            });
    other.start();
    other.join();
    assertEquals(CudaException.INVALID_CONTEXT, seen[0].code());
    assertEquals("cuMemAlloc", seen[0].call());
    assertEquals("CUDA_ERROR_INVALID_CONTEXT", seen[0].name());
    d.devicePrimaryCtxRelease(0);
    failing(CudaException.INVALID_CONTEXT, () -> d.memAlloc(16));
  }

  @Test
  void ptxThatIsTooNewOrWrongIsRefused() {
    try (var e = Emulation.of("violating")) {
      var d = e.driver;
      String ptx = Emulation.ptx("violating");
      var newer =
          failing(
              CudaException.UNSUPPORTED_PTX_VERSION,
              () -> d.moduleLoadData(ptx.replace(".version 7.0", ".version 9.0")));
      assertTrue(newer.getMessage().contains("9.0") && newer.getMessage().contains("7.8"));
      var target =
          failing(
              CudaException.NO_BINARY_FOR_GPU,
              () -> d.moduleLoadData(ptx.replace(".target sm_70", ".target sm_90")));
      assertTrue(target.getMessage().contains("sm_90") && target.getMessage().contains("sm_80"));
      failing(CudaException.INVALID_PTX, () -> d.moduleLoadData("nonsense"));
      var type =
          failing(
              CudaException.INVALID_PTX,
              () -> d.moduleLoadData(ptx.replace("st.global.f32", "st.global.f32x")));
      assertTrue(type.getMessage().contains("line "), type.getMessage());
      long typo = d.moduleLoadData(ptx.replace("mul.wide.s32", "mul.wild.s32"));
      var unknown = failing(CudaException.INVALID_PTX, () -> d.moduleGetFunction(typo, "twice"));
      assertTrue(unknown.getMessage().contains("line "), unknown.getMessage());
      failing(CudaException.NOT_FOUND, () -> d.moduleGetFunction(typo, "thrice"));
    }
  }

  @Test
  void argumentsAreCheckedAgainstTheParameters() {
    try (var e = Emulation.of("violating");
        var arena = Arena.ofConfined()) {
      var d = e.driver;
      long module = d.moduleLoadData(Emulation.ptx("violating"));
      long twice = d.moduleGetFunction(module, "twice");
      MemorySegment wide = arena.allocate(8);
      MemorySegment narrow = arena.allocate(4);
      MemorySegment[] tooFew = {wide, wide};
      MemorySegment[] wrongSize = {wide, wide, wide};
      MemorySegment[] onHeap = {wide, wide, MemorySegment.ofArray(new int[1])};
      for (MemorySegment[] bad : List.of(tooFew, wrongSize, onHeap)) {
        var error =
            failing(
                CudaException.INVALID_VALUE,
                () -> d.launchKernel(twice, 1, 1, 1, 1, 1, 1, 0, 0, bad));
        assertTrue(error.getMessage().contains("twice"), error.getMessage());
      }
      MemorySegment[] good = {wide, wide, narrow};
      failing(
          CudaException.INVALID_VALUE, () -> d.launchKernel(twice, 0, 1, 1, 1, 1, 1, 0, 0, good));
      failing(
          CudaException.INVALID_VALUE,
          () -> d.launchKernel(twice, 1, 1, 1, 1025, 1, 1, 0, 0, good));
      failing(
          CudaException.INVALID_VALUE,
          () -> d.launchKernel(twice, 1, 1, 1, 32, 1, 1, 49153, 0, good));
      d.funcSetAttribute(twice, CudaDriver.FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, 64 << 10);
      d.launchKernel(twice, 1, 1, 1, 32, 1, 1, 49153, 0, good);
      // The checked list refuses the same mistakes before the driver sees them.
      var typed = e.arguments("twice").pointer(0).pointer(0);
      var wrong = assertThrows(IllegalArgumentException.class, () -> typed.f32(1));
      assertTrue(wrong.getMessage().contains("argument 2 of twice"), wrong.getMessage());
      assertThrows(IllegalArgumentException.class, typed::segments);
      assertThrows(IllegalArgumentException.class, () -> typed.s32(1).s32(2));
    }
  }

  @Test
  void queuedWorkRunsAsLateAsAllowed() {
    try (var e = Emulation.of("violating");
        var arena = Arena.ofConfined()) {
      var d = e.driver;
      long stream = d.streamCreate(CudaDriver.STREAM_NON_BLOCKING);
      long device = d.memAlloc(4);
      MemorySegment source = arena.allocate(4);
      MemorySegment target = arena.allocate(4);
      source.set(ValueLayout.JAVA_FLOAT, 0, 1);
      target.set(ValueLayout.JAVA_FLOAT, 0, 5);
      d.memcpyHtoDAsync(device, source, 4, stream);
      d.memcpyDtoHAsync(target, device, 4, stream);
      assertTrue(Float.isNaN(target.get(ValueLayout.JAVA_FLOAT, 0)), "read before waiting");
      source.set(ValueLayout.JAVA_FLOAT, 0, 2);
      d.streamSynchronize(stream);
      assertEquals(2, target.get(ValueLayout.JAVA_FLOAT, 0), "the source was changed too early");
    }
  }

  @Test
  void streamsAreOrderedByEventsOnly() {
    try (var e = Emulation.of("violating");
        var arena = Arena.ofConfined()) {
      var d = e.driver;
      long first = d.streamCreate(CudaDriver.STREAM_NON_BLOCKING);
      long second = d.streamCreate(CudaDriver.STREAM_NON_BLOCKING);
      long event = d.eventCreate(CudaDriver.EVENT_DISABLE_TIMING);
      long x = d.memAlloc(4);
      MemorySegment out = arena.allocate(4);
      d.memsetD32Async(x, 7, 1, first);
      d.memcpyDtoHAsync(out, x, 4, second);
      d.streamSynchronize(second);
      assertTrue(out.get(ValueLayout.JAVA_INT, 0) != 7, "nothing made the second stream wait");
      d.memsetD32Async(x, 8, 1, first);
      d.eventRecord(event, first);
      d.streamWaitEvent(second, event);
      d.memcpyDtoHAsync(out, x, 4, second);
      d.streamSynchronize(second);
      assertEquals(8, out.get(ValueLayout.JAVA_INT, 0));
      // What was queued behind the event has not been waited for.
      d.memsetD32Async(x, 9, 1, first);
      d.eventSynchronize(event);
      d.memcpyDtoHAsync(out, x, 4, second);
      d.streamSynchronize(second);
      assertEquals(8, out.get(ValueLayout.JAVA_INT, 0));
    }
  }

  @Test
  void theDefaultStreamAndBlockingStreamsWaitForEachOther() {
    try (var e = Emulation.of("violating");
        var arena = Arena.ofConfined()) {
      var d = e.driver;
      long blocking = d.streamCreate(0);
      long x = d.memAlloc(4);
      MemorySegment out = arena.allocate(4);
      d.memsetD32Async(x, 1, 1, blocking);
      d.memcpyDtoHAsync(out, x, 4, 0);
      d.streamSynchronize(0);
      assertEquals(1, out.get(ValueLayout.JAVA_INT, 0));
      d.memsetD32Async(x, 2, 1, 0);
      d.memcpyDtoHAsync(out, x, 4, blocking);
      d.streamSynchronize(blocking);
      assertEquals(2, out.get(ValueLayout.JAVA_INT, 0));
      d.memsetD32Async(x, 3, 1, blocking);
      d.streamDestroy(blocking);
      assertEquals(3, e.ints(x, 1)[0], "work of a destroyed stream still runs");
    }
  }

  @Test
  void eventsTellTime() {
    try (var e = Emulation.of("violating")) {
      var d = e.driver;
      long a = d.eventCreate(0);
      long b = d.eventCreate(0);
      long untimed = d.eventCreate(CudaDriver.EVENT_DISABLE_TIMING);
      d.eventRecord(a, 0);
      d.eventRecord(b, 0);
      d.eventRecord(untimed, 0);
      failing(CudaException.NOT_READY, () -> d.eventElapsedTime(a, b));
      d.eventSynchronize(b);
      assertTrue(d.eventElapsedTime(a, b) >= 0);
      d.eventSynchronize(untimed);
      failing(CudaException.NOT_READY, () -> d.eventElapsedTime(a, untimed));
      d.eventDestroy(a);
      failing(CudaException.INVALID_HANDLE, () -> d.eventSynchronize(a));
    }
  }

  @Test
  void hostMemoryFreedTooEarlyIsNoticed() {
    try (var e = Emulation.of("violating")) {
      var d = e.driver;
      MemorySegment pinned = d.memHostAlloc(64, CudaDriver.MEMHOSTALLOC_PORTABLE);
      d.memcpyHtoDAsync(d.memAlloc(64), pinned, 64, 0);
      d.memFreeHost(pinned);
      var error = assertThrows(CudaException.class, () -> d.streamSynchronize(0));
      assertTrue(error.getMessage().contains("freed before the copy"), error.getMessage());
    }
  }

  @Test
  void aBrokenContextStaysBroken() {
    try (var e = Emulation.of("violating")) {
      e.launch(
          "beside",
          new int[] {1},
          new int[] {32},
          0,
          e.arguments("beside").pointer(e.empty(64)).s32(0));
      failing(CudaException.ILLEGAL_ADDRESS, () -> e.driver.streamSynchronize(0));
      var later = failing(CudaException.ILLEGAL_ADDRESS, () -> e.driver.memAlloc(16));
      assertTrue(later.getMessage().contains("beside"), later.getMessage());
    }
  }

  @Test
  void memoryRunsOut() {
    var small = EmulatedDriver.builder().memory(1 << 20);
    try (var e = new Emulation(small, Emulation.ptx("violating"))) {
      long half = e.empty(512 << 10);
      var error = failing(CudaException.OUT_OF_MEMORY, () -> e.empty(600 << 10));
      assertTrue(error.getMessage().contains("614400 bytes, 524288 of 1048576 used"));
      assertEquals(new CudaDriver.MemInfo(512 << 10, 1 << 20), e.driver.memGetInfo());
      e.driver.memFree(half);
      e.empty(600 << 10);
      failing(CudaException.INVALID_VALUE, () -> e.driver.memFree(half));
    }
  }

  @Test
  void whatIsNotFreedIsReportedWithItsOrigin() {
    try (var e = Emulation.of("violating")) {
      var d = e.driver;
      long kept = d.memAlloc(100);
      MemorySegment pinned = d.memHostAlloc(10, 0);
      long stream = d.streamCreate(0);
      List<String> leaks = d.leaks();
      assertEquals(4, leaks.size(), leaks.toString());
      assertTrue(leaks.getFirst().contains("100 bytes"), leaks.toString());
      assertTrue(leaks.getFirst().contains("whatIsNotFreedIsReportedWithItsOrigin"));
      d.memFree(kept);
      d.memFreeHost(pinned);
      d.streamDestroy(stream);
      assertEquals(1, d.leaks().size(), "the module");
    }
  }

  @Test
  void anyCallCanBeMadeToFail() {
    try (var e = Emulation.of("violating")) {
      var d = e.driver;
      d.failCall("cuMemAlloc", 2, CudaException.OUT_OF_MEMORY);
      long x = d.memAlloc(16);
      d.memsetD32Async(x, 0, 4, 0);
      failing(CudaException.OUT_OF_MEMORY, () -> d.memAlloc(16));
      d.memAlloc(16);
      long before = d.calls();
      d.failCall("", 3, CudaException.LAUNCH_FAILED);
      d.memGetInfo();
      d.memGetInfo();
      var error = failing(CudaException.LAUNCH_FAILED, d::memGetInfo);
      assertEquals("cuMemGetInfo", error.call());
      assertEquals(before + 3, d.calls());
      d.memGetInfo();
    }
  }

  @Test
  void copiesStayInsideAllocations() {
    try (var e = Emulation.of("violating");
        var arena = Arena.ofConfined()) {
      var d = e.driver;
      long x = e.floats(1, 2, 3, 4);
      MemorySegment host = arena.allocate(16);
      failing(CudaException.INVALID_VALUE, () -> d.memcpyDtoHAsync(host, x + 4, 16, 0));
      failing(CudaException.INVALID_VALUE, () -> d.memcpyHtoDAsync(x - 4, host, 8, 0));
      failing(CudaException.INVALID_VALUE, () -> d.memcpyHtoDAsync(x, host, 20, 0));
      failing(CudaException.INVALID_VALUE, () -> d.memcpyDtoDAsync(x, x + 4, 8, 0));
      failing(
          CudaException.INVALID_VALUE,
          () -> d.memcpyDtoHAsync(MemorySegment.ofArray(new float[4]), x, 16, 0));
      d.memcpyDtoDAsync(x, x + 8, 8, 0);
      assertArrayEquals(new float[] {3, 4, 3, 4}, e.floats(x, 4));
    }
  }
}
