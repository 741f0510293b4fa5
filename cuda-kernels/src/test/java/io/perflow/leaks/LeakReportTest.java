package io.perflow.leaks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.cuda.CudaBackend;
import io.perflow.cuda.DeviceMemoryException;
import io.perflow.cuda.emulator.EmulatedDriver;
import io.perflow.cuda.emulator.Emulator;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Leaks are reported with the user's line, which is one outside the library's packages. */
class LeakReportTest {
  private static final int MIB = 1 << 20;

  // Only a device that is opened meanwhile looks at the property.
  private static Device traced() {
    String before = System.setProperty("perflow.traceLeaks", "true");
    try {
      return Emulator.over(EmulatedDriver.builder().memory(10L * MIB).build());
    } finally {
      if (before == null) {
        System.clearProperty("perflow.traceLeaks");
      } else {
        System.setProperty("perflow.traceLeaks", before);
      }
    }
  }

  private static Tensor leaking(Device device) {
    return Tensor.full(device, Shape.of(MIB), DataType.F32, 1).add(1); // 4 MiB
  }

  @Test
  void whatOutlivesItsScopeIsNamed() {
    Device device = traced();
    CudaBackend backend = (CudaBackend) device.backend();
    Tensor kept;
    try (Scope scope = Scope.open()) {
      kept = scope.keep(leaking(device));
      kept.mul(2);
    }
    List<String> lines = backend.memoryInUse();
    assertEquals(1, lines.size(), lines.toString());
    String start = "4.0 MiB taken at io.perflow.leaks.LeakReportTest.leaking(LeakReportTest.java:";
    assertTrue(lines.getFirst().startsWith(start), lines.getFirst());
    var e = assertThrows(DeviceMemoryException.class, () -> Tensor.concat(0, kept, kept));
    assertTrue(e.getMessage().contains(start), e.getMessage());
  }

  @Test
  void nothingIsLeftWhenAllIsReturned() {
    Device device = traced();
    try (Scope _ = Scope.open()) {
      leaking(device);
    }
    assertEquals(List.of(), ((CudaBackend) device.backend()).memoryInUse());
  }
}
