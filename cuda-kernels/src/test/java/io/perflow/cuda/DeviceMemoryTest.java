package io.perflow.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.cuda.driver.CudaException;
import io.perflow.cuda.emulator.EmulatedDriver;
import io.perflow.cuda.emulator.Emulator;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Device memory belongs to scopes, is recycled, and says so when it runs out. */
class DeviceMemoryTest {
  private static final int MIB = 1 << 20;

  private static Device device(int mib) {
    return Emulator.over(EmulatedDriver.builder().memory((long) mib * MIB).build());
  }

  @Test
  void scopeReturnsItsMemory() {
    Device device = device(64);
    CudaBackend backend = Emulated.backend(device);
    Tensor kept;
    try (Scope scope = Scope.open()) {
      Tensor x = Tensor.full(device, Shape.of(1000), DataType.F32, 2).add(1);
      kept = scope.keep(x.mul(x));
      assertTrue(backend.usedBytes() >= 8000, "x and its square");
    }
    assertEquals(4096, backend.usedBytes(), "what is kept, rounded up");
    float[] expected = new float[1000];
    Arrays.fill(expected, 9);
    assertArrayEquals(expected, kept.toFloats());
  }

  @Test
  void loopOfTheSameShapesTakesNoNewMemory() {
    Device device = device(64);
    CudaBackend backend = Emulated.backend(device);
    Tensor x = Rng.of(1).normal(device, Shape.of(40, 40), DataType.F32);
    long settled = 0;
    for (int i = 0; i < 6; i++) {
      try (Scope _ = Scope.open()) {
        assertTrue(Double.isFinite(x.matmul(x.transpose()).softmax().sub(x).sum().item()));
      }
      settled = i == 1 ? backend.peakBytes() : settled;
    }
    assertEquals(settled, backend.peakBytes());
  }

  @Test
  void elementsGoToAPartOfAnArray() {
    for (DataType type : DataType.values()) {
      Tensor x = Tensor.of(new float[] {3, 4}, 2).to(type).to(Emulated.device());
      float[] found = new float[4];
      Emulated.backend(x.device()).memory().toFloats(x, found, 1);
      assertArrayEquals(new float[] {0, 3, 4, 0}, found);
    }
  }

  @Test
  void useAfterCloseThrows() {
    Device device = device(64);
    Tensor lost;
    try (Scope _ = Scope.open()) {
      lost = Tensor.full(device, Shape.of(3), DataType.F32, 1).add(1);
    }
    var e = assertThrows(IllegalStateException.class, lost::toFloats);
    assertTrue(e.getMessage().startsWith("this tensor's scope is closed"), e.getMessage());
  }

  @Test
  void exhaustionSaysHowMuchAndWhatToDo() {
    Device device = device(8);
    Tensor held = Tensor.full(device, Shape.of(MIB), DataType.F32, 1).add(1); // 4 MiB
    var e =
        assertThrows(
            DeviceMemoryException.class,
            () -> Tensor.full(device, Shape.of(2 * MIB), DataType.F32, 1).add(1));
    assertTrue(
        e.getMessage()
            .startsWith(
                "[cuda] out of memory on emulated: 8.0 MiB requested, 4.0 MiB used by tensors, "),
        e.getMessage());
    assertTrue(e.getMessage().contains("close scopes earlier"), e.getMessage());
    assertEquals(2, held.slice(0, 0, 1).item(), "what was there is still there");
  }

  @Test
  void memoryKeptForReuseIsFreedBeforeGivingUp() {
    Device device = device(8);
    for (int size : new int[] {MIB, MIB + MIB / 3, MIB + MIB / 2}) { // up to 6 MiB, not together
      try (Scope _ = Scope.open()) {
        Tensor.full(device, Shape.of(size), DataType.F32, 1).add(1);
      }
    }
  }

  @Test
  void collectedTensorsReturnTheirMemory() {
    Device device = device(10);
    for (int i = 0; i < 6; i++) { // 4 MiB each, outside any scope, none kept
      Tensor.full(device, Shape.of(MIB), DataType.F32, i).add(1);
    }
  }

  @Test
  void busyDeviceDoesNotHoldBackTheMemoryOfAnother() {
    EmulatedDriver busy = EmulatedDriver.create();
    Device other = Emulator.over(busy);
    Device device = device(10);
    for (int i = 0; i < 20; i++) {
      Tensor.full(other, Shape.of(4), DataType.F32, i).add(1);
    }
    synchronized (busy) { // as it does itself while it computes, so that nothing is returned there
      for (int i = 0; i < 6; i++) {
        Tensor.full(device, Shape.of(MIB), DataType.F32, i).add(1);
      }
    }
  }

  @Test
  void failingCallNamesKernelAndDevice() {
    EmulatedDriver driver = EmulatedDriver.create();
    Device device = Emulator.over(driver);
    Tensor x = Tensor.full(device, Shape.of(4), DataType.F32, 1);
    driver.failCall("cuLaunchKernel", 1, CudaException.LAUNCH_OUT_OF_RESOURCES);
    var e = assertThrows(IllegalStateException.class, () -> x.add(1));
    assertTrue(
        e.getMessage().startsWith("[cuda] kernel binary_add_f32 of elementwise.ptx"),
        e.getMessage());
    assertTrue(e.getMessage().contains("driver of CUDA 11.8"), e.getMessage());
  }

  @Test
  void olderDriverIsToldBothVersions() {
    EmulatedDriver driver = EmulatedDriver.create();
    Device device = Emulator.over(driver);
    Tensor x = Tensor.full(device, Shape.of(4), DataType.F32, 1);
    driver.failCall("cuModuleLoadDataEx", 1, CudaException.UNSUPPORTED_PTX_VERSION);
    var e = assertThrows(IllegalStateException.class, () -> x.add(1));
    assertEquals(
        "[cuda] the NVIDIA driver is of CUDA 11.8 and cannot read PTX 7.0 of kernel file"
            + " elementwise; install a driver of CUDA 11.0 or later",
        e.getMessage());
  }

  @Test
  void largeArraysTravelInPieces() {
    Device device = device(64);
    float[] numbers = new float[3 * MIB + 17]; // 12 MiB through buffers of 4
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = i;
    }
    Tensor there = Tensor.of(numbers, numbers.length).to(device);
    assertArrayEquals(numbers, there.toFloats());
  }
}
