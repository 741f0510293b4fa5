package io.perflow.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.perflow.fixtures.Arrangement;
import io.perflow.fixtures.Devices;
import io.perflow.fixtures.GoldenOps;
import java.io.IOException;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every operation against PyTorch and NumPy, on every device, in both types, for every arrangement
 * in memory.
 */
class GoldenOpsTest {
  @TestFactory
  List<DynamicTest> agreesWithTheReferenceFrameworks() throws IOException {
    GoldenOps golden = GoldenOps.read();
    return golden.names().stream()
        .map(name -> dynamicTest(name, () -> check(golden, name)))
        .toList();
  }

  @Test
  void everyGoldenCaseIsRun() throws IOException {
    GoldenOps golden = GoldenOps.read();
    assertEquals(
        golden.inFile(),
        new TreeSet<>(golden.names()),
        "ops_golden.py and GoldenOps must have the same cases");
  }

  private static void check(GoldenOps golden, String name) {
    for (Device device : Devices.all()) {
      for (DataType type : DataType.values()) {
        for (Arrangement arrangement : Arrangement.values()) {
          for (int pass = 0; pass < 2; pass++) { // the second on recycled memory
            golden.check(name, device, type, arrangement);
          }
        }
      }
    }
  }
}
