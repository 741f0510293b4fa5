package io.perflow.nn.unet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.nn.GoldenNetwork;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ClassicUNetTest {
  private static final Rng RNG = Rng.of(1);

  @Test
  void agreesWithPyTorchInEvaluationAndTraining() throws IOException {
    GoldenNetwork.check("classic_unet", ClassicUNet.of(2, 3, 4, 2, RNG));
  }

  @Test
  void hasThePublishedNumberOfParameters() {
    assertEquals(7_762_465, ClassicUNet.of(1, 1, RNG).parameterCount());
  }

  @Test
  void anImageIsTreatedAloneInEvaluation() {
    ClassicUNet net = ClassicUNet.of(1, 1, 2, 2, RNG);
    Tensor x = Rng.of(2).normal(Shape.of(3, 1, 8, 8));
    Tensor alone = net.apply(x.slice(0, 1, 2));
    assertArrayEquals(alone.toFloats(), net.apply(x).slice(0, 1, 2).toFloats(), 1e-6f);
  }

  @Test
  void refusesWhatDoesNotFit() {
    ClassicUNet net = ClassicUNet.of(1, 1, 2, 2, RNG);
    ShapeException e =
        assertThrows(ShapeException.class, () -> net.apply(Tensor.zeros(1, 1, 8, 6)));
    assertTrue(e.getMessage().contains("multiples of 4"), e::getMessage);
    assertThrows(ShapeException.class, () -> net.apply(Tensor.zeros(1, 2, 8, 8)));
    assertThrows(IllegalArgumentException.class, () -> ClassicUNet.of(1, 1, 2, 0, RNG));
    ClassicUNet deep = ClassicUNet.of(1, 1, 2, 2, RNG);
    deep.training(true);
    assertThrows(ShapeException.class, () -> deep.apply(Tensor.zeros(1, 1, 4, 4)));
  }
}
