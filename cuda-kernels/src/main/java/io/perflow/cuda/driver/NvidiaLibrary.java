package io.perflow.cuda.driver;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.util.function.Supplier;
import jcuda.Pointer;

/**
 * An optional NVIDIA library, behind one of JCuda's bindings.
 *
 * @param name the name as NVIDIA writes it
 * @param file the file that the binding asks the loader for
 * @param binding the name of JCuda's artifact for it
 * @param work its computations, for messages
 */
record NvidiaLibrary(String name, String file, String binding, String work) {
  /** A place on the device, as the bindings take it. */
  static final class Address extends Pointer {
    Address(long address) {
      super(new Pointer(), address);
    }
  }

  /**
   * Returns the result of {@code start}, if the library is present.
   *
   * @throws IllegalStateException when it is not there or does not load, in one line
   */
  @SuppressWarnings("restricted") // no function of the library is called
  <T> T open(Supplier<T> start) {
    try (var arena = Arena.ofConfined()) {
      SymbolLookup.libraryLookup(file, arena);
    } catch (IllegalArgumentException e) {
      throw new IllegalStateException(
          "[cuda] %s is not installed: %s cannot be opened; %s stay with our own kernels"
              .formatted(name, file, work),
          e);
    }
    try {
      return start.get();
    } catch (LinkageError e) {
      throw new IllegalStateException(
          "[cuda] %s cannot load its native library; add the %s-natives artifact with the"
                  .formatted(binding, binding)
              + " classifier of this platform",
          e);
    }
  }
}
