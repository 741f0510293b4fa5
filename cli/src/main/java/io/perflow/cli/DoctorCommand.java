package io.perflow.cli;

import io.perflow.Perflow;
import io.perflow.cuda.CudaDevices;
import io.perflow.tensor.Device;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code doctor}, which says what the library finds on this machine. */
@Command(
    name = "doctor",
    description = "Show which Java, processor and GPU perflow uses on this machine.")
final class DoctorCommand implements Callable<Integer> {
  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("perflow", Perflow.version());
    found.put("java", System.getProperty("java.vm.name") + " " + Runtime.version());
    found.put("system", System.getProperty("os.name") + " " + System.getProperty("os.arch"));
    found.put("processors", Runtime.getRuntime().availableProcessors());
    found.put("heap", Runtime.getRuntime().maxMemory() / (1 << 20) + " MiB at most");
    found.put("cpu", Device.cpu().backend().describe());
    found.put("gpu", gpu());
    found.forEach((name, value) -> spec.commandLine().getOut().printf("%-12s%s%n", name, value));
    json.write(found);
    return 0;
  }

  // Returns the first GPU, or why there is none.
  private static String gpu() {
    return CudaDevices.count() > 0
        ? Device.cuda(0).backend().describe()
        : "none: " + CudaDevices.reason();
  }
}
