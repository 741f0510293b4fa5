package io.perflow.tensor.backend;

import io.perflow.tensor.Device;

/**
 * Devices beyond the CPU, found with {@link java.util.ServiceLoader}, so that this module does not
 * depend on theirs.
 */
public interface DeviceProvider {
  /** What its devices are called, as in {@code cuda:0}. */
  String kind();

  /** How many there are on this machine; looking for them never throws. */
  int count();

  /** Why there are none, in one line with the cure; empty when there are some. */
  String reason();

  /** Device number {@code index}, the same object for the same number. */
  Device device(int index);
}
