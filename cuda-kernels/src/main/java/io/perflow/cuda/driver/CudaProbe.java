package io.perflow.cuda.driver;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;

/**
 * Determines whether there is a CUDA device, and if not, why, in one line. It looks for the NVIDIA
 * driver before it touches JCuda: a JCuda class that failed to initialise once fails for the life
 * of the process, with a message that no longer says why.
 *
 * @param driver the initialised driver, or null
 * @param reason the reason why there is none, or an empty string
 */
public record CudaProbe(CudaDriver driver, String reason) {
  private static final class Found {
    static final CudaProbe ONCE = look(driverLibrary());
  }

  /** Returns the result, determined once for the process. */
  public static CudaProbe get() {
    return Found.ONCE;
  }

  /** Returns whether there is a device. */
  public boolean available() {
    return driver != null;
  }

  private static String driverLibrary() {
    return System.getProperty("os.name").startsWith("Windows") ? "nvcuda.dll" : "libcuda.so.1";
  }

  @SuppressWarnings("restricted") // no function of the library is called
  static CudaProbe look(String library) {
    try (var arena = Arena.ofConfined()) {
      SymbolLookup.libraryLookup(library, arena);
    } catch (IllegalArgumentException e) {
      return none("the NVIDIA driver is not installed: %s cannot be opened".formatted(library));
    }
    try {
      return devices(new JCudaAdapter());
    } catch (LinkageError e) {
      return none(
          "JCuda cannot load its native library (%s); add the jcuda-natives artifact with the"
                  .formatted(lastLine(e))
              + " classifier of this platform");
    }
  }

  /** Initialises a driver and counts its devices. */
  static CudaProbe devices(CudaDriver driver) {
    try {
      driver.init();
      return driver.deviceGetCount() > 0
          ? new CudaProbe(driver, "")
          : none("the NVIDIA driver reports no device");
    } catch (CudaException e) {
      return none("the NVIDIA driver cannot start: " + e.getMessage());
    }
  }

  private static CudaProbe none(String reason) {
    return new CudaProbe(null, reason);
  }

  /** Returns the last line of a message of JCuda, which holds the reason. */
  private static String lastLine(Throwable e) {
    String[] lines = String.valueOf(e.getMessage()).strip().split("\\R");
    return lines[lines.length - 1].strip();
  }
}
