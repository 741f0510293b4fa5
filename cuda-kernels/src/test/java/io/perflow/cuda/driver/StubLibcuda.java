package io.perflow.cuda.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.perflow.cuda.emulator.EmulatedDriver;
import io.perflow.cuda.emulator.ptx.PtxModule;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A shared library with the name and the functions of the NVIDIA driver, which call back into the
 * emulated device: what stands between {@link CudaDriver} and a device is then JCuda's own native
 * code. Loading it is for the life of a process, so it is used in one of its own.
 *
 * <p>Every method whose name begins with {@code cu} is a function of the library.
 */
@SuppressWarnings("restricted") // native code calls back, and its pointers have no size
final class StubLibcuda {
  private static final EmulatedDriver DEVICE = EmulatedDriver.create();
  private static final Map<Long, PtxModule> MODULES = new ConcurrentHashMap<>();
  private static final Map<Long, List<Param>> PARAMETERS = new ConcurrentHashMap<>();
  private static final Map<Integer, MemorySegment> TEXTS = new HashMap<>();
  private static final int ERROR_LOG = 5;
  private static final int ERROR_LOG_BYTES = 6;
  private static final int MOST_ARGUMENTS = 11;

  private StubLibcuda() {}

  static EmulatedDriver device() {
    return DEVICE;
  }

  /** Compiles and loads the library; false when there is no C compiler. */
  static boolean load(Path directory) throws Exception {
    List<Method> functions =
        Arrays.stream(StubLibcuda.class.getDeclaredMethods())
            .filter(m -> m.getName().startsWith("cu"))
            .sorted(Comparator.comparing(Method::getName))
            .toList();
    Path source = directory.resolve("stub.c");
    Path library = directory.resolve("libcuda.so.1");
    Files.writeString(source, source(functions));
    if (!compile(source, library)) {
      return false;
    }
    System.load(library.toString());
    MemorySegment table =
        SymbolLookup.libraryLookup(library, Arena.global())
            .findOrThrow("stub_table")
            .reinterpret(ADDRESS.byteSize() * functions.size());
    for (int i = 0; i < functions.size(); i++) {
      table.setAtIndex(ADDRESS, i, upcall(functions.get(i)));
    }
    return true;
  }

  /** Each function hands all the words it may have been given to the entry of the table. */
  private static String source(List<Method> functions) {
    String words = "long a,long b,long c,long d,long e,long f,long g,long h,long i,long j,long k";
    var text = new StringBuilder("typedef int (*call)(" + words + ");\n");
    text.append("call stub_table[%d];\n".formatted(functions.size()));
    for (int n = 0; n < functions.size(); n++) {
      text.append(
          "int %s(%s) { return stub_table[%d](a, b, c, d, e, f, g, h, i, j, k); }\n"
              .formatted(functions.get(n).getName(), words, n));
      if (functions.get(n).getParameterCount() > MOST_ARGUMENTS) {
        throw new IllegalStateException(functions.get(n) + " has too many arguments");
      }
    }
    return text.toString();
  }

  private static boolean compile(Path source, Path library) throws InterruptedException {
    try {
      Process compiler =
          new ProcessBuilder(
                  "cc",
                  "-shared",
                  "-fPIC",
                  "-O1",
                  "-Wl,-soname,libcuda.so.1",
                  "-o",
                  library.toString(),
                  source.toString())
              .inheritIO()
              .start();
      return compiler.waitFor(120, TimeUnit.SECONDS) && compiler.exitValue() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static MemorySegment upcall(Method m) throws IllegalAccessException {
    MemoryLayout[] arguments =
        Arrays.stream(m.getParameterTypes())
            .map(t -> t == int.class ? JAVA_INT : t == long.class ? JAVA_LONG : ADDRESS)
            .toArray(MemoryLayout[]::new);
    return Linker.nativeLinker()
        .upcallStub(
            MethodHandles.lookup().unreflect(m),
            FunctionDescriptor.of(JAVA_INT, arguments),
            Arena.global());
  }

  // ------------------------------------------------------------ translation

  private interface Call {
    void make();
  }

  private static int code(Call call) {
    try {
      call.make();
      return 0;
    } catch (CudaException e) {
      return e.code();
    }
  }

  private static int put(MemorySegment to, LongSupplier value) {
    return code(() -> to.reinterpret(8).set(JAVA_LONG, 0, value.getAsLong()));
  }

  private static int putInt(MemorySegment to, LongSupplier value) {
    return code(() -> to.reinterpret(4).set(JAVA_INT, 0, (int) value.getAsLong()));
  }

  private static void text(MemorySegment to, String text, long size) {
    byte[] bytes = Arrays.copyOf(text.getBytes(StandardCharsets.UTF_8), text.length() + 1);
    MemorySegment.copy(
        bytes, 0, to.reinterpret(size), JAVA_BYTE, 0, Math.min(bytes.length, (int) size));
  }

  private static String text(MemorySegment from) {
    return from.reinterpret(Long.MAX_VALUE).getString(0);
  }

  private static int constant(int key, String text, MemorySegment to) {
    MemorySegment kept = TEXTS.computeIfAbsent(key, k -> Arena.global().allocateFrom(text));
    to.reinterpret(8).set(ADDRESS, 0, kept);
    return 0;
  }

  // ------------------------------------------------------------ the functions

  static int cuInit(int flags) {
    return code(DEVICE::init);
  }

  static int cuDriverGetVersion(MemorySegment version) {
    return putInt(version, DEVICE::driverGetVersion);
  }

  static int cuDeviceGetCount(MemorySegment count) {
    return putInt(count, DEVICE::deviceGetCount);
  }

  static int cuDeviceGet(MemorySegment device, int ordinal) {
    return putInt(device, () -> DEVICE.deviceGet(ordinal));
  }

  static int cuDeviceGetName(MemorySegment name, int size, int device) {
    return code(() -> text(name, DEVICE.deviceGetName(device), size));
  }

  static int cuDeviceGetAttribute(MemorySegment value, int attribute, int device) {
    return putInt(value, () -> DEVICE.deviceGetAttribute(attribute, device));
  }

  static int cuDevicePrimaryCtxRetain(MemorySegment context, int device) {
    return put(context, () -> DEVICE.devicePrimaryCtxRetain(device));
  }

  static int cuDevicePrimaryCtxRelease_v2(int device) {
    return code(() -> DEVICE.devicePrimaryCtxRelease(device));
  }

  static int cuCtxSetCurrent(long context) {
    return code(() -> DEVICE.ctxSetCurrent(context));
  }

  static int cuModuleLoadDataEx(
      MemorySegment module, MemorySegment image, int n, MemorySegment keys, MemorySegment values) {
    String ptx = text(image);
    try {
      long handle = DEVICE.moduleLoadData(ptx);
      MODULES.put(handle, PtxModule.parse(ptx));
      module.reinterpret(8).set(JAVA_LONG, 0, handle);
      return 0;
    } catch (CudaException e) {
      long size = 0;
      MemorySegment log = MemorySegment.NULL;
      for (int i = 0; i < n; i++) {
        int key = keys.reinterpret(4L * n).getAtIndex(JAVA_INT, i);
        MemorySegment value = values.reinterpret(8L * n).getAtIndex(ADDRESS, i);
        size = key == ERROR_LOG_BYTES ? (int) value.address() : size;
        log = key == ERROR_LOG ? value : log;
      }
      text(log, e.getMessage(), size);
      return e.code();
    }
  }

  static int cuModuleGetFunction(MemorySegment function, long module, MemorySegment name) {
    return put(
        function,
        () -> {
          long handle = DEVICE.moduleGetFunction(module, text(name));
          PARAMETERS.put(handle, MODULES.get(module).kernel(text(name)).params());
          return handle;
        });
  }

  static int cuModuleUnload(long module) {
    return code(() -> DEVICE.moduleUnload(module));
  }

  static int cuFuncSetAttribute(long function, int attribute, int value) {
    return code(() -> DEVICE.funcSetAttribute(function, attribute, value));
  }

  static int cuMemAlloc_v2(MemorySegment address, long bytes) {
    return put(address, () -> DEVICE.memAlloc(bytes));
  }

  static int cuMemFree_v2(long address) {
    return code(() -> DEVICE.memFree(address));
  }

  static int cuMemGetInfo_v2(MemorySegment free, MemorySegment total) {
    return code(
        () -> {
          CudaDriver.MemInfo info = DEVICE.memGetInfo();
          free.reinterpret(8).set(JAVA_LONG, 0, info.free());
          total.reinterpret(8).set(JAVA_LONG, 0, info.total());
        });
  }

  static int cuMemHostAlloc(MemorySegment address, long bytes, int flags) {
    return put(address, () -> DEVICE.memHostAlloc(bytes, flags).address());
  }

  static int cuMemFreeHost(long address) {
    return code(() -> DEVICE.memFreeHost(MemorySegment.ofAddress(address)));
  }

  static int cuMemcpyHtoDAsync_v2(long to, MemorySegment from, long bytes, long stream) {
    return code(() -> DEVICE.memcpyHtoDAsync(to, from.reinterpret(bytes), bytes, stream));
  }

  static int cuMemcpyDtoHAsync_v2(MemorySegment to, long from, long bytes, long stream) {
    return code(() -> DEVICE.memcpyDtoHAsync(to.reinterpret(bytes), from, bytes, stream));
  }

  static int cuMemcpyDtoDAsync_v2(long to, long from, long bytes, long stream) {
    return code(() -> DEVICE.memcpyDtoDAsync(to, from, bytes, stream));
  }

  static int cuMemsetD32Async(long to, int pattern, long words, long stream) {
    return code(() -> DEVICE.memsetD32Async(to, pattern, words, stream));
  }

  static int cuStreamCreate(MemorySegment stream, int flags) {
    return put(stream, () -> DEVICE.streamCreate(flags));
  }

  static int cuStreamDestroy_v2(long stream) {
    return code(() -> DEVICE.streamDestroy(stream));
  }

  static int cuStreamSynchronize(long stream) {
    return code(() -> DEVICE.streamSynchronize(stream));
  }

  static int cuStreamWaitEvent(long stream, long event, int flags) {
    return code(() -> DEVICE.streamWaitEvent(stream, event));
  }

  static int cuEventCreate(MemorySegment event, int flags) {
    return put(event, () -> DEVICE.eventCreate(flags));
  }

  static int cuEventRecord(long event, long stream) {
    return code(() -> DEVICE.eventRecord(event, stream));
  }

  static int cuEventSynchronize(long event) {
    return code(() -> DEVICE.eventSynchronize(event));
  }

  static int cuEventElapsedTime(MemorySegment milliseconds, long start, long end) {
    return code(
        () -> milliseconds.reinterpret(4).set(JAVA_FLOAT, 0, DEVICE.eventElapsedTime(start, end)));
  }

  static int cuEventDestroy_v2(long event) {
    return code(() -> DEVICE.eventDestroy(event));
  }

  static int cuLaunchKernel(
      long function,
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int blockZ,
      int shared,
      long stream,
      MemorySegment parameters,
      MemorySegment extra) {
    List<Param> params = PARAMETERS.getOrDefault(function, List.of());
    MemorySegment pointers = parameters.reinterpret(8L * params.size());
    MemorySegment[] arguments = new MemorySegment[params.size()];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = pointers.getAtIndex(ADDRESS, i).reinterpret(params.get(i).bytes());
    }
    return code(
        () ->
            DEVICE.launchKernel(
                function, gridX, gridY, gridZ, blockX, blockY, blockZ, shared, stream, arguments));
  }

  static int cuGetErrorName(int code, MemorySegment name) {
    return constant(2 * code, DEVICE.getErrorName(code), name);
  }

  static int cuGetErrorString(int code, MemorySegment text) {
    return constant(2 * code + 1, DEVICE.getErrorString(code), text);
  }
}
