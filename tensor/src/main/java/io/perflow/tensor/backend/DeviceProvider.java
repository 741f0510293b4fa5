package io.perflow.tensor.backend;

import io.perflow.tensor.Device;

/**
 * Devices beyond the CPU, found with {@link java.util.ServiceLoader}, so that this module does not
 * depend on theirs.
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

  /** Device number {@code index}, the same object for the same number. */
  Device device(int index);
}
