package io.perflow.cuda.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perflow.cuda.emulator.EmulatedDriver;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * JCuda and its adapter with an emulated device behind them, and the reasons when there is none.
 */
class JCudaAdapterTest {
  @Test
  void jcudaDrivesTheEmulatedDevice(@TempDir Path directory) throws Exception {
    assumeTrue(
        System.getProperty("os.name").equals("Linux")
            && System.getProperty("os.arch").equals("amd64"),
        "JCuda has natives for x86_64 only");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path"),
                StubLibcudaProgram.class.getName(),
                directory.toString(),
                TestKernels.COMPUTING_PTX.toString())
            .redirectErrorStream(true)
            .start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    assumeTrue(!output.startsWith("no C compiler"), output);
    assertEquals("JCuda ran on the emulated device", output.strip());
  }

  @Test
  void aMissingDriverIsOneLine() {
    CudaProbe probe = CudaProbe.look("libnone.so.1");
    assertFalse(probe.available());
    assertEquals(
        "the NVIDIA driver is not installed: libnone.so.1 cannot be opened", probe.reason());
  }

  @Test
  void aDriverThatDoesNotStartIsOneLine() {
    EmulatedDriver device = EmulatedDriver.create();
    assertTrue(CudaProbe.devices(device).available());
    device.failCall("cuInit", 1, 100);
    assertEquals(
        "the NVIDIA driver cannot start: cuInit: CUDA_ERROR_NO_DEVICE (100): failed on purpose",
        CudaProbe.devices(device).reason());
  }

  @Test
  void theVerdictIsADeviceOrAReasonInOneLine() {
    CudaProbe probe = CudaProbe.get();
    assertEquals(probe.available(), probe.reason().isEmpty());
    assertFalse(probe.reason().contains("\n"), probe.reason());
  }
}
