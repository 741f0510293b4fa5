package io.perflow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.perflow.autograd.Gradients;
import io.perflow.autograd.Tape;
import io.perflow.fixtures.OpCase;
import io.perflow.fixtures.OpCases;
import io.perflow.fixtures.Samples;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Move;
import io.perflow.tensor.op.Vjp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every operation and its gradient by vectors and on the emulated device, in both types, against
 * the scalar definition. The cases are those of the gradient checks, which a test of their own
 * holds to be complete; the table in the documentation is made from them, and from what the kernels
 * are.
 */
class OperationCoverageTest {
  private static final Path TABLE = Path.of("../docs/operations.md");

  private static Map<String, List<OpCase>> byName() {
    return OpCases.all().stream()
        .filter(c -> !(c.op() instanceof Move)) // names its devices; has a test of its own
        .collect(Collectors.groupingBy(c -> c.op().name(), TreeMap::new, Collectors.toList()));
  }

  @TestFactory
  Stream<DynamicTest> forwardAndGradientAgreeWithTheDefinition() {
    return byName().entrySet().stream()
        .map(
            entry ->
                dynamicTest(
                    entry.getKey(),
                    () -> {
                      for (OpCase test : entry.getValue()) {
                        for (Device device : List.of(Device.cpu(), Emulated.device())) {
                          compare(test, device, DataType.F32, 2e-5);
                          compare(test, device, DataType.F64, 1e-12);
                        }
                      }
                    }));
  }

  private static void compare(OpCase test, Device device, DataType type, double tolerance) {
    try (Scope _ = Scope.open()) {
      // both start from numbers that the type can hold
      OpCase rounded = test.map(x -> x.to(type));
      Tensor[] actual = resultAndGradients(rounded.map(x -> x.to(device)));
      Tensor[] expected =
          resultAndGradients(rounded.map(x -> x.to(DataType.F64).to(Device.reference())));
      for (int i = 0; i < actual.length; i++) {
        double error = Samples.relativeError(actual[i], expected[i]);
        String what = i == 0 ? "result" : "gradient of input " + (i - 1);
        assertTrue(
            error <= tolerance,
            () ->
                "%s of %s in %s on %s: relative error %.2e"
                    .formatted(what, test.op(), type, device, error));
      }
    }
  }

  /** The result, then the gradients with respect to the moving inputs. */
  private static Tensor[] resultAndGradients(OpCase test) {
    Tensor[] in = test.moving();
    try (Tape tape = Tape.watching(in)) {
      Tensor y = test.function().apply(in);
      Tensor seed = Samples.of(77, y.shape().toArray()).to(DataType.F32).to(y.type());
      Gradients g = tape.gradients(y, seed.to(y.device()));
      List<Tensor> all = new ArrayList<>(List.of(y));
      Arrays.stream(in).map(g::of).forEach(all::add);
      return all.toArray(Tensor[]::new);
    }
  }

  @Test
  void numbersMoveThereAndBack() {
    for (DataType type : DataType.values()) {
      Tensor x = Samples.of(5, 3, 4).to(type);
      Tensor there = x.to(Emulated.device()).transpose();
      assertEquals(Emulated.device(), there.device());
      assertEquals(0, Samples.relativeError(there.to(Device.cpu()).transpose(), x));
      assertEquals(0, Samples.relativeError(there.to(DataType.F64).transpose(), x));
    }
  }

  @Test
  void tableInTheDocumentationIsTrue() throws IOException {
    StringBuilder table = new StringBuilder();
    table.append("| operation | cases | vectors | CUDA | gradient |\n");
    table.append("|---|---|---|---|---|\n");
    byName().forEach((name, cases) -> table.append(row(name, cases)));
    String page = Files.readString(TABLE);
    assertTrue(
        page.contains(table),
        () -> "docs/operations.md must contain the following table:\n" + table);
  }

  private static String row(String name, List<OpCase> cases) {
    boolean view = cases.stream().allMatch(c -> VectorKernels.of(c, DataType.F32).isEmpty());
    return "| `%s` | %d | %s | %s | %s |\n"
        .formatted(
            name,
            cases.size(),
            view ? "view" : types(type -> cases.stream().allMatch(c -> vectors(c, type))),
            view ? "view" : types(type -> true), // the kernels that the comparison above has run
            cases.stream().anyMatch(OperationCoverageTest::hasGradient) ? "yes" : "none");
  }

  private static String types(Predicate<DataType> which) {
    String types =
        Arrays.stream(DataType.values())
            .filter(which)
            .map(DataType::name)
            .collect(Collectors.joining(", "));
    return types.isEmpty() ? "none" : types;
  }

  private static boolean vectors(OpCase test, DataType type) {
    return VectorKernels.of(test, type).stream().allMatch(kernel -> kernel.computes(type));
  }

  /** Whether the operation's own rule gives a gradient for any of the moving inputs. */
  private static boolean hasGradient(OpCase test) {
    Tensor[] outputs = test.op().forward(test.inputs()[0].device().backend(), test.inputs());
    Tensor[] gradients =
        test.op()
            .vjp(
                new Vjp() {
                  @Override
                  public Tensor grad() {
                    return outputs[0];
                  }

                  @Override
                  public Tensor input(int i) {
                    return test.inputs()[i];
                  }

                  @Override
                  public Tensor output(int i) {
                    return outputs[i];
                  }

                  @Override
                  public Shape shape(int i) {
                    return input(i).shape();
                  }

                  @Override
                  public int count() {
                    return test.inputs().length;
                  }

                  @Override
                  public boolean needs(int i) {
                    return i < test.moving().length;
                  }
                });
    return Arrays.stream(gradients).anyMatch(Objects::nonNull);
  }
}
