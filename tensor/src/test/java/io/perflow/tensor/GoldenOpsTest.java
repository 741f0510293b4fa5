package io.perflow.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.perflow.fixtures.Arrangement;
import io.perflow.fixtures.Close;
import io.perflow.fixtures.Devices;
import io.perflow.fixtures.Resources;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every operation against PyTorch and NumPy, on every device, in both types, however it lies. */
class GoldenOpsTest {
  // Kinds without a partner in the golden file: derivatives, which the gradient checks hold, and
  // tests for NaN and zero, which ElementwiseEdgesTest holds.
  private static final Set<String> ELSEWHERE = Set.of("silu_grad", "gelu_grad", "is_nan", "not");

  @TestFactory
  List<DynamicTest> agreesWithTheReferenceFrameworks() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    Map<String, Tensor> golden = golden();
    GoldenOps.all()
        .forEach(
            (name, op) -> {
              if (!ELSEWHERE.contains(name)) {
                tests.add(dynamicTest(name, () -> check(name, op, golden)));
              }
            });
    return tests;
  }

  @Test
  void everyGoldenCaseIsRun() throws IOException {
    Set<String> inFile = new TreeSet<>();
    golden().keySet().forEach(entry -> inFile.add(entry.substring(0, entry.indexOf('/'))));
    Set<String> run = new TreeSet<>(GoldenOps.all().keySet());
    run.removeAll(ELSEWHERE);
    assertEquals(inFile, run);
  }

  private static Map<String, Tensor> golden() throws IOException {
    try (SafeTensors file = SafeTensors.read(Resources.path("/tensor/ops.safetensors"))) {
      return file.loadAll();
    }
  }

  private static void check(
      String name, Function<Tensor[], Tensor> op, Map<String, Tensor> golden) {
    for (Device device : Devices.all()) {
      for (DataType type : DataType.values()) {
        for (Arrangement arrangement : Arrangement.values()) {
          for (int pass = 0; pass < 2; pass++) { // the second on recycled memory
            check(name, op, golden, device, type, arrangement);
          }
        }
      }
    }
  }

  private static void check(
      String name,
      Function<Tensor[], Tensor> op,
      Map<String, Tensor> golden,
      Device device,
      DataType type,
      Arrangement arrangement) {
    try (Scope scope = Scope.open()) {
      List<Tensor> inputs = new ArrayList<>();
      for (int i = 0; golden.containsKey(name + "/in" + i); i++) {
        inputs.add(arrangement.of(golden.get(name + "/in" + i).to(type).to(device)));
      }
      Close.assertClose(
          "%s on %s in %s, %s".formatted(name, device, type, arrangement),
          golden.get(name + "/out"),
          op.apply(inputs.toArray(new Tensor[0])),
          Close.tolerance(type));
    }
  }
}
