package io.perflow.cuda.driver;

import static jcuda.driver.JCudaDriver.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUjit_option;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import jcuda.driver.JITOptions;

/**
 * The adapter of the driver API to JCuda. Each method makes one call and checks the result code;
 * the rest is the translation between longs and JCuda's objects, whose native value can be read by
 * a subclass but not set, so that the object of each handle is kept.
 */
final class JCudaAdapter implements CudaDriver {
  private static final int NAME_BYTES = 256;
  private static final int LOG_BYTES = 16 << 10;

  private final Map<Long, CUcontext> contexts = new ConcurrentHashMap<>();
  private final Map<Long, CUmodule> modules = new ConcurrentHashMap<>();
  private final Map<Long, CUfunction> functions = new ConcurrentHashMap<>();
  private final Map<Long, CUstream> streams = new ConcurrentHashMap<>();
  private final Map<Long, CUevent> events = new ConcurrentHashMap<>();

  JCudaAdapter() {
    // Result codes are read here, so that one exception type carries all errors.
    JCudaNatives.load(() -> JCudaDriver.setExceptionsEnabled(false));
  }

  private static final class Context extends CUcontext {
    long handle() {
      return getNativePointer();
    }
  }

  private static final class Module extends CUmodule {
    long handle() {
      return getNativePointer();
    }
  }

  private static final class Function extends CUfunction {
    long handle() {
      return getNativePointer();
    }
  }

  private static final class Stream extends CUstream {
    long handle() {
      return getNativePointer();
    }
  }

  private static final class Event extends CUevent {
    long handle() {
      return getNativePointer();
    }
  }

  private static final class DeviceAddress extends CUdeviceptr {
    DeviceAddress() {}

    DeviceAddress(long address) {
      super(new CUdeviceptr(), address);
    }

    long address() {
      return getNativePointer();
    }
  }

  private static final class HostAddress extends Pointer {
    HostAddress() {}

    HostAddress(long address) {
      super(address);
    }

    long address() {
      return getNativePointer();
    }
  }

  @Override
  public void init() {
    check("cuInit", cuInit(0));
  }

  @Override
  public int driverGetVersion() {
    int[] version = new int[1];
    check("cuDriverGetVersion", cuDriverGetVersion(version));
    return version[0];
  }

  @Override
  public int deviceGetCount() {
    int[] count = new int[1];
    check("cuDeviceGetCount", cuDeviceGetCount(count));
    return count[0];
  }

  @Override
  public int deviceGet(int ordinal) {
    check("cuDeviceGet", cuDeviceGet(new CUdevice(), ordinal));
    return ordinal;
  }

  @Override
  public String deviceGetName(int device) {
    byte[] name = new byte[NAME_BYTES];
    check("cuDeviceGetName", cuDeviceGetName(name, NAME_BYTES, device(device)));
    return text(name);
  }

  @Override
  public int deviceGetAttribute(int attribute, int device) {
    int[] value = new int[1];
    check("cuDeviceGetAttribute", cuDeviceGetAttribute(value, attribute, device(device)));
    return value[0];
  }

  @Override
  public long devicePrimaryCtxRetain(int device) {
    var context = new Context();
    check("cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain(context, device(device)));
    contexts.put(context.handle(), context);
    return context.handle();
  }

  @Override
  public void devicePrimaryCtxRelease(int device) {
    check("cuDevicePrimaryCtxRelease", cuDevicePrimaryCtxRelease(device(device)));
  }

  @Override
  public void ctxSetCurrent(long context) {
    CUcontext handle = context == 0 ? new CUcontext() : known(contexts, context, "context");
    check("cuCtxSetCurrent", cuCtxSetCurrent(handle));
  }

  @Override
  public long moduleLoadData(String ptx) {
    var module = new Module();
    byte[] text = Arrays.copyOf(ptx.getBytes(StandardCharsets.UTF_8), ptx.length() + 1);
    var options = new JITOptions();
    options.putInt(CUjit_option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, LOG_BYTES);
    options.putBytes(CUjit_option.CU_JIT_ERROR_LOG_BUFFER, new byte[LOG_BYTES]);
    int code = cuModuleLoadDataJIT(module, Pointer.to(text), options);
    check(
        "cuModuleLoadDataEx",
        code,
        code == 0 ? "" : text(options.getBytes(CUjit_option.CU_JIT_ERROR_LOG_BUFFER)).strip());
    modules.put(module.handle(), module);
    return module.handle();
  }

  @Override
  public long moduleGetFunction(long module, String name) {
    var function = new Function();
    CUmodule owner = known(modules, module, "module");
    check("cuModuleGetFunction", cuModuleGetFunction(function, owner, name), name);
    functions.put(function.handle(), function);
    return function.handle();
  }

  @Override
  public void moduleUnload(long module) {
    check("cuModuleUnload", cuModuleUnload(known(modules, module, "module")));
    modules.remove(module);
  }

  @Override
  public void funcSetAttribute(long function, int attribute, int value) {
    check(
        "cuFuncSetAttribute",
        cuFuncSetAttribute(known(functions, function, "function"), attribute, value));
  }

  @Override
  public long memAlloc(long bytes) {
    var address = new DeviceAddress();
    check("cuMemAlloc", cuMemAlloc(address, bytes), bytes + " bytes");
    return address.address();
  }

  @Override
  public void memFree(long address) {
    check("cuMemFree", cuMemFree(new DeviceAddress(address)));
  }

  @Override
  public MemInfo memGetInfo() {
    long[] free = new long[1];
    long[] total = new long[1];
    check("cuMemGetInfo", cuMemGetInfo(free, total));
    return new MemInfo(free[0], total[0]);
  }

  @Override
  @SuppressWarnings("restricted") // the driver guarantees the size that it was asked for
  public MemorySegment memHostAlloc(long bytes, int flags) {
    var address = new HostAddress();
    check("cuMemHostAlloc", cuMemHostAlloc(address, bytes, flags), bytes + " bytes");
    return MemorySegment.ofAddress(address.address()).reinterpret(bytes);
  }

  @Override
  public void memFreeHost(MemorySegment memory) {
    check("cuMemFreeHost", cuMemFreeHost(host(memory)));
  }

  @Override
  public void memcpyHtoDAsync(long to, MemorySegment from, long bytes, long stream) {
    check(
        "cuMemcpyHtoDAsync",
        cuMemcpyHtoDAsync(new DeviceAddress(to), host(from), bytes, stream(stream)));
  }

  @Override
  public void memcpyDtoHAsync(MemorySegment to, long from, long bytes, long stream) {
    check(
        "cuMemcpyDtoHAsync",
        cuMemcpyDtoHAsync(host(to), new DeviceAddress(from), bytes, stream(stream)));
  }

  @Override
  public void memcpyDtoDAsync(long to, long from, long bytes, long stream) {
    check(
        "cuMemcpyDtoDAsync",
        cuMemcpyDtoDAsync(new DeviceAddress(to), new DeviceAddress(from), bytes, stream(stream)));
  }

  @Override
  public void memsetD32Async(long to, int pattern, long words, long stream) {
    check(
        "cuMemsetD32Async",
        cuMemsetD32Async(new DeviceAddress(to), pattern, words, stream(stream)));
  }

  @Override
  public long streamCreate(int flags) {
    var stream = new Stream();
    check("cuStreamCreate", cuStreamCreate(stream, flags));
    streams.put(stream.handle(), stream);
    return stream.handle();
  }

  @Override
  public void streamDestroy(long stream) {
    check("cuStreamDestroy", cuStreamDestroy(stream(stream)));
    streams.remove(stream);
  }

  @Override
  public void streamSynchronize(long stream) {
    check("cuStreamSynchronize", cuStreamSynchronize(stream(stream)));
  }

  @Override
  public void streamWaitEvent(long stream, long event) {
    check("cuStreamWaitEvent", cuStreamWaitEvent(stream(stream), event(event), 0));
  }

  @Override
  public long eventCreate(int flags) {
    var event = new Event();
    check("cuEventCreate", cuEventCreate(event, flags));
    events.put(event.handle(), event);
    return event.handle();
  }

  @Override
  public void eventRecord(long event, long stream) {
    check("cuEventRecord", cuEventRecord(event(event), stream(stream)));
  }

  @Override
  public void eventSynchronize(long event) {
    check("cuEventSynchronize", cuEventSynchronize(event(event)));
  }

  @Override
  public float eventElapsedTime(long start, long end) {
    float[] milliseconds = new float[1];
    check("cuEventElapsedTime", cuEventElapsedTime(milliseconds, event(start), event(end)));
    return milliseconds[0];
  }

  @Override
  public void eventDestroy(long event) {
    check("cuEventDestroy", cuEventDestroy(event(event)));
    events.remove(event);
  }

  @Override
  public void launchKernel(
      long function,
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int blockZ,
      int sharedBytes,
      long stream,
      MemorySegment[] arguments) {
    CUfunction kernel = known(functions, function, "function");
    try (var arena = Arena.ofConfined()) {
      MemorySegment pointers = arena.allocate(ValueLayout.ADDRESS, Math.max(1, arguments.length));
      for (int i = 0; i < arguments.length; i++) {
        pointers.setAtIndex(ValueLayout.ADDRESS, i, arguments[i]);
      }
      int code =
          cuLaunchKernel(
              kernel,
              gridX,
              gridY,
              gridZ,
              blockX,
              blockY,
              blockZ,
              sharedBytes,
              stream(stream),
              host(pointers),
              null);
      check("cuLaunchKernel", code);
    }
  }

  @Override
  public String getErrorName(int code) {
    String[] name = new String[1];
    return cuGetErrorName(code, name) == 0 ? name[0] : "error " + code;
  }

  @Override
  public String getErrorString(int code) {
    String[] text = new String[1];
    return cuGetErrorString(code, text) == 0 ? text[0] : "unknown error";
  }

  private void check(String call, int code) {
    check(call, code, "");
  }

  private void check(String call, int code, String detail) {
    if (code != 0) {
      throw new CudaException(code, getErrorName(code), call, detail);
    }
  }

  private CUdevice device(int ordinal) {
    var device = new CUdevice();
    check("cuDeviceGet", cuDeviceGet(device, ordinal));
    return device;
  }

  private CUstream stream(long stream) {
    return stream == 0 ? new CUstream() : known(streams, stream, "stream");
  }

  @Override
  public Blas blas() {
    return Cublas.load(this::stream);
  }

  @Override
  public Fft fft() {
    return Cufft.load(this::stream);
  }

  private CUevent event(long event) {
    return known(events, event, "event");
  }

  private static Pointer host(MemorySegment memory) {
    if (!memory.isNative()) {
      throw new IllegalArgumentException(
          "host memory must be native (Arena.allocate or memHostAlloc), not a heap array");
    }
    return new HostAddress(memory.address());
  }

  private static <T> T known(Map<Long, T> objects, long handle, String what) {
    T object = objects.get(handle);
    if (object == null) {
      throw new IllegalArgumentException(
          "%#x is not a %s of this driver, or no longer one".formatted(handle, what));
    }
    return object;
  }

  private static String text(byte[] terminated) {
    int end = 0;
    while (end < terminated.length && terminated[end] != 0) {
      end++;
    }
    return new String(terminated, 0, end, StandardCharsets.UTF_8);
  }
}
