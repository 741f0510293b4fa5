package io.perflow.nn.operator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.perflow.nn.GoldenNetwork;
import io.perflow.tensor.Rng;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class FactorizedFnoTest {
  private static final Rng RNG = Rng.of(1);

  @Test
  void agreesWithPyTorchWithSharedWeights() throws IOException {
    GoldenNetwork.check(
        "ffno_shared", FactorizedFno.of(1, 1).modes(4).width(5).layers(3).projection(6).build(RNG));
  }

  @Test
  void agreesWithPyTorchWithWeightsOfItsOwnInEachLayer() throws IOException {
    GoldenNetwork.check(
        "ffno",
        FactorizedFno.of(2, 3)
            .modes(5)
            .width(4)
            .layers(2)
            .factor(2)
            .projection(6)
            .shared(false)
            .build(RNG));
  }

  @Test
  void hasThePublishedNumberOfParameters() {
    FactorizedFno.Builder published = FactorizedFno.of(1, 1);
    assertEquals(1_072_834, published.build(RNG).parameterCount());
    assertEquals(404_674, published.layers(4).build(RNG).parameterCount());
    // 7.10 million when not shared
    assertEquals(7_102_146, published.layers(24).shared(false).build(RNG).parameterCount());
  }

  @Test
  void sharedFourierWeightsStartWithGainOneTenth() {
    Tensor weights =
        FactorizedFno.of(1, 1).layers(1).build(RNG).parameters().get("fourier_weight.1").value();
    double deviation = 0.1 * Math.sqrt(2.0 / (2 * 64 * 16 * 2));
    assertEquals(deviation, Math.sqrt(weights.square().mean().item()), 0.02 * deviation);
  }

  @Test
  void startsWithMapsAsPyTorchHasThemBeforeNormalisation() {
    FactorizedFno net = FactorizedFno.of(1, 1).width(6).layers(1).build(RNG);
    Tensor v = net.parameters().get("out.0.weight_v").value();
    Tensor g = net.parameters().get("out.0.weight_g").value();
    double[] lengths = v.square().sum(1).sqrt().toDoubles();
    assertArrayEquals(lengths, g.toDoubles(), 1e-6);
  }

  @Test
  void refusesWhatDoesNotFit() {
    FactorizedFno net = FactorizedFno.of(1, 1).modes(5).width(4).layers(1).build(RNG);
    assertThrows(ShapeException.class, () -> net.apply(Tensor.zeros(1, 2, 8, 8)));
    assertThrows(ShapeException.class, () -> net.apply(Tensor.zeros(1, 1, 7, 8)));
    assertThrows(IllegalArgumentException.class, () -> FactorizedFno.of(1, 1).layers(0).build(RNG));
  }
}
