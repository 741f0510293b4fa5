package io.perflow.cli;

import io.perflow.Perflow;
import io.perflow.cuda.SelfTest;
import io.perflow.cuda.SelfTest.Outcome;
import io.perflow.cuda.SelfTest.Verdict;
import io.perflow.cuda.Stopwatch;
import io.perflow.tensor.Device;
import io.perflow.tensor.io.AtomicFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code gpu-selftest}, which runs every kernel on a GPU and writes a report that its
 * owner can send back.
 */
@Command(
    name = "gpu-selftest",
    description = "Test every CUDA kernel on a GPU and write a report to send to the authors.")
final class GpuSelftestCommand implements Callable<Integer> {
  @Option(
      names = "--device",
      paramLabel = "NAME",
      defaultValue = "cuda:0",
      description = "GPU to test: cuda:N, or emulated, which is not timed (${DEFAULT-VALUE}).")
  private String name;

  @Option(
      names = "--extent",
      paramLabel = "N",
      defaultValue = "128",
      description = "Pixels along a side of the images that are timed (${DEFAULT-VALUE}).")
  private int extent;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      defaultValue = "gpu-selftest.txt",
      description = "Report to write (${DEFAULT-VALUE}).")
  private Path out;

  @Spec private CommandSpec spec;

  private final List<String> report = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    Device device = Devices.named(name);
    SelfTest test = SelfTest.of(device);
    note("perflow " + Perflow.version() + ", self-test of the CUDA kernels");
    note("device  " + device.describe());
    note("system  %s %s, Java %s".formatted(property("os.name"), property("os.arch"), java()));
    note("");
    List<Outcome> outcomes = kernels(test);
    if (!name.equals("emulated")) { // times there say nothing about a GPU
      note("");
      Stopwatch.measure(device, extent, 20).forEach(timing -> note(timing.toString()));
    }
    AtomicFile.write(out, String.join("\n", report) + "\n");
    PrintWriter terminal = spec.commandLine().getOut();
    terminal.printf("report in %s: please send it back%n", out);
    return count(outcomes, Verdict.WRONG) == 0 ? 0 : 1;
  }

  private List<Outcome> kernels(SelfTest test) {
    List<Outcome> outcomes = test.run(outcome -> note(outcome.toString()));
    note("");
    note(
        "%d computations: %d equal in every bit, %d close, %d wrong; kernels not reached: %s"
            .formatted(
                outcomes.size(),
                count(outcomes, Verdict.EQUAL),
                count(outcomes, Verdict.CLOSE),
                count(outcomes, Verdict.WRONG),
                test.untried().isEmpty() ? "none" : test.untried()));
    return outcomes;
  }

  private static long count(List<Outcome> outcomes, Verdict verdict) {
    return outcomes.stream().filter(o -> o.verdict() == verdict).count();
  }

  private static String property(String name) {
    return System.getProperty(name);
  }

  private static String java() {
    return Runtime.version().toString();
  }

  private void note(String line) {
    report.add(line);
    spec.commandLine().getOut().println(line);
  }
}
