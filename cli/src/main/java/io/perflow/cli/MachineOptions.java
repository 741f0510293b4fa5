package io.perflow.cli;

import io.perflow.tensor.Device;
import io.perflow.tensor.Settings;
import picocli.CommandLine.Option;

/** The options for the device and the threads of a command. */
final class MachineOptions {
  @Option(
      names = "--device",
      paramLabel = "NAME",
      defaultValue = "cpu",
      description =
          "Where networks run: cpu, cuda:N for a GPU, or emulated, a slow GPU in software for tests"
              + " (${DEFAULT-VALUE}).")
  private String device;

  @Option(
      names = "--threads",
      paramLabel = "N",
      converter = Count.class,
      description = "Number of threads. If omitted, one for each processor.")
  private Integer threads;

  /** Sets the number of threads and returns the device. */
  Device use() {
    if (threads != null) {
      Settings.threads(threads);
    }
    return Devices.named(device);
  }
}
