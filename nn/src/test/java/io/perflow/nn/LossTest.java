package io.perflow.nn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.perflow.autograd.GradCheck;
import io.perflow.fixtures.Samples;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Losses against numbers worked out by hand, and their gradients against differences. */
class LossTest {
  private static final Map<String, BinaryOperator<Tensor>> LOSSES =
      Map.of(
          "mean squared error", Loss::meanSquaredError,
          "mean absolute error", Loss::meanAbsoluteError,
          "huber", (x, y) -> Loss.huber(x, y, 0.5),
          "relative l2", Loss::relativeL2);

  // errors 1, -2 in the first sample and 0, 0.5 in the second
  private static final Tensor X = Tensor.of(new double[] {4, 2, 6, 8.5}, 2, 2);
  private static final Tensor Y = Tensor.of(new double[] {3, 4, 6, 8}, 2, 2);

  @Test
  void haveTheValuesOfTheirFormulas() {
    assertEquals((1 + 4 + 0 + 0.25) / 4, Loss.meanSquaredError(X, Y).item(), 1e-15);
    assertEquals((1 + 2 + 0 + 0.5) / 4, Loss.meanAbsoluteError(X, Y).item(), 1e-15);
    // 1 lies on the seam, 2 beyond it
    assertEquals((0.5 + 1.5 + 0 + 0.125) / 4, Loss.huber(X, Y, 1).item(), 1e-15);
    assertEquals((Math.sqrt(5) / 5 + 0.5 / 10) / 2, Loss.relativeL2(X, Y).item(), 1e-15);
  }

  @TestFactory
  Stream<DynamicTest> gradientsAgreeWithDifferences() {
    return LOSSES.entrySet().stream()
        .map(
            loss ->
                dynamicTest(
                    loss.getKey(),
                    () ->
                        GradCheck.require(
                            in -> loss.getValue().apply(in[0], in[1]),
                            Samples.distinct(1, 2, 3, 2),
                            Samples.of(2, 2, 3, 2))));
  }

  @Test
  void refuseTargetsOfOtherShapes() {
    Tensor column = Tensor.zeros(2, 1);
    LOSSES
        .values()
        .forEach(
            loss ->
                assertThrows(ShapeException.class, () -> loss.apply(Tensor.zeros(2, 2), column)));
    var e = assertThrows(ShapeException.class, () -> Loss.meanSquaredError(X, column));
    assertEquals("[mean squared error] y has shape [2, 1], expected [2, 2]", e.getMessage());
    assertThrows(IllegalArgumentException.class, () -> Loss.huber(X, Y, 0));
    assertThrows(ShapeException.class, () -> Loss.relativeL2(Tensor.zeros(2), Tensor.zeros(2)));
  }
}
