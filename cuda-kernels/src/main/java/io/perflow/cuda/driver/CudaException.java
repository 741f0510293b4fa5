package io.perflow.cuda.driver;

/** Thrown when a driver call fails; it holds the result code, its name and the call. */
public final class CudaException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The result code for a value that the call does not accept. */
  public static final int INVALID_VALUE = 1;

  /** The result code for an allocation without enough memory. */
  public static final int OUT_OF_MEMORY = 2;

  /** The result code for a call before {@link CudaDriver#init}. */
  public static final int NOT_INITIALIZED = 3;

  /** The result code for a machine without a device. */
  public static final int NO_DEVICE = 100;

  /** The result code for a device number that does not exist. */
  public static final int INVALID_DEVICE = 101;

  /** The result code for a thread without a current context. */
  public static final int INVALID_CONTEXT = 201;

  /** The result code for PTX that needs a newer device. */
  public static final int NO_BINARY_FOR_GPU = 209;

  /** The result code for PTX that does not compile. */
  public static final int INVALID_PTX = 218;

  /** The result code for PTX that is newer than the driver. */
  public static final int UNSUPPORTED_PTX_VERSION = 222;

  /** The result code for a handle of something that does not exist or no longer exists. */
  public static final int INVALID_HANDLE = 400;

  /** The result code for a kernel name that a module does not have. */
  public static final int NOT_FOUND = 500;

  /** The result code for an event that has not been reached. */
  public static final int NOT_READY = 600;

  /** The result code for a kernel that accessed memory outside its own. */
  public static final int ILLEGAL_ADDRESS = 700;

  /**
   * The result code for a launch that needs more threads, registers or shared memory than there
   * are.
   */
  public static final int LAUNCH_OUT_OF_RESOURCES = 701;

  /** The result code for a kernel that ran too long. */
  public static final int LAUNCH_TIMEOUT = 702;

  /** The result code for a kernel that accessed memory without the required alignment. */
  public static final int MISALIGNED_ADDRESS = 716;

  /** The result code for a kernel that failed for another reason. */
  public static final int LAUNCH_FAILED = 719;

  private final int code;
  private final String name;
  private final String call;

  /** Creates an error of {@code call}; {@code detail} says what it means there, or is empty. */
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
