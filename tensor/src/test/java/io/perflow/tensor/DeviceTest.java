package io.perflow.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** Devices of this module alone; the module with a provider tests what providers add. */
class DeviceTest {
  @Test
  void bestIsTheCpuWithoutProvider() {
    assertSame(Device.cpu(), Device.best());
  }

  @Test
  void absentGpuIsOneLineWithTheCure() {
    var e = assertThrows(IllegalStateException.class, () -> Device.cuda(0));
    assertEquals(
        "no device cuda:0: add the artifact perflow-cuda-kernels to the program", e.getMessage());
  }

  @Test
  void absentEmulatorIsOneLineWithTheCure() {
    var e = assertThrows(IllegalStateException.class, Device::emulated);
    assertEquals(
        "no device emulated: add the artifact perflow-cuda-emulator to the program",
        e.getMessage());
  }
}
