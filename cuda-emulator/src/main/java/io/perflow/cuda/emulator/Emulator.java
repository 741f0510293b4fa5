package io.perflow.cuda.emulator;

import io.perflow.cuda.CudaDevices;
import io.perflow.tensor.Device;
import io.perflow.tensor.backend.DeviceEmulator;

/**
 * A maker of devices that run the kernels of the CUDA backend in plain Java: new ones for {@link
 * Device#emulated}, and ones over a driver that was set up for a test.
 */
public final class Emulator implements DeviceEmulator {
  /** Creates the emulator for the service loader. */
  public Emulator() {}

  @Override
  public Device open() {
    return over(EmulatedDriver.create());
  }

  /** Initialises a driver and returns its device. */
  public static Device over(EmulatedDriver driver) {
    return CudaDevices.open(driver, "emulated");
  }
}
