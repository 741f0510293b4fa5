package io.perflow.cuda;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.perflow.cuda.driver.CudaDriver;
import io.perflow.cuda.driver.CudaException;
import io.perflow.cuda.driver.Param;
import io.perflow.cuda.ptx.Signatures;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The kernels of one device: PTX files from the resources, compiled by the driver on first use. The
 * parameter lists come from the same text, so that every launch is checked against what the driver
 * compiled.
 */
final class KernelLibrary {
  /** The files of kernels; the test of the committed PTX checks that the list is complete. */
  static final List<String> FILES =
      List.of(
          "advance",
          "attention",
          "conv",
          "elementwise",
          "fft",
          "matmul",
          "norm",
          "optimizer",
          "pool",
          "random",
          "reduce",
          "select",
          "softmax",
          "tf32",
          "winograd");

  /** A kernel and its parameters. */
  record Kernel(String name, long function, List<Param> params) {}

  private record Module(long handle, Signatures signatures) {}

  private final CudaDriver driver;
  private final Map<String, Module> modules = new HashMap<>();
  private final Map<String, Kernel> kernels = new HashMap<>();

  KernelLibrary(CudaDriver driver) {
    this.driver = driver;
  }

  /** Returns a kernel of a file; the device's context is current. */
  synchronized Kernel kernel(String file, String name) {
    Kernel kernel = kernels.get(name);
    if (kernel == null) {
      Module module = modules.computeIfAbsent(file, this::load);
      long function = driver.moduleGetFunction(module.handle, name);
      kernel = new Kernel(name, function, module.signatures.kernels().get(name));
      kernels.put(name, kernel);
    }
    return kernel;
  }

  private Module load(String file) {
    String ptx = text(file);
    Signatures signatures = Signatures.of(ptx);
    try {
      return new Module(driver.moduleLoadData(ptx), signatures);
    } catch (CudaException e) {
      if (e.code() != CudaException.UNSUPPORTED_PTX_VERSION) {
        throw e;
      }
      int version = driver.driverGetVersion();
      throw new IllegalStateException(
          ("[cuda] the NVIDIA driver is of CUDA %d.%d and cannot read PTX %s of kernel file %s;"
                  + " install a driver of CUDA 11.0 or later")
              .formatted(version / 1000, version % 1000 / 10, signatures.version(), file),
          e);
    }
  }

  /** Returns the names of all kernels. */
  static Set<String> names() {
    Set<String> names = new TreeSet<>();
    FILES.forEach(file -> names.addAll(Signatures.of(text(file)).kernels().keySet()));
    return names;
  }

  /** Returns the names of the kernels used so far. */
  synchronized Set<String> used() {
    return Set.copyOf(kernels.keySet());
  }

  /** Returns the committed PTX of a file. */
  static String text(String file) {
    try (InputStream in = KernelLibrary.class.getResourceAsStream("ptx/" + file + ".ptx")) {
      if (in == null) {
        throw new IllegalStateException("[cuda] no kernel file " + file + ".ptx in this artifact");
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Unloads everything. */
  synchronized void close() {
    modules.values().forEach(module -> driver.moduleUnload(module.handle));
    modules.clear();
    kernels.clear();
  }
}
