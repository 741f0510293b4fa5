package io.perflow.cuda.emulator;

import io.perflow.cuda.driver.CudaDriver;
import io.perflow.cuda.driver.CudaException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A CUDA device in plain Java: it runs PTX, and is stricter than hardware. New memory is full of
 * NaNs, accesses are checked for bounds, alignment and use after free, unordered accesses are races
 * whether or not they do harm this time, queued work runs as late as allowed, and a thread without
 * a current context is refused. Any call can be made to fail on purpose.
 *
 * <p>As on a device, what a kernel does wrong is reported by the call that waits for it, and the
 * context is unusable from then on. The cause of that {@link CudaException} is a {@link
 * KernelFault}.
 */
public final class EmulatedDriver implements CudaDriver {
  private static final int VERSION = 11080;
  private static final long CONTEXT = 0xC0;
  private static final int MULTIPROCESSORS = 16;
  private static final int CALLERS_NAMED = 5;
  private static final int REPORTS_KEPT = 4096;
  private static final String HOME = EmulatedDriver.class.getName();

  private final Settings settings;
  private final DeviceMemory memory;
  private final Streams streams = new Streams();
  private final Kernels kernels;
  private final HostMemory host = new HostMemory();
  private final Deque<LaunchReport> reports = new ArrayDeque<>();
  private final ThreadLocal<Long> current = ThreadLocal.withInitial(() -> 0L);
  private final Calls calls = new Calls();
  private boolean initialised;
  private int retained;
  private int nextBlock = 1;

  private EmulatedDriver(Settings settings) {
    this.settings = settings;
    this.memory = new DeviceMemory(settings.memory());
    this.kernels = new Kernels(memory, settings);
  }

  // ------------------------------------------------------------ what only the emulator has

  /** A device with lock-step schedule, all checks, 1 GiB of memory and compute capability 8.0. */
  public static EmulatedDriver create() {
    return builder().build();
  }

  /** A builder of devices. */
  public static Builder builder() {
    return new Builder();
  }

  /** Sets up an emulated device. */
  public static final class Builder {
    private Schedule schedule = Schedule.LOCK_STEP;
    private boolean races = true;
    private boolean counting;
    private long memory = 1L << 30;
    private int capability = 80;
    private long maxInstructions = 100_000_000_000L;

    private Builder() {}

    /** The order in which warps run. */
    public Builder schedule(Schedule value) {
      schedule = value;
      return this;
    }

    /** Whether to look for races and uninitialised shared memory; on unless switched off. */
    public Builder races(boolean value) {
      races = value;
      return this;
    }

    /** Whether to count memory sectors, bank conflicts and warps; off unless switched on. */
    public Builder counting(boolean value) {
      counting = value;
      return this;
    }

    /** Device memory in bytes. */
    public Builder memory(long bytes) {
      memory = bytes;
      return this;
    }

    /** The compute capability as in sm_70; PTX for a higher one is refused. */
    public Builder capability(int value) {
      capability = value;
      return this;
    }

    /** How many thread instructions a launch may take before it counts as endless. */
    public Builder maxInstructions(long value) {
      maxInstructions = value;
      return this;
    }

    /** The device. */
    public EmulatedDriver build() {
      return new EmulatedDriver(
          new Settings(schedule, races, counting, memory, capability, maxInstructions));
    }
  }

  /**
   * Makes the n-th call from now fail with a code, counting from 1; an empty name means any call.
   */
  public synchronized void failCall(String call, int n, int code) {
    calls.fail(call, n, code);
  }

  /** How many calls of the driver have been made. */
  public synchronized long calls() {
    return calls.made();
  }

  /** Resources that were made and not freed: memory with its origin, streams, events, modules. */
  public synchronized List<String> leaks() {
    var open = new ArrayList<String>();
    memory.live().stream().filter(a -> !kernels.owns(a)).forEach(a -> open.add(a.toString()));
    open.addAll(host.open());
    open.addAll(streams.open());
    open.addAll(kernels.open());
    return open;
  }

  /** The launches that have run since this was last called, the latest 4096 of them. */
  public synchronized List<LaunchReport> reports() {
    var copy = List.copyOf(reports);
    reports.clear();
    return copy;
  }

  // ------------------------------------------------------------ initialisation and devices

  @Override
  public synchronized void init() {
    calls.enter("cuInit");
    initialised = true;
  }

  @Override
  public synchronized int driverGetVersion() {
    calls.enter("cuDriverGetVersion");
    return VERSION;
  }

  @Override
  public synchronized int deviceGetCount() {
    enter("cuDeviceGetCount");
    return 1;
  }

  @Override
  public synchronized int deviceGet(int ordinal) {
    enter("cuDeviceGet");
    demand(ordinal == 0, CudaException.INVALID_DEVICE, "cuDeviceGet", "device " + ordinal);
    return 0;
  }

  @Override
  public synchronized String deviceGetName(int device) {
    enter("cuDeviceGetName");
    return "emulated sm_" + settings.capability();
  }

  @Override
  public synchronized int deviceGetAttribute(int attribute, int device) {
    enter("cuDeviceGetAttribute");
    return switch (attribute) {
      case MAX_THREADS_PER_BLOCK -> Kernels.MAX_THREADS;
      case MAX_SHARED_MEMORY_PER_BLOCK -> Kernels.SHARED;
      case MAX_SHARED_MEMORY_PER_BLOCK_OPTIN -> Kernels.SHARED_OPT_IN;
      case WARP_SIZE -> Clock.WARP;
      case MULTIPROCESSOR_COUNT -> MULTIPROCESSORS;
      case COMPUTE_CAPABILITY_MAJOR -> settings.capability() / 10;
      case COMPUTE_CAPABILITY_MINOR -> settings.capability() % 10;
      default ->
          throw Calls.error(
              CudaException.INVALID_VALUE, "cuDeviceGetAttribute", "attribute " + attribute);
    };
  }

  // ------------------------------------------------------------ contexts

  @Override
  public synchronized long devicePrimaryCtxRetain(int device) {
    enter("cuDevicePrimaryCtxRetain");
    retained++;
    return CONTEXT;
  }

  @Override
  public synchronized void devicePrimaryCtxRelease(int device) {
    enter("cuDevicePrimaryCtxRelease");
    demand(
        retained > 0, CudaException.INVALID_CONTEXT, "cuDevicePrimaryCtxRelease", "not retained");
    if (--retained == 0) {
      run("cuDevicePrimaryCtxRelease", streams::synchronizeAll);
    }
  }

  @Override
  public synchronized void ctxSetCurrent(long context) {
    enter("cuCtxSetCurrent");
    demand(
        context == 0 || context == CONTEXT && retained > 0,
        CudaException.INVALID_CONTEXT,
        "cuCtxSetCurrent",
        "%#x is not retained".formatted(context));
    current.set(context);
  }

  // ------------------------------------------------------------ modules

  @Override
  public synchronized long moduleLoadData(String ptx) {
    enterContext("cuModuleLoadDataEx");
    return kernels.load(ptx, "cuModuleLoadDataEx");
  }

  @Override
  public synchronized long moduleGetFunction(long module, String name) {
    enterContext("cuModuleGetFunction");
    return kernels.function(module, name, "cuModuleGetFunction");
  }

  @Override
  public synchronized void moduleUnload(long module) {
    enterContext("cuModuleUnload");
    run("cuModuleUnload", streams::synchronizeAll);
    kernels.unload(module, "cuModuleUnload");
  }

  @Override
  public synchronized void funcSetAttribute(long function, int attribute, int value) {
    String call = "cuFuncSetAttribute";
    enterContext(call);
    Kernels.Function f = kernels.known(function, call);
    int limit = Kernels.SHARED_OPT_IN - f.program.staticSharedBytes;
    demand(
        attribute == FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES && value >= 0 && value <= limit,
        CudaException.INVALID_VALUE,
        call,
        "attribute %d = %d".formatted(attribute, value));
    f.dynamicLimit = Math.max(Kernels.SHARED, value + f.program.staticSharedBytes);
  }

  // ------------------------------------------------------------ memory

  @Override
  public synchronized long memAlloc(long bytes) {
    enterContext("cuMemAlloc");
    demand(bytes > 0, CudaException.INVALID_VALUE, "cuMemAlloc", bytes + " bytes");
    Allocation made = memory.allocate(bytes, origin());
    demand(
        made != null,
        CudaException.OUT_OF_MEMORY,
        "cuMemAlloc",
        "%d bytes, %d of %d used".formatted(bytes, memory.used(), memory.capacity()));
    return made.base;
  }

  @Override
  public synchronized void memFree(long address) {
    enterContext("cuMemFree");
    run("cuMemFree", streams::synchronizeAll);
    demand(
        memory.free(address, origin()),
        CudaException.INVALID_VALUE,
        "cuMemFree",
        "%#x is not the beginning of live memory".formatted(address));
  }

  @Override
  public synchronized MemInfo memGetInfo() {
    enterContext("cuMemGetInfo");
    return new MemInfo(memory.capacity() - memory.used(), memory.capacity());
  }

  @Override
  public synchronized MemorySegment memHostAlloc(long bytes, int flags) {
    enterContext("cuMemHostAlloc");
    return host.allocate(bytes, origin());
  }

  @Override
  public synchronized void memFreeHost(MemorySegment pinned) {
    enterContext("cuMemFreeHost");
    demand(host.free(pinned), CudaException.INVALID_VALUE, "cuMemFreeHost", "not pinned memory");
  }

  @Override
  public synchronized void memcpyHtoDAsync(long to, MemorySegment from, long bytes, long stream) {
    String call = "cuMemcpyHtoDAsync";
    enterContext(call);
    HostMemory.check(from, bytes, call);
    Allocation a = target(to, bytes, call);
    add(stream, call, () -> HostMemory.read(from, a.data, (int) (to - a.base), (int) bytes, call));
  }

  @Override
  public synchronized void memcpyDtoHAsync(MemorySegment to, long from, long bytes, long stream) {
    String call = "cuMemcpyDtoHAsync";
    enterContext(call);
    HostMemory.check(to, bytes, call);
    Allocation a = target(from, bytes, call);
    // Undefined until the copy has run, so that a reader that does not wait finds no old values.
    HostMemory.poison(to.asSlice(0, bytes));
    add(stream, call, () -> HostMemory.write(a.data, (int) (from - a.base), to, (int) bytes, call));
  }

  @Override
  public synchronized void memcpyDtoDAsync(long to, long from, long bytes, long stream) {
    String call = "cuMemcpyDtoDAsync";
    enterContext(call);
    Allocation a = target(to, bytes, call);
    Allocation b = target(from, bytes, call);
    demand(
        to + bytes <= from || from + bytes <= to,
        CudaException.INVALID_VALUE,
        call,
        "the ranges overlap");
    add(
        stream,
        call,
        () ->
            System.arraycopy(
                b.data, (int) (from - b.base), a.data, (int) (to - a.base), (int) bytes));
  }

  @Override
  public synchronized void memsetD32Async(long to, int pattern, long words, long stream) {
    String call = "cuMemsetD32Async";
    enterContext(call);
    Allocation a = target(to, 4 * words, call);
    demand(to % 4 == 0, CudaException.INVALID_VALUE, call, "%#x is not aligned".formatted(to));
    add(
        stream,
        call,
        () -> {
          int start = (int) (to - a.base);
          for (int i = 0; i < words; i++) {
            Transfers.INT.set(a.data, start + 4 * i, pattern);
          }
        });
  }

  // ------------------------------------------------------------ streams and events

  @Override
  public synchronized long streamCreate(int flags) {
    enterContext("cuStreamCreate");
    return streams.create((flags & STREAM_NON_BLOCKING) == 0);
  }

  @Override
  public synchronized void streamDestroy(long stream) {
    enterStream("cuStreamDestroy", stream);
    demand(stream != 0, CudaException.INVALID_HANDLE, "cuStreamDestroy", "the default stream");
    streams.destroy(stream);
  }

  @Override
  public synchronized void streamSynchronize(long stream) {
    enterStream("cuStreamSynchronize", stream);
    run("cuStreamSynchronize", () -> streams.synchronize(stream));
  }

  @Override
  public synchronized void streamWaitEvent(long stream, long event) {
    enterStream("cuStreamWaitEvent", stream);
    checkEvent(event, "cuStreamWaitEvent");
    streams.await(stream, event);
  }

  @Override
  public synchronized long eventCreate(int flags) {
    enterContext("cuEventCreate");
    return streams.createEvent((flags & EVENT_DISABLE_TIMING) == 0);
  }

  @Override
  public synchronized void eventRecord(long event, long stream) {
    enterStream("cuEventRecord", stream);
    checkEvent(event, "cuEventRecord");
    streams.record(event, stream);
  }

  @Override
  public synchronized void eventSynchronize(long event) {
    enterContext("cuEventSynchronize");
    checkEvent(event, "cuEventSynchronize");
    run("cuEventSynchronize", () -> streams.synchronizeEvent(event));
  }

  @Override
  public synchronized float eventElapsedTime(long start, long end) {
    String call = "cuEventElapsedTime";
    enterContext(call);
    checkEvent(start, call);
    checkEvent(end, call);
    float milliseconds = streams.elapsed(start, end);
    demand(
        !Float.isNaN(milliseconds),
        CudaException.NOT_READY,
        call,
        "an event has not been reached or keeps no time");
    return milliseconds;
  }

  @Override
  public synchronized void eventDestroy(long event) {
    enterContext("cuEventDestroy");
    checkEvent(event, "cuEventDestroy");
    streams.destroyEvent(event);
  }

  // ------------------------------------------------------------ launch

  @Override
  public synchronized void launchKernel(
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
    String call = "cuLaunchKernel";
    enterStream(call, stream);
    Kernels.Function f = kernels.known(function, call);
    byte[] packed = Kernels.pack(f.program, arguments, call);
    var launch = new Launch(gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, packed);
    kernels.check(f, launch, call);
    add(stream, call, () -> execute(f.program, launch));
  }

  private void execute(Program program, Launch launch) {
    Frame frame = kernels.frame(program, launch);
    var execution =
        new Execution(
            frame, launch, settings.schedule(), settings.counting(), settings.maxInstructions());
    int first = nextBlock;
    nextBlock = Math.toIntExact(first + launch.blocks());
    reports.add(execution.run(first));
    if (reports.size() > REPORTS_KEPT) {
      reports.removeFirst();
    }
  }

  // ------------------------------------------------------------ errors

  @Override
  public String getErrorName(int code) {
    return Calls.name(code);
  }

  @Override
  public String getErrorString(int code) {
    return Calls.name(code).replace("CUDA_ERROR_", "").replace('_', ' ').toLowerCase();
  }

  private void enter(String call) {
    calls.enter(call);
    demand(initialised, CudaException.NOT_INITIALIZED, call, "call cuInit first");
  }

  private void enterContext(String call) {
    enter(call);
    demand(
        current.get() == CONTEXT && retained > 0,
        CudaException.INVALID_CONTEXT,
        call,
        "no context is current for " + Thread.currentThread().getName());
  }

  private void enterStream(String call, long stream) {
    enterContext(call);
    demand(
        streams.known(stream),
        CudaException.INVALID_HANDLE,
        call,
        "no stream %#x".formatted(stream));
  }

  private void add(long stream, String call, Runnable work) {
    demand(
        streams.known(stream),
        CudaException.INVALID_HANDLE,
        call,
        "no stream %#x".formatted(stream));
    streams.add(stream, work);
  }

  /** Runs queued work; what goes wrong there breaks the context. */
  private void run(String call, Runnable work) {
    try {
      work.run();
    } catch (KernelFault fault) {
      streams.abandon();
      throw calls.breakContext(call, fault);
    }
  }

  private void checkEvent(long event, String call) {
    demand(
        streams.knownEvent(event),
        CudaException.INVALID_HANDLE,
        call,
        "no event %#x".formatted(event));
  }

  private Allocation target(long address, long bytes, String call) {
    Allocation a = memory.find(address, bytes);
    demand(
        a != null,
        CudaException.INVALID_VALUE,
        call,
        "%d bytes at %#x are not live device memory".formatted(bytes, address));
    return a;
  }

  private static void demand(boolean ok, int code, String call, String detail) {
    if (!ok) {
      throw Calls.error(code, call, detail);
    }
  }

  /** The callers outside of the emulator, nearest first. */
  private static String origin() {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames
                    .filter(f -> !f.getClassName().equals(HOME))
                    .limit(CALLERS_NAMED)
                    .map(StackWalker.StackFrame::toString)
                    .collect(Collectors.joining(" < ")));
  }
}
