package io.perflow.cuda.driver;

/** Thrown when a driver call fails; it holds the result code, its name and the call. */
public final class CudaException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** A value the call does not accept. */
  public static final int INVALID_VALUE = 1;

  /** No room for an allocation. */
  public static final int OUT_OF_MEMORY = 2;

  /** {@link CudaDriver#init} has not been called. */
  public static final int NOT_INITIALIZED = 3;

  /** No device at all. */
  public static final int NO_DEVICE = 100;

  /** No device of that number. */
  public static final int INVALID_DEVICE = 101;

  /** No context is current for the calling thread. */
  public static final int INVALID_CONTEXT = 201;

  /** The PTX asks for a newer device. */
  public static final int NO_BINARY_FOR_GPU = 209;

  /** The PTX does not compile. */
  public static final int INVALID_PTX = 218;

  /** The PTX is newer than the driver. */
  public static final int UNSUPPORTED_PTX_VERSION = 222;

  /** A handle of something that does not exist or no longer exists. */
  public static final int INVALID_HANDLE = 400;

  /** A module has no kernel of that name. */
  public static final int NOT_FOUND = 500;

  /** An event that has not been reached. */
  public static final int NOT_READY = 600;

  /** A kernel touched memory that is not its own. */
  public static final int ILLEGAL_ADDRESS = 700;

  /** A launch asks for more threads, registers or shared memory than there are. */
  public static final int LAUNCH_OUT_OF_RESOURCES = 701;

  /** A kernel ran too long. */
  public static final int LAUNCH_TIMEOUT = 702;

  /** A kernel touched memory that is not aligned for the access. */
  public static final int MISALIGNED_ADDRESS = 716;

  /** A kernel failed for another reason. */
  public static final int LAUNCH_FAILED = 719;

  private final int code;
  private final String name;
  private final String call;

  /** An error of {@code call}; {@code detail} says what it means there, or is empty. */
  public CudaException(int code, String name, String call, String detail) {
    super("%s: %s (%d)%s".formatted(call, name, code, detail.isEmpty() ? "" : ": " + detail));
    this.code = code;
    this.name = name;
    this.call = call;
  }

  /** Returns the result code, {@code CUresult}. */
  public int code() {
    return code;
  }

  /** Returns the name of the result code, as in {@code CUDA_ERROR_OUT_OF_MEMORY}. */
  public String name() {
    return name;
  }

  /** Returns the function of the driver API that failed, as in {@code cuMemAlloc}. */
  public String call() {
    return call;
  }
}
