package io.perflow.cuda;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.perflow.fixtures.Arrangement;
import io.perflow.fixtures.GoldenOps;
import io.perflow.tensor.DataType;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every operation against PyTorch and NumPy on the emulated device, however its inputs lie. */
class EmulatedGoldenOpsTest {
  @TestFactory
  List<DynamicTest> agreesWithTheReferenceFrameworks() throws IOException {
    GoldenOps golden = GoldenOps.read();
    return golden.names().stream()
        .map(name -> dynamicTest(name, () -> check(golden, name)))
        .toList();
  }

  private static void check(GoldenOps golden, String name) {
    for (DataType type : DataType.values()) {
      for (Arrangement arrangement : Arrangement.values()) {
        golden.check(name, Emulated.device(), type, arrangement);
      }
    }
  }
}
