package io.perflow.nn.optim;

import static io.perflow.fixtures.Close.assertClose;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.autograd.Gradients;
import io.perflow.autograd.Tape;
import io.perflow.nn.Parameter;
import io.perflow.nn.TorchFixture;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OptimizerTest {
  /** The optimizers of the fixtures. */
  enum Kind {
    ADAM(Adam.of(0.03).betas(0.8, 0.9).weightDecay(0.1)),
    ADAMW(AdamW.of(0.03).weightDecay(0.1)),
    SGD(Sgd.of(0.03)),
    SGD_NESTEROV(Sgd.of(0.03).nesterov(0.9).weightDecay(0.1));

    final Optimizer.Options<?> options;

    Kind(Optimizer.Options<?> options) {
      this.options = options;
    }
  }

  // gradients with the given values: those of sum(g p)
  private static Gradients gradients(Parameter p, Tensor g) {
    try (Tape tape = Tape.watching(p.value())) {
      return tape.gradients(p.value().mul(g).sum());
    }
  }

  @ParameterizedTest
  @EnumSource
  void stepsAreThoseOfPyTorch(Kind kind) throws IOException {
    TorchFixture fixture = TorchFixture.read(kind.name().toLowerCase(java.util.Locale.ROOT));
    for (DataType type : DataType.values()) {
      Parameter p = new Parameter("p", fixture.get("p.0").to(type).mul(1));
      Optimizer optimizer = kind.options.build(Map.of("p", p));
      for (int k = 1; k <= 5; k++) {
        optimizer.step(gradients(p, fixture.get("g." + k).to(type)));
        assertClose("step " + k, fixture.get("p." + k), p.value(), 1e-6);
      }
      assertEquals(5, optimizer.steps());
    }
  }

  @Test
  void clippingScalesAllGradientsTogether() {
    Parameter a = new Parameter("a", Tensor.zeros(1));
    Parameter b = new Parameter("b", Tensor.zeros(1));
    Optimizer sgd = Sgd.of(1).clip(1).build(Map.of("a", a, "b", b));
    try (Tape tape = Tape.watching(a.value(), b.value())) {
      sgd.step(tape.gradients(a.value().mul(3).add(b.value().mul(4)).sum()));
    }
    assertEquals(-0.6, a.value().item(), 1e-6);
    assertEquals(-0.8, b.value().item(), 1e-6);
    Optimizer gentle = Sgd.of(1).clip(100).build(Map.of("a", a));
    gentle.step(gradients(a, Tensor.full(a.value().device(), a.shape(), DataType.F32, 2)));
    assertEquals(-2.6, a.value().item(), 1e-6);
    assertEquals(5, Optimizer.norm(List.of(Tensor.of(new float[] {3, 4}, 2))), 1e-6);
  }

  @Test
  void schedules() {
    Schedule cosine = Schedule.warmupCosine(1e-4, 6e-5, 10, 110);
    assertEquals(1e-5, cosine.rate(0), 1e-18);
    assertEquals(1e-4, cosine.rate(9), 1e-18);
    assertEquals(1e-4, cosine.rate(10), 1e-18);
    assertEquals(8e-5, cosine.rate(60), 1e-18);
    assertEquals(6e-5, cosine.rate(110), 1e-18);
    assertEquals(6e-5, cosine.rate(1000), 1e-18);
    Schedule steps = Schedule.steps(1, 0.5, 3);
    assertEquals(1, steps.rate(2));
    assertEquals(0.25, steps.rate(6));
    assertEquals(3, Schedule.constant(3).rate(5));
    assertThrows(IllegalArgumentException.class, () -> Schedule.warmupCosine(1, 0, 5, 5));
    assertThrows(IllegalArgumentException.class, () -> Schedule.steps(1, 1, 0));
  }

  @Test
  void theScheduleIsFollowed() {
    Parameter p = new Parameter("p", Tensor.zeros(1));
    Optimizer sgd = Sgd.of(Schedule.steps(1, 0.1, 1)).build(Map.of("p", p));
    Tensor one = Tensor.ones(1);
    sgd.step(gradients(p, one));
    assertEquals(0.1, sgd.rate(), 1e-12);
    sgd.step(gradients(p, one));
    assertEquals(-1.1, p.value().item(), 1e-6);
  }

  @Test
  void foreignStateIsRefused() {
    Parameter p = new Parameter("p", Tensor.zeros(2));
    Optimizer adam = Adam.of(1).build(Map.of("p", p));
    var e =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                adam.restore(
                    3,
                    new java.util.TreeMap<>(
                        Map.of(
                            "m/p",
                            Tensor.zeros(3),
                            "m/q",
                            Tensor.zeros(2),
                            "velocity/p",
                            Tensor.zeros(2)))));
    assertEquals(
        "[optimizer] m/p has shape [3], expected [2]; m/q is unknown; velocity/p is unknown",
        e.getMessage());
    assertEquals(0, adam.steps());
  }

  @Test
  void anAverageFollowsAndSwapsIn() {
    Parameter p = new Parameter("p", Tensor.zeros(1));
    Ema ema = Ema.of(Map.of("p", p), 0.75);
    p.assign(Tensor.ones(1));
    ema.update();
    ema.update();
    assertEquals(0.4375, ema.averages().get("p").item(), 1e-7);
    Tensor value = p.value();
    try (Ema.Swap _ = ema.swap()) {
      assertEquals(0.4375, p.value().item(), 1e-7);
    }
    assertEquals(1, p.value().item());
    assertTrue(value == p.value());
    Ema other = Ema.of(Map.of("p", p), 0.75);
    other.restore(ema.averages());
    assertEquals(0.4375, other.averages().get("p").item(), 1e-7);
    var e =
        assertThrows(
            IllegalArgumentException.class, () -> other.restore(Map.of("q", Tensor.zeros(1))));
    assertEquals("[ema] p is missing; q is unknown", e.getMessage());
    for (double decay : new double[] {1, 1.5, -0.1, Double.NaN}) {
      assertThrows(IllegalArgumentException.class, () -> Ema.of(Map.of(), decay));
    }
  }
}
