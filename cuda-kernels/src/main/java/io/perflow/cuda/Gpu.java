package io.perflow.cuda;

import io.perflow.cuda.driver.Blas;
import io.perflow.cuda.driver.CudaDriver;
import io.perflow.cuda.driver.CudaException;
import io.perflow.cuda.driver.Fft;
import io.perflow.cuda.driver.KernelArguments;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * A device in use: its context, one stream in which everything runs in the order of the calls, its
 * kernels and its memory. Only {@link #download} waits for the device.
 */
final class Gpu {
  private final CudaDriver driver;
  private final int handle;
  private final String name;
  private final long context;
  private final long stream;
  private final KernelLibrary kernels;
  private final MemoryPool pool;
  private final Staging staging;
  // Each device has its own cleaner, so that the memory of an idle one never waits for a busy one.
  private final Cleaner cleaner = Cleaner.create();
  private final List<Runnable> beforeClose = new CopyOnWriteArrayList<>();
  private Device device;

  private final AtomicLong launches = new AtomicLong();
  private final AtomicLong operandBytes = new AtomicLong();
  private final AtomicLong uploadedBytes = new AtomicLong();
  private final AtomicLong downloadedBytes = new AtomicLong();

  /** Opens device number {@code ordinal} of an initialised driver. */
  Gpu(CudaDriver driver, int ordinal, String name) {
    this.driver = driver;
    this.name = name;
    handle = driver.deviceGet(ordinal);
    context = driver.devicePrimaryCtxRetain(handle);
    driver.ctxSetCurrent(context);
    stream = driver.streamCreate(CudaDriver.STREAM_NON_BLOCKING);
    kernels = new KernelLibrary(driver);
    pool = new MemoryPool(driver, stream, name);
    staging = new Staging(driver, stream);
  }

  /** Links device and backend, which refer to each other; called once both exist. */
  void named(Device self) {
    device = self;
  }

  Device device() {
    return device;
  }

  /** Returns name, architecture and driver in one line. */
  String describe() {
    int version = driver.driverGetVersion();
    return "%s, sm_%d%d, %d multiprocessors, driver of CUDA %d.%d, own PTX kernels"
        .formatted(
            driver.deviceGetName(handle),
            driver.deviceGetAttribute(CudaDriver.COMPUTE_CAPABILITY_MAJOR, handle),
            driver.deviceGetAttribute(CudaDriver.COMPUTE_CAPABILITY_MINOR, handle),
            driver.deviceGetAttribute(CudaDriver.MULTIPROCESSOR_COUNT, handle),
            version / 1000,
            version % 1000 / 10);
  }

  // ---- kernels

  /** Queues a kernel of a file. A grid without blocks launches nothing. */
  void launch(String file, String kernel, Grid grid, Consumer<Arguments> arguments) {
    if (grid.x() == 0 || grid.y() == 0 || grid.z() == 0) {
      return;
    }
    driver.ctxSetCurrent(context);
    KernelLibrary.Kernel found = kernels.kernel(file, kernel);
    try (Arena arena = Arena.ofConfined()) {
      Arguments list = new Arguments(KernelArguments.of(kernel, found.params(), arena));
      arguments.accept(list);
      driver.launchKernel(
          found.function(),
          grid.x(),
          grid.y(),
          grid.z(),
          grid.threads(),
          1,
          1,
          grid.sharedBytes(),
          stream,
          list.segments());
      list.keepReachable();
      launches.incrementAndGet();
      operandBytes.addAndGet(list.operandBytes());
    } catch (CudaException e) {
      throw new IllegalStateException(
          "[cuda] kernel %s of %s.ptx, %s, on %s: %s"
              .formatted(kernel, file, grid, describe(), e.getMessage()),
          e);
    }
  }

  /** Returns cuBLAS for this device. */
  Blas blas() {
    driver.ctxSetCurrent(context);
    return driver.blas();
  }

  /** Returns cuFFT for this device. */
  Fft fft() {
    driver.ctxSetCurrent(context);
    return driver.fft();
  }

  /** Queues the call of a library in the given stream, as one launch with these operands. */
  void queue(LongConsumer call, Tensor... operands) {
    driver.ctxSetCurrent(context);
    call.accept(stream);
    launches.incrementAndGet();
    for (Tensor operand : operands) {
      operandBytes.addAndGet((long) operand.size() * operand.type().bytes());
      Reference.reachabilityFence(operand.storage());
    }
  }

  /** Returns the ending of the kernels for a type. */
  static String suffix(DataType type) {
    return switch (type) {
      case F32 -> "_f32";
      case F64 -> "_f64";
    };
  }

  /** Sets every element of a range of memory. */
  void fill(long address, DataType type, int count, double value) {
    launch(
        "elementwise",
        "fill" + suffix(type),
        Grid.threads(count),
        a -> a.address(address).number(type, value).ints(count));
  }

  // ---- memory

  MemoryPool.Block take(long bytes) {
    driver.ctxSetCurrent(context);
    return pool.take(bytes);
  }

  void give(MemoryPool.Block block) {
    driver.ctxSetCurrent(context);
    pool.give(block);
  }

  /**
   * Returns a block to the pool when {@code user} has become unreachable, or as soon as the result
   * is cleaned. The action refers to the device and the block only: {@code user} stays collectable.
   */
  Cleaner.Cleanable giveAfter(Object user, MemoryPool.Block block) {
    return cleaner.register(user, () -> give(block));
  }

  /** Takes memory for the duration of one operation. */
  Scratch scratch(long bytes) {
    return new Scratch(this, bytes);
  }

  /** Returns new memory in the thread's scope, if one is open. */
  CudaStorage storage(DataType type, int size) {
    return adopted(CudaStorage.allocate(this, type, size));
  }

  private static CudaStorage adopted(CudaStorage storage) {
    if (Scope.isOpen()) {
      Scope.adopt(storage);
    }
    return storage;
  }

  /** Returns a new tensor laid out as {@code layout}, which is dense from 0. */
  Tensor fresh(DataType type, Layout layout) {
    return Tensor.over(storage(type, layout.shape().size()), layout);
  }

  /** Returns a new row-major tensor. */
  Tensor fresh(DataType type, Shape shape) {
    return fresh(type, Layout.contiguous(shape));
  }

  /** Returns a tensor of one number, which takes no memory until a kernel needs its address. */
  Tensor constant(DataType type, Shape shape, double value) {
    CudaStorage storage = CudaStorage.constant(this, type, shape.size(), value);
    return Tensor.over(adopted(storage), Layout.contiguous(shape));
  }

  /** Queues the copy of a heap segment to the device. */
  void upload(MemorySegment from, long to) {
    driver.ctxSetCurrent(context);
    staging.upload(from, to);
    uploadedBytes.addAndGet(from.byteSize());
  }

  /** Copies a row-major tensor to a heap segment after all work queued before. */
  void download(Tensor from, MemorySegment to) {
    driver.ctxSetCurrent(context);
    long address = CudaStorage.of(from).address();
    long offset = (long) from.layout().offset() * from.type().bytes();
    staging.download(address + offset, to);
    downloadedBytes.addAndGet(to.byteSize());
    Reference.reachabilityFence(from.storage());
  }

  // ---- counters

  Traffic traffic() {
    return new Traffic(
        launches.get(), operandBytes.get(), uploadedBytes.get(), downloadedBytes.get());
  }

  Set<String> kernelsUsed() {
    return kernels.used();
  }

  long usedBytes() {
    return pool.usedBytes();
  }

  List<String> memoryInUse() {
    return pool.places();
  }

  long peakBytes() {
    return pool.peakBytes();
  }

  /** Waits until everything queued has run. */
  void synchronize() {
    driver.ctxSetCurrent(context);
    driver.streamSynchronize(stream);
  }

  /**
   * Registers an action that {@link #close} runs once all work is done, while the context still
   * exists.
   */
  void beforeClose(Runnable action) {
    beforeClose.add(action);
  }

  /** Releases everything; no tensor of the device may be used afterwards. */
  void close() {
    synchronize();
    beforeClose.forEach(Runnable::run);
    staging.close();
    kernels.close();
    pool.trim();
    driver.streamDestroy(stream);
    driver.devicePrimaryCtxRelease(handle);
  }

  @Override
  public String toString() {
    return name;
  }
}
