package io.perflow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import org.junit.jupiter.api.Test;

/** Finding a GPU, or the reason why there is none. */
class CudaDevicesTest {
  @Test
  void absenceIsOneLineOfReason() {
    assumeTrue(CudaDevices.count() == 0, "this machine has a GPU");
    var e = assertThrows(IllegalStateException.class, () -> Device.cuda(0));
    assertEquals("no device cuda:0: " + CudaDevices.reason(), e.getMessage());
    assertFalse(CudaDevices.reason().isBlank());
    assertFalse(CudaDevices.reason().contains("\n"), CudaDevices.reason());
    assertSame(Device.cpu(), Device.best());
  }

  @Test
  void presenceIsTheBestDevice() {
    assumeTrue(CudaDevices.count() > 0, CudaDevices.reason());
    assertSame(Device.cuda(0), Device.best());
  }

  @Test
  void emulatedDeviceDescribesItself() {
    String line = Emulated.device().describe();
    assertTrue(line.startsWith("emulated: "), line);
    assertTrue(line.contains("own PTX kernels"), line);
  }

  @Test
  void emulatedDeviceIsFoundThroughTheProvider() {
    Device device = Device.emulated();
    assertNotSame(device, Device.emulated(), "each call opens a device of its own");
    Tensor x = Tensor.full(device, Shape.of(3), DataType.F32, 2);
    assertEquals(12, x.mul(x).sum().item());
    assertTrue(Emulated.backend(device).traffic().launches() > 0, "its kernels ran");
  }
}
