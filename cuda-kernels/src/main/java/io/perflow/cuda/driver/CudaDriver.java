package io.perflow.cuda.driver;

import java.lang.foreign.MemorySegment;

/**
 * The part of the CUDA driver API that the backend calls, one method for each function and nothing
 * more: {@code cuMemAlloc} is {@link #memAlloc}, results are returned instead of written through a
 * pointer, and a result code other than success becomes a {@link CudaException} that names the
 * call.
 *
 * <p>Handles (contexts, modules, functions, streams, events) and device addresses are plain longs.
 * Host memory is a native {@link MemorySegment}; heap segments are refused, because the collector
 * may move them under a copy. Stream 0 is the default stream, which waits for all others made
 * without {@link #STREAM_NON_BLOCKING} and which they wait for.
 *
 * <p>As in CUDA, a context is current for one thread: a thread calls {@link #ctxSetCurrent} before
 * anything from {@link #moduleLoadData} on.
 *
 * <p>There are two implementations: the one over JCuda for a real device, and the emulated device
 * in a module of its own, which runs the same PTX in Java. No logic belongs in either that the
 * other would have to repeat.
 */
public interface CudaDriver {
  /** A flag of {@link #streamCreate}: the stream does not wait for the default stream. */
  int STREAM_NON_BLOCKING = 1;

  /** A flag of {@link #eventCreate}: the event keeps no time, so waiting for it is cheaper. */
  int EVENT_DISABLE_TIMING = 2;

  /** A flag of {@link #memHostAlloc}: the memory is pinned for all contexts. */
  int MEMHOSTALLOC_PORTABLE = 1;

  /** An attribute for {@link #deviceGetAttribute}: the largest number of threads of a block. */
  int MAX_THREADS_PER_BLOCK = 1;

  /**
   * An attribute for {@link #deviceGetAttribute}: the shared memory of a block in bytes, without
   * opting in for more.
   */
  int MAX_SHARED_MEMORY_PER_BLOCK = 8;

  /**
   * An attribute for {@link #deviceGetAttribute}: the threads of a warp, 32 on every device so far.
   */
  int WARP_SIZE = 10;

  /** An attribute for {@link #deviceGetAttribute}: the number of multiprocessors. */
  int MULTIPROCESSOR_COUNT = 16;

  /**
   * An attribute for {@link #deviceGetAttribute}: the major part of the compute capability, 8 for
   * sm_86.
   */
  int COMPUTE_CAPABILITY_MAJOR = 75;

  /**
   * An attribute for {@link #deviceGetAttribute}: the minor part of the compute capability, 6 for
   * sm_86.
   */
  int COMPUTE_CAPABILITY_MINOR = 76;

  /**
   * An attribute for {@link #deviceGetAttribute}: the shared memory of a block in bytes for a
   * kernel that opts in.
   */
  int MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97;

  /**
   * An attribute for {@link #funcSetAttribute}: the dynamic shared memory that a kernel may
   * request, in bytes.
   */
  int FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8;

  /** The memory of the current device in bytes. */
  record MemInfo(long free, long total) {}

  // ------------------------------------------------------------ initialisation and devices

  /** Initialises the driver; this call must come first. */
  void init();

  /** Returns the CUDA version of the driver, 1000 major + 10 minor: 11080 is 11.8. */
  int driverGetVersion();

  /** Returns how many devices there are. */
  int deviceGetCount();

  /** Returns the handle of a device from its number. */
  int deviceGet(int ordinal);

  /** Returns the name of a device. */
  String deviceGetName(int device);

  /** Returns a number about a device, such as {@link #MULTIPROCESSOR_COUNT}. */
  int deviceGetAttribute(int attribute, int device);

  // ------------------------------------------------------------ contexts

  /** Returns the primary context of a device, shared with every other user in this process. */
  long devicePrimaryCtxRetain(int device);

  /** Gives the primary context back; the last one to do so ends it. */
  void devicePrimaryCtxRelease(int device);

  /** Makes a context the current one of this thread; 0 for none. */
  void ctxSetCurrent(long context);

  // ------------------------------------------------------------ modules

  /** Compiles PTX for the current device; the exception carries the compiler's messages. */
  long moduleLoadData(String ptx);

  /** Returns a kernel of a module. */
  long moduleGetFunction(long module, String name);

  /** Unloads a module and with it its kernels. */
  void moduleUnload(long module);

  /** Sets an attribute of a kernel, such as {@link #FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES}. */
  void funcSetAttribute(long function, int attribute, int value);

  // ------------------------------------------------------------ memory

  /** Takes device memory, aligned to 256 bytes; its content is undefined. */
  long memAlloc(long bytes);

  /** Frees device memory after all that was queued before has run. */
  void memFree(long address);

  /** Returns the free and the total memory of the current device. */
  MemInfo memGetInfo();

  /** Takes pinned host memory, which copies asynchronously. */
  MemorySegment memHostAlloc(long bytes, int flags);

  /** Frees pinned host memory. */
  void memFreeHost(MemorySegment memory);

  /** Queues a copy from the host; the source must not change until the stream has passed it. */
  void memcpyHtoDAsync(long to, MemorySegment from, long bytes, long stream);

  /** Queues a copy to the host; the target is undefined until the stream has passed it. */
  void memcpyDtoHAsync(MemorySegment to, long from, long bytes, long stream);

  /** Queues a copy within the device; the ranges must not overlap. */
  void memcpyDtoDAsync(long to, long from, long bytes, long stream);

  /** Queues the filling of {@code words} 32-bit words with a pattern. */
  void memsetD32Async(long to, int pattern, long words, long stream);

  // ------------------------------------------------------------ streams and events

  /** Makes a stream; flags are 0 or {@link #STREAM_NON_BLOCKING}. */
  long streamCreate(int flags);

  /** Ends a stream once its work has run. */
  void streamDestroy(long stream);

  /** Waits for all work queued in a stream. */
  void streamSynchronize(long stream);

  /** Makes later work of a stream wait for an event; the host does not wait. */
  void streamWaitEvent(long stream, long event);

  /** Makes an event; flags are 0 or {@link #EVENT_DISABLE_TIMING}. */
  long eventCreate(int flags);

  /** Places an event behind the work queued so far. */
  void eventRecord(long event, long stream);

  /** Waits until the work in front of an event has run. */
  void eventSynchronize(long event);

  /** Returns the milliseconds between two events that have been reached. */
  float eventElapsedTime(long start, long end);

  /** Ends an event. */
  void eventDestroy(long event);

  // ------------------------------------------------------------ launch

  /**
   * Queues a kernel. {@code arguments} holds one native segment for each parameter, of exactly its
   * size; they are read before the call returns. {@link KernelArguments} makes them.
   */
  void launchKernel(
      long function,
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int blockZ,
      int sharedBytes,
      long stream,
      MemorySegment[] arguments);

  // ------------------------------------------------------------ errors

  /** Returns the name of a result code: {@code CUDA_ERROR_OUT_OF_MEMORY} for 2. */
  String getErrorName(int code);

  /** Returns a result code in words. */
  String getErrorString(int code);

  // ------------------------------------------------------------ beside the driver

  /**
   * Returns NVIDIA's cuBLAS for the context that is current.
   *
   * @throws IllegalStateException when it is not there, with the reason in one line
   */
  default Blas blas() {
    throw new IllegalStateException("[cuda] this device has no cuBLAS");
  }

  /**
   * Returns NVIDIA's cuFFT for the context that is current.
   *
   * @throws IllegalStateException when it is not there, with the reason in one line
   */
  default Fft fft() {
    throw new IllegalStateException("[cuda] this device has no cuFFT");
  }
}
