package io.perflow.nn.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.autograd.Gradients;
import io.perflow.autograd.Tape;
import io.perflow.nn.GoldenNetwork;
import io.perflow.nn.Parameter;
import io.perflow.nn.optim.Adam;
import io.perflow.nn.optim.Optimizer;
import io.perflow.nn.optim.Schedule;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class FnoTest {
  private static final Rng RNG = Rng.of(1);

  @Test
  void agreesWithPyTorchOnLines() throws IOException {
    GoldenNetwork.check(
        "fno1d", Fno.of1d(2, 3).modes(5).width(6).layers(3).padding(2).projection(7).build(RNG));
  }

  @Test
  void agreesWithPyTorchOnImages() throws IOException {
    GoldenNetwork.check(
        "fno2d", Fno.of2d(2, 1).modes(3, 4).width(5).layers(3).padding(3).projection(7).build(RNG));
  }

  @Test
  void agreesWithPyTorchWhenAllFrequenciesAreKept() throws IOException {
    GoldenNetwork.check(
        "fno2d_periodic", Fno.of2d(1, 2).modes(4, 5).width(4).projection(6).build(RNG));
  }

  @Test
  void conditionalFormAgreesWithPyTorch() throws IOException {
    Fno.Builder fno = Fno.of2d(3, 2).modes(3).width(4).layers(2).padding(1).projection(6);
    GoldenNetwork.check("conditional_fno", ConditionalFno.of(fno, RNG));
  }

  @Test
  void hasThePublishedNumberOfParameters() {
    assertEquals(549_569, Fno.of1d(1, 1).padding(2).build(RNG).parameterCount());
    assertEquals(2_368_001, Fno.of2d(1, 1).padding(9).build(RNG).parameterCount());
    // published with four batch norms of 2 x 20 numbers that nothing uses
    assertEquals(926_517 - 160, Fno.of2d(10, 1).width(20).build(RNG).parameterCount());
  }

  @Test
  void spectralWeightsStartUniformBetweenZeroAndOneOverThePairsOfChannels() {
    Parameter weights = SpectralConv2d.of(8, 4, 3, 3, RNG).parameters().get("weights2");
    double mean = weights.value().mean().item();
    double largest = weights.value().max(false).item();
    assertEquals(0.5 / 32, mean, 0.03 / 32);
    assertTrue(largest < 1.0 / 32 && largest > 0.95 / 32, () -> "largest " + largest);
    assertTrue(weights.value().min(false).item() >= 0);
  }

  @Test
  void worksAtAnotherResolution() {
    Fno fno = Fno.of2d(1, 1).modes(3).width(4).build(RNG);
    assertEquals(Shape.of(2, 1, 9, 14), fno.apply(RNG.normal(Shape.of(2, 1, 9, 14))).shape());
  }

  /** With zeros below the image only, what is moved along the other axis comes out moved. */
  @Test
  void paddingOfOneAxisLeavesTheOtherPeriodic() {
    assertTrue(changeByMoving(2, 0) < 1e-5, () -> "changed by " + changeByMoving(2, 0));
    assertTrue(changeByMoving(2, 2) > 1e-2, () -> "padding across has no effect");
  }

  private static double changeByMoving(int down, int across) {
    Fno.Builder builder = Fno.of2d(1, 1).modes(3).width(4).layers(2).coordinates(false);
    Fno fno = builder.padding(down, across).build(RNG);
    Tensor x = RNG.split("x").normal(Shape.of(1, 1, 8, 10));
    Tensor y = fno.apply(x);
    Tensor error = fno.apply(moved(x)).sub(moved(y)).abs();
    return error.max(false).item() / y.abs().max(false).item();
  }

  private static Tensor moved(Tensor x) {
    return Tensor.concat(3, x.slice(3, 7, 10), x.slice(3, 0, 7));
  }

  /** From a periodic function to its derivative, which no map of single points can give. */
  @Test
  void learnsToDifferentiate() {
    Fno fno = Fno.of1d(1, 1).modes(6).width(16).layers(2).projection(32).build(Rng.of(5));
    Optimizer adam = Adam.of(Schedule.warmupCosine(1e-2, 1e-5, 20, 500)).build(fno.parameters());
    Rng data = Rng.of(6);
    for (int step = 0; step < 500; step++) {
      try (Scope _ = Scope.open();
          Tape tape = Tape.watching(fno.values())) {
        Tensor[] pair = functionAndDerivative(data, 16);
        Tensor loss = fno.apply(pair[0]).sub(pair[1]).square().mean();
        Gradients gradients = tape.gradients(loss);
        adam.step(gradients);
      }
    }
    Tensor[] pair = functionAndDerivative(Rng.of(7), 64);
    double error = Math.sqrt(fno.apply(pair[0]).sub(pair[1]).square().sum().item());
    double relative = error / Math.sqrt(pair[1].square().sum().item());
    assertTrue(relative < 0.01, () -> "relative error " + relative);
  }

  /** Sums of four waves on 32 points and their derivatives, scaled to about one. */
  private static Tensor[] functionAndDerivative(Rng rng, int n) {
    int points = 32;
    float[] u = new float[n * points];
    float[] du = new float[n * points];
    for (int b = 0; b < n; b++) {
      for (int k = 1; k <= 4; k++) {
        double amplitude = (2 * rng.nextDouble() - 1) / k;
        double phase = 2 * Math.PI * rng.nextDouble();
        for (int i = 0; i < points; i++) {
          double angle = 2 * Math.PI * k * i / points + phase;
          u[b * points + i] += (float) (amplitude * Math.sin(angle));
          du[b * points + i] += (float) (amplitude * k * Math.cos(angle));
        }
      }
    }
    return new Tensor[] {Tensor.of(u, n, 1, points), Tensor.of(du, n, 1, points)};
  }

  @Test
  void refusesWhatDoesNotFit() {
    Fno fno = Fno.of2d(2, 1).modes(4).width(4).build(RNG);
    ShapeException channels =
        assertThrows(ShapeException.class, () -> fno.apply(Tensor.zeros(1, 3, 8, 8)));
    assertEquals("[fno] input [1, 3, 8, 8] must be (n, 2, h, w)", channels.getMessage());
    ShapeException small =
        assertThrows(ShapeException.class, () -> fno.apply(Tensor.zeros(1, 2, 7, 8)));
    assertTrue(small.getMessage().contains("(layer conv0)"), small::getMessage);
    assertThrows(IllegalArgumentException.class, () -> Fno.of1d(1, 1).modes(0).build(RNG));
    ConditionalFno conditional = ConditionalFno.of(Fno.of2d(2, 1), RNG);
    assertThrows(ShapeException.class, () -> conditional.run(Tensor.zeros(1, 2, 32, 32)));
  }
}
