package io.perflow.tensor.backend;

import io.perflow.tensor.Device;

/**
 * A provider of devices beyond the CPU. It is found with {@link java.util.ServiceLoader}, so that
 * this module does not depend on the provider's.
 */
public interface DeviceProvider {
  /** Returns the kind of its devices, as in {@code cuda:0}. */
  String kind();

  /** Returns the number of devices on this machine; this method never throws. */
  int count();

  /**
   * Returns the reason why there are no devices, in one line with the cure; empty if there are
   * some.
   */
  String reason();

  /** Returns device number {@code index}; the same number gives the same object. */
  Device device(int index);
}
