package io.perflow.tensor.backend;

import io.perflow.tensor.Device;

/**
 * Makes devices that run the kernels of a GPU without one, found with {@link
 * java.util.ServiceLoader}, so that this module does not depend on theirs.
 */
public interface DeviceEmulator {
  /** Returns a new device with its own memory. */
  Device open();
}
