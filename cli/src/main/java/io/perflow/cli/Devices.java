package io.perflow.cli;

import io.perflow.tensor.Device;

/** Devices by the names that options give them. */
final class Devices {
  private static final String CUDA = "cuda:";

  private Devices() {}

  /**
   * {@code cpu}, {@code cuda:N} or {@code emulated}.
   *
   * @throws IllegalArgumentException for any other name
   * @throws IllegalStateException when there is no such GPU, with the reason
   */
  static Device named(String name) {
    if (name.equals("cpu")) {
      return Device.cpu();
    }
    if (name.equals("emulated")) {
      return Device.emulated();
    }
    if (name.matches(CUDA + "\\d{1,4}")) {
      return Device.cuda(Integer.parseInt(name.substring(CUDA.length())));
    }
    throw new IllegalArgumentException(
        "there is no device %s; take cpu, cuda:N or emulated".formatted(name));
  }
}
