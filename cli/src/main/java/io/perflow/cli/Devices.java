package io.perflow.cli;

import io.perflow.cuda.CudaBackend;
import io.perflow.cuda.Traffic;
import io.perflow.tensor.Device;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The devices by the names that options give them. */
final class Devices {
  private static final String CUDA = "cuda:";

  private Devices() {}

  /**
   * Returns the device named {@code cpu}, {@code cuda:N} or {@code emulated}.
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
        "there is no device %s; use cpu, cuda:N or emulated".formatted(name));
  }

  /** Returns the work of a call on a GPU, which is the same on every machine; empty for a CPU. */
  static Optional<Traffic> traffic(Device device, Runnable call) {
    if (device.backend() instanceof CudaBackend gpu) {
      Traffic before = gpu.traffic();
      call.run();
      return Optional.of(gpu.traffic().since(before));
    }
    return Optional.empty();
  }

  /** Formats the traffic for people. */
  static String text(Traffic traffic) {
    return String.format(
        Locale.ROOT,
        "%d launches, %.2f MB of operands, %d bytes up, %d bytes down",
        traffic.launches(),
        traffic.operandBytes() / 1e6,
        traffic.uploadedBytes(),
        traffic.downloadedBytes());
  }

  /** Formats the traffic for programs. */
  static Map<String, Object> json(Traffic traffic) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("launches", traffic.launches());
    json.put("operand_bytes", traffic.operandBytes());
    json.put("uploaded_bytes", traffic.uploadedBytes());
    json.put("downloaded_bytes", traffic.downloadedBytes());
    return json;
  }
}
