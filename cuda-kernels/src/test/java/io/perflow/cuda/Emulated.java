package io.perflow.cuda;

import io.perflow.cuda.emulator.EmulatedDriver;
import io.perflow.cuda.emulator.Emulator;
import io.perflow.tensor.Device;

/** The emulated devices of the tests. */
final class Emulated {
  private Emulated() {}

  // Holder: one device for all tests that only compute, so that kernels are read once.
  private static final class Shared {
    static final Device DEVICE = Emulator.over(EmulatedDriver.create());
  }

  /** The device that tests share. */
  static Device device() {
    return Shared.DEVICE;
  }

  /** The backend of a device. */
  static CudaBackend backend(Device device) {
    return (CudaBackend) device.backend();
  }
}
