package io.perflow.cuda;

import io.perflow.cuda.driver.CudaDriver;
import io.perflow.cuda.driver.CudaProbe;
import io.perflow.tensor.Device;
import java.util.ArrayList;
import java.util.List;

/** The CUDA devices of this machine, and devices over drivers of others. */
public final class CudaDevices {
  private static final List<Device> OPEN = new ArrayList<>();

  private CudaDevices() {}

  /** Returns how many GPUs there are; 0 with a {@link #reason}. */
  public static int count() {
    CudaProbe probe = CudaProbe.get();
    return probe.available() ? probe.driver().deviceGetCount() : 0;
  }

  /** Returns the reason why there are no devices, in one line; empty if there are some. */
  public static String reason() {
    return CudaProbe.get().reason();
  }

  /** Returns GPU number {@code index}, which the first call opens. */
  static synchronized Device device(int index) {
    while (OPEN.size() <= index) {
      OPEN.add(null);
    }
    Device device = OPEN.get(index);
    if (device == null) {
      device = CudaBackend.open(CudaProbe.get().driver(), index, "cuda:" + index);
      OPEN.set(index, device);
    }
    return device;
  }

  /**
   * Returns the first device of a driver that is not NVIDIA's, such as an emulated one. The driver
   * is initialised here; {@code name} is the name of the device.
   */
  public static Device open(CudaDriver driver, String name) {
    driver.init();
    return CudaBackend.open(driver, 0, name);
  }
}
