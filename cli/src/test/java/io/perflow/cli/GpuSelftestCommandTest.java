package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perflow.cuda.CudaDevices;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GpuSelftestCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), Screen.NONE, args);
  }

  @Test
  void reportOfTheEmulatedDeviceNamesEveryComputation(@TempDir Path dir) throws IOException {
    Path report = dir.resolve("report.txt");
    int code = run("gpu-selftest", "--device", "emulated", "--out", report.toString());
    assertEquals(0, code, err.toString());
    List<String> lines = Files.readAllLines(report);
    assertTrue(lines.get(1).startsWith("device  emulated: emulated sm_80"), lines.get(1));
    String last = lines.getLast();
    assertTrue(
        last.matches("(\\d+) computations: \\1 equal in every bit, 0 close, 0 wrong;.*none"), last);
    long equal = lines.stream().filter(line -> line.startsWith("EQUAL")).count();
    assertTrue(last.startsWith(equal + " computations"), last);
  }

  @Test
  void absenceOfAGpuIsOneLine(@TempDir Path dir) {
    assumeTrue(CudaDevices.count() == 0, "this machine has a GPU");
    Path report = dir.resolve("report.txt");
    assertEquals(1, run("gpu-selftest", "--out", report.toString()));
    assertEquals("perflow: no device cuda:0: " + CudaDevices.reason(), err.toString().strip());
    assertFalse(Files.exists(report));
  }

  @Test
  void otherDevicesAreOneLine() {
    assertEquals(1, run("gpu-selftest", "--device", "cpu"));
    assertEquals(
        "perflow: [self-test] cpu has no CUDA kernels; take a CUDA device", err.toString().strip());
    assertEquals(1, run("gpu-selftest", "--device", "gpu"));
    assertTrue(err.toString().contains("there is no device gpu"), err.toString());
  }

  @Test
  void doctorNamesTheGpuOrTheReason() {
    assertEquals(0, run("doctor"));
    String line =
        out.toString().lines().filter(l -> l.startsWith("gpu ")).findFirst().orElseThrow();
    assertTrue(
        CudaDevices.count() > 0
            ? line.contains("sm_")
            : line.endsWith("none: " + CudaDevices.reason()),
        line);
  }
}
