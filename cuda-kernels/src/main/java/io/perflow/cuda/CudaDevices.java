package io.perflow.cuda;

import io.perflow.cuda.driver.CudaDriver;
import io.perflow.cuda.driver.CudaProbe;
import io.perflow.cuda.emulator.EmulatedDriver;
import io.perflow.tensor.Device;
import java.util.ArrayList;
import java.util.List;

/** The CUDA devices of this machine, and emulated ones. */
public final class CudaDevices {
  private static final List<Device> OPEN = new ArrayList<>();

  private CudaDevices() {}

  /** How many GPUs there are; 0 with a {@link #reason}. */
  public static int count() {
    CudaProbe probe = CudaProbe.get();
    return probe.available() ? probe.driver().deviceGetCount() : 0;
  }

  /** Why there are none, in one line; empty when there are some. */
  public static String reason() {
    return CudaProbe.get().reason();
  }

  /** GPU number {@code index}, opened when first asked for. */
  static synchronized Device device(int index) {
    while (OPEN.size() <= index) {
      OPEN.add(null);
    }
    Device device = OPEN.get(index);
    if (device == null) {
      device = open(CudaProbe.get().driver(), index, "cuda:" + index);
      OPEN.set(index, device);
    }
    return device;
  }

  /**
   * A device in plain Java that runs the same kernels far more slowly, and far more strictly, than
   * hardware would: for tests on machines without a GPU.
   */
  public static Device emulated(EmulatedDriver driver) {
    driver.init();
    return open(driver, 0, "emulated");
  }

  private static Device open(CudaDriver driver, int ordinal, String name) {
    return CudaBackend.open(driver, ordinal, name);
  }
}
