package io.perflow.tensor.backend;

import io.perflow.tensor.Device;

/**
 * A maker of devices that run the kernels of a GPU without one. It is found with {@link
 * java.util.ServiceLoader}, so that this module does not depend on the emulator's.
 */
public interface DeviceEmulator {
  /** Returns a new device with its own memory. */
  Device open();
}
