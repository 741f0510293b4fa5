package io.perflow.cli;

import io.perflow.cuda.CudaBackend;
import io.perflow.cuda.Traffic;
import io.perflow.tensor.Device;
import java.io.PrintWriter;
import java.util.Locale;

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

  /** Prints what a call asks of a GPU, which is the same on every machine; nothing for a CPU. */
  static void printTraffic(PrintWriter out, String what, Device device, Runnable call) {
    if (device.backend() instanceof CudaBackend gpu) {
      Traffic before = gpu.traffic();
      call.run();
      Traffic traffic = gpu.traffic().since(before);
      out.printf(
          Locale.ROOT,
          "%s: %d launches, %.2f MB of operands, %d bytes up, %d bytes down%n",
          what,
          traffic.launches(),
          traffic.operandBytes() / 1e6,
          traffic.uploadedBytes(),
          traffic.downloadedBytes());
    }
  }
}
