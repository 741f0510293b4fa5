package io.perflow.cuda.driver;

import io.perflow.cuda.emulator.ptx.PtxModule;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Drives JCuda against {@link StubLibcuda} through every method of {@link CudaDriver}; run in a
 * process of its own by {@link JCudaAdapterTest}. Arguments: a directory for the library, and the
 * PTX file with the kernels matmul and addressing.
 */
final class StubLibcudaProgram {
  private StubLibcudaProgram() {}

  private static void check(boolean ok, String what) {
    if (!ok) {
      throw new IllegalStateException(what);
    }
  }

  /** Expects a call to fail. */
  private static CudaException failure(int code, Runnable call) {
    try {
      call.run();
    } catch (CudaException e) {
      check(e.code() == code, "code " + code + " expected: " + e);
      return e;
    }
    throw new IllegalStateException("code " + code + " expected, but the call succeeded");
  }

  public static void main(String[] args) throws Exception {
    if (!StubLibcuda.load(Path.of(args[0]))) {
      System.out.println("no C compiler");
      return;
    }
    CudaProbe probe = CudaProbe.look("libcuda.so.1");
    check(probe.available(), probe.reason());
    CudaDriver d = probe.driver();
    long context = devices(d);
    String ptx = Files.readString(Path.of(args[1]));
    long module = modules(d, ptx);
    try (var arena = Arena.ofConfined()) {
      memory(d, arena);
      streams(d, arena);
      matmul(d, module, PtxModule.parse(ptx), arena);
      structure(d, module, PtxModule.parse(ptx), arena);
    }
    d.moduleUnload(module);
    check(StubLibcuda.device().leaks().isEmpty(), StubLibcuda.device().leaks().toString());
    d.ctxSetCurrent(0);
    failure(CudaException.INVALID_CONTEXT, d::memGetInfo);
    check(context != 0, "a context has a handle");
    d.devicePrimaryCtxRelease(0);
    System.out.println("JCuda ran on the emulated device");
  }

  private static long devices(CudaDriver d) {
    check(d.driverGetVersion() == 11080, "version");
    check(d.deviceGetCount() == 1, "count");
    check(d.deviceGetName(d.deviceGet(0)).equals("emulated sm_80"), d.deviceGetName(0));
    check(d.deviceGetAttribute(CudaDriver.COMPUTE_CAPABILITY_MAJOR, 0) == 8, "attribute");
    check(d.getErrorName(2).equals("CUDA_ERROR_OUT_OF_MEMORY"), d.getErrorName(2));
    check(d.getErrorString(2).equals("out of memory"), d.getErrorString(2));
    failure(CudaException.INVALID_DEVICE, () -> d.deviceGet(7));
    failure(CudaException.INVALID_CONTEXT, () -> d.memAlloc(8));
    long context = d.devicePrimaryCtxRetain(0);
    d.ctxSetCurrent(context);
    return context;
  }

  private static long modules(CudaDriver d, String ptx) {
    String newer = ptx.replace(".version 7.0", ".version 9.0");
    CudaException e = failure(CudaException.UNSUPPORTED_PTX_VERSION, () -> d.moduleLoadData(newer));
    check(e.getMessage().contains("PTX 9.0"), "the log of the compiler arrives: " + e);
    long module = d.moduleLoadData(ptx);
    check(
        failure(CudaException.NOT_FOUND, () -> d.moduleGetFunction(module, "none"))
            .getMessage()
            .contains("none"),
        "the missing kernel is named");
    return module;
  }

  private static void memory(CudaDriver d, Arena arena) {
    CudaDriver.MemInfo before = d.memGetInfo();
    long x = d.memAlloc(1000);
    check(d.memGetInfo().free() == before.free() - 1024, "memory is taken");
    check(
        failure(CudaException.OUT_OF_MEMORY, () -> d.memAlloc(1L << 40))
            .getMessage()
            .contains("1099511627776 bytes"),
        "the size that was asked for is named");
    MemorySegment pinned = d.memHostAlloc(16, CudaDriver.MEMHOSTALLOC_PORTABLE);
    MemorySegment host = arena.allocate(16);
    for (int i = 0; i < 4; i++) {
      pinned.setAtIndex(ValueLayout.JAVA_INT, i, 10 + i);
    }
    d.memcpyHtoDAsync(x, pinned, 16, 0);
    d.memcpyDtoDAsync(x + 512, x, 16, 0);
    d.memsetD32Async(x + 516, 99, 2, 0);
    d.memcpyDtoHAsync(host, x + 512, 16, 0);
    d.streamSynchronize(0);
    int[] seen = host.toArray(ValueLayout.JAVA_INT);
    check(java.util.Arrays.equals(seen, new int[] {10, 99, 99, 13}), "copies");
    d.memFreeHost(pinned);
    d.memFree(x);
    failure(CudaException.INVALID_VALUE, () -> d.memFree(x));
  }

  private static void streams(CudaDriver d, Arena arena) {
    long a = d.streamCreate(CudaDriver.STREAM_NON_BLOCKING);
    long b = d.streamCreate(CudaDriver.STREAM_NON_BLOCKING);
    long start = d.eventCreate(0);
    long end = d.eventCreate(0);
    long x = d.memAlloc(4);
    MemorySegment host = arena.allocate(4);
    d.eventRecord(start, a);
    d.memsetD32Async(x, 7, 1, a);
    d.eventRecord(end, a);
    d.streamWaitEvent(b, end);
    d.memcpyDtoHAsync(host, x, 4, b);
    d.streamSynchronize(b);
    check(host.get(ValueLayout.JAVA_INT, 0) == 7, "an event orders streams");
    d.eventSynchronize(end);
    check(d.eventElapsedTime(start, end) >= 0, "time");
    d.eventDestroy(start);
    d.eventDestroy(end);
    d.streamDestroy(a);
    d.streamDestroy(b);
    d.memFree(x);
  }

  private static void matmul(CudaDriver d, long module, PtxModule ptx, Arena arena) {
    int n = 19;
    MemorySegment host = arena.allocate(4L * n * n, 16);
    for (int i = 0; i < n * n; i++) {
      host.setAtIndex(ValueLayout.JAVA_FLOAT, i, i % 7 - 3);
    }
    long x = d.memAlloc(4L * n * n);
    long y = d.memAlloc(4L * n * n);
    d.memcpyHtoDAsync(x, host, 4L * n * n, 0);
    long kernel = d.moduleGetFunction(module, "matmul");
    var arguments = KernelArguments.of("matmul", ptx.kernel("matmul").params(), arena);
    arguments.pointer(x).pointer(x).pointer(y).s32(n).s32(n).s32(n);
    d.launchKernel(kernel, 2, 2, 1, 16, 16, 1, 0, 0, arguments.segments());
    MemorySegment out = arena.allocate(4L * n * n, 16);
    d.memcpyDtoHAsync(out, y, 4L * n * n, 0);
    d.streamSynchronize(0);
    for (int i = 0; i < n * n; i++) {
      float sum = 0;
      for (int k = 0; k < n; k++) {
        sum += ((i / n * n + k) % 7 - 3) * ((k * n + i % n) % 7 - 3);
      }
      check(out.getAtIndex(ValueLayout.JAVA_FLOAT, i) == sum, "element " + i);
    }
    d.memFree(x);
    d.memFree(y);
  }

  private static void structure(CudaDriver d, long module, PtxModule ptx, Arena arena) {
    MemorySegment box = arena.allocate(24, 8);
    box.set(ValueLayout.JAVA_FLOAT, 0, 2);
    box.set(ValueLayout.JAVA_DOUBLE, 16, 0.5);
    long x = d.memAlloc(128);
    long y = d.memAlloc(128);
    d.memsetD32Async(x, Float.floatToIntBits(3), 32, 0);
    long kernel = d.moduleGetFunction(module, "addressing");
    d.funcSetAttribute(kernel, CudaDriver.FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000);
    var arguments = KernelArguments.of("addressing", ptx.kernel("addressing").params(), arena);
    arguments.struct(box).pointer(x).pointer(y).s32(32);
    d.launchKernel(kernel, 1, 1, 1, 32, 1, 1, 60000, 0, arguments.segments());
    MemorySegment out = arena.allocate(128, 16);
    d.memcpyDtoHAsync(out, y, 128, 0);
    d.streamSynchronize(0);
    for (int i = 0; i < 32; i++) {
      check(out.getAtIndex(ValueLayout.JAVA_FLOAT, i) == 6.5f * (0.5f + (i & 3)), "element " + i);
    }
    d.memFree(x);
    d.memFree(y);
  }
}
