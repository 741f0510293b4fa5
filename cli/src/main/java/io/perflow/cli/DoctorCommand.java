package io.perflow.cli;

import io.perflow.Perflow;
import io.perflow.cuda.CudaDevices;
import io.perflow.tensor.Device;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Says what the library finds on this machine. */
@Command(name = "doctor", description = "Show what the library finds on this machine.")
final class DoctorCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    line("perflow", Perflow.version());
    line("java", System.getProperty("java.vm.name") + " " + Runtime.version());
    line("system", System.getProperty("os.name") + " " + System.getProperty("os.arch"));
    line("processors", Runtime.getRuntime().availableProcessors());
    line("heap", Runtime.getRuntime().maxMemory() / (1 << 20) + " MiB at most");
    line("cpu", Device.cpu().backend().describe());
    line("gpu", gpu());
  }

  // The first GPU, or why there is none.
  private static String gpu() {
    return CudaDevices.count() > 0
        ? Device.cuda(0).backend().describe()
        : "none: " + CudaDevices.reason();
  }

  private void line(String name, Object value) {
    spec.commandLine().getOut().printf("%-12s%s%n", name, value);
  }
}
