package io.perflow.nn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Close;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LayerTest {
  private static final Rng RNG = Rng.of(5);

  /** A layer with a buffer and a layer inside. */
  private static final class Counting extends UnaryLayer {
    private final Linear inner = child("inner.0", Linear.of(3, 2).build(RNG.split("inner")));
    private final Parameter calls = buffer("calls", Tensor.zeros(1));

    @Override
    protected Tensor forward(Tensor x) {
      if (training()) {
        calls.assign(calls.value().add(1));
      }
      return inner.apply(x);
    }
  }

  @Test
  void namesAreDottedAndInOrder() {
    Counting layer = new Counting();
    assertEquals(
        List.of("inner.0.weight", "inner.0.bias"), List.copyOf(layer.parameters().keySet()));
    assertEquals(
        List.of("calls", "inner.0.weight", "inner.0.bias"), List.copyOf(layer.state().keySet()));
    assertEquals("inner.0", layer.inner.path());
    assertEquals(8, layer.parameterCount());
  }

  @Test
  void trainingReachesBuffers() {
    Counting layer = new Counting();
    layer.apply(Tensor.ones(1, 3));
    layer.training(true);
    layer.apply(Tensor.ones(1, 3));
    assertEquals(1, layer.calls.value().item());
  }

  @Test
  void oneLayerHasOnePlace() {
    Linear linear = Linear.of(2, 2).build(RNG);
    Sequential.of(linear);
    assertThrows(IllegalArgumentException.class, () -> Sequential.of(linear));
    assertThrows(IllegalArgumentException.class, Sequential::of);
  }

  @Test
  void valuesOutliveTheScopeTheyWereMadeIn() {
    Linear linear;
    try (Scope _ = Scope.open()) {
      linear = Linear.of(4, 4).build(RNG);
    }
    assertEquals(16, linear.parameters().get("weight").value().toFloats().length);
  }

  @Test
  void typeChangesWithTheLayer() {
    Linear linear = Linear.of(4, 4).build(RNG);
    linear.to(DataType.F64);
    assertEquals(DataType.F64, linear.apply(Tensor.of(new double[4], 1, 4)).type());
  }

  @Test
  void assignKeepsTheTensorAndChecksTheShape() {
    Parameter p = new Parameter("weight", Tensor.zeros(2, 3));
    Tensor before = p.value();
    p.assign(Tensor.ones(2, 3));
    assertSame(before, p.value());
    assertEquals(6, p.value().sum().item());
    var e = assertThrows(ShapeException.class, () -> p.assign(Tensor.ones(3, 2)));
    assertEquals(
        "[assign] value for parameter weight has shape [3, 2], expected [2, 3]", e.getMessage());
  }

  @Test
  void firstValuesDependOnTheSeedAlone() {
    float[] a = Conv2d.of(3, 4, 3).build(Rng.of(9)).parameters().get("weight").value().toFloats();
    float[] b = Conv2d.of(3, 4, 3).build(Rng.of(9)).parameters().get("weight").value().toFloats();
    float[] c = Conv2d.of(3, 4, 3).build(Rng.of(8)).parameters().get("weight").value().toFloats();
    assertTrue(Arrays.equals(a, b));
    assertFalse(Arrays.equals(a, c));
  }

  @Test
  void kaimingFillsItsInterval() {
    Tensor w = Initializer.kaiming(16).make(Shape.of(1000, 16), Rng.of(3));
    assertEquals(0.25, w.max(false).item(), 1e-3);
    assertEquals(-0.25, w.min(false).item(), 1e-3);
    assertEquals(0, w.mean().item(), 5e-3);
    assertEquals(1.0 / 48, w.square().mean().item(), 5e-4);
    Tensor n = Initializer.normal(0.5).make(Shape.of(16000), Rng.of(3));
    assertEquals(0.25, n.square().mean().item(), 1e-2);
  }

  @Test
  void shapeErrorsNameTheLayer() {
    Sequential net =
        Sequential.of(Conv2d.of(3, 8, 3).padding(1).build(RNG), Conv2d.of(4, 8, 1).build(RNG));
    var e = assertThrows(ShapeException.class, () -> net.apply(Tensor.zeros(1, 3, 4, 4)));
    assertEquals(
        "[conv2d] input [1, 8, 4, 4] must be (n, 4, h, w), weight is [8, 4, 1, 1] (layer 1)",
        e.getMessage());
    Linear linear = Linear.of(3, 2).build(RNG);
    e = assertThrows(ShapeException.class, () -> linear.apply(Tensor.zeros(2, 4)));
    assertEquals("[linear] input [2, 4] must be (…, 3)", e.getMessage());
    GroupNorm norm = GroupNorm.of(2, 4);
    assertThrows(ShapeException.class, () -> norm.apply(Tensor.zeros(1, 3, 2, 2)));
    assertThrows(
        ShapeException.class,
        () -> norm.apply(Tensor.zeros(1, 4, 2, 2), Tensor.zeros(1, 4), Tensor.zeros(2, 4)));
    assertThrows(ShapeException.class, () -> GroupNorm.of(3, 4));
    assertThrows(ShapeException.class, () -> Attention.of(6, 4, 2, RNG));
    assertThrows(ShapeException.class, () -> Conv2d.of(3, 4, 3).groups(2).build(RNG));
    assertThrows(IllegalArgumentException.class, () -> TimeEmbedding.of(3, 4, RNG));
  }

  @Test
  void aConvolutionAddsAnImage() {
    for (int kernel : new int[] {1, 3, 5}) { // a product, Winograd's algorithm and a direct sum
      Conv2d conv = Conv2d.of(8, 24, kernel).padding(kernel / 2).build(RNG);
      Tensor x = RNG.split("x").normal(Shape.of(2, 8, 6, 9));
      Tensor image = RNG.split("image").normal(Shape.of(2, 24, 6, 9));
      Close.assertClose("kernel " + kernel, conv.apply(x).add(image), conv.apply(x, image), 1e-6);
    }
  }

  @Test
  void inputsAreCountedForTheLayerByName() {
    Tensor x = Tensor.zeros(1, 8, 4, 4);
    Layer net = Sequential.of(GroupNorm.of(2, 8), ResBlock.of(8, 8, 4).build(RNG));
    var e = assertThrows(ShapeException.class, () -> net.run(x));
    assertEquals("[ResBlock] takes 2 to 3 inputs, 1 given (layer 1)", e.getMessage());
    e = assertThrows(ShapeException.class, () -> net.run(x, x, x, x));
    assertEquals("[GroupNorm] takes 1 to 3 inputs, 4 given (layer 0)", e.getMessage());
    Layer linear = Linear.of(4, 4).build(RNG);
    e = assertThrows(ShapeException.class, () -> linear.run(x, x));
    assertEquals("[Linear] takes 1 input, 2 given", e.getMessage());
    e = assertThrows(ShapeException.class, linear::run);
    assertEquals("[Linear] takes 1 input, 0 given", e.getMessage());
  }

  @Test
  void layersServeWhereAFunctionIsAskedFor() {
    UnaryOperator<Tensor> relu = Activation.relu();
    assertEquals(3, Stream.iterate(Tensor.scalar(3), relu).limit(3).toList().get(2).item());
  }

  @Test
  void aSummaryCountsParametersAndProducts() {
    Sequential net = Sequential.of(Conv2d.of(3, 8, 3).padding(1).build(RNG), GroupNorm.silu(2, 8));
    Summary summary = Summary.of(net, Tensor.zeros(2, 3, 4, 5));
    assertEquals(2, summary.lines().size());
    assertEquals(3 * 8 * 9 + 8 + 16, summary.parameters());
    assertEquals(2 * 4 * 5 * 8 * 27, summary.multiplyAdds());
    List<String> table = summary.toString().lines().toList();
    assertTrue(table.get(0).startsWith("layer"), table.get(0));
    assertTrue(table.get(1).contains("[2, 8, 4, 5]"), table.get(1));
    assertTrue(table.get(3).startsWith("total"), table.get(3));
  }
}
