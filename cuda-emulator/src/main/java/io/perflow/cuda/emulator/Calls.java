package io.perflow.cuda.emulator;

import io.perflow.cuda.driver.CudaException;

/**
 * A record of the calls of the driver, which makes chosen calls fail and remembers a broken
 * context.
 */
final class Calls {
  private String watched = "";
  private int countdown;
  private int code;
  private long made;
  private CudaException broken;

  /** Makes the n-th call from now fail; an empty name counts every call. */
  void fail(String call, int n, int withCode) {
    watched = call;
    countdown = n;
    code = withCode;
  }

  long made() {
    return made;
  }

  /** Checks the context at the beginning of each call. */
  void enter(String call) {
    made++;
    if (countdown > 0 && (watched.isEmpty() || watched.equals(call)) && --countdown == 0) {
      throw error(code, call, "failed on purpose");
    }
    if (broken != null) {
      throw error(broken.code(), call, "an earlier kernel failed: " + broken.getMessage());
    }
  }

  /** Makes the context unusable and returns the exception to throw. */
  CudaException breakContext(String call, KernelFault fault) {
    int result =
        switch (fault.kind()) {
          case OUT_OF_BOUNDS, USE_AFTER_FREE -> CudaException.ILLEGAL_ADDRESS;
          case MISALIGNED -> CudaException.MISALIGNED_ADDRESS;
          case TIMEOUT -> CudaException.LAUNCH_TIMEOUT;
          default -> CudaException.LAUNCH_FAILED;
        };
    broken = error(result, call, fault.getMessage());
    broken.initCause(fault);
    return broken;
  }

  static CudaException error(int code, String call, String detail) {
    return new CudaException(code, name(code), call, detail);
  }

  static String name(int code) {
    return switch (code) {
      case 0 -> "CUDA_SUCCESS";
      case CudaException.INVALID_VALUE -> "CUDA_ERROR_INVALID_VALUE";
      case CudaException.OUT_OF_MEMORY -> "CUDA_ERROR_OUT_OF_MEMORY";
      case CudaException.NOT_INITIALIZED -> "CUDA_ERROR_NOT_INITIALIZED";
      case CudaException.NO_DEVICE -> "CUDA_ERROR_NO_DEVICE";
      case CudaException.INVALID_DEVICE -> "CUDA_ERROR_INVALID_DEVICE";
      case CudaException.INVALID_CONTEXT -> "CUDA_ERROR_INVALID_CONTEXT";
      case CudaException.NO_BINARY_FOR_GPU -> "CUDA_ERROR_NO_BINARY_FOR_GPU";
      case CudaException.INVALID_PTX -> "CUDA_ERROR_INVALID_PTX";
      case CudaException.UNSUPPORTED_PTX_VERSION -> "CUDA_ERROR_UNSUPPORTED_PTX_VERSION";
      case CudaException.INVALID_HANDLE -> "CUDA_ERROR_INVALID_HANDLE";
      case CudaException.NOT_FOUND -> "CUDA_ERROR_NOT_FOUND";
      case CudaException.NOT_READY -> "CUDA_ERROR_NOT_READY";
      case CudaException.ILLEGAL_ADDRESS -> "CUDA_ERROR_ILLEGAL_ADDRESS";
      case CudaException.LAUNCH_OUT_OF_RESOURCES -> "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES";
      case CudaException.LAUNCH_TIMEOUT -> "CUDA_ERROR_LAUNCH_TIMEOUT";
      case CudaException.MISALIGNED_ADDRESS -> "CUDA_ERROR_MISALIGNED_ADDRESS";
      case CudaException.LAUNCH_FAILED -> "CUDA_ERROR_LAUNCH_FAILED";
      default -> "CUDA_ERROR_" + code;
    };
  }
}
