package io.perflow.nn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.perflow.autograd.Tape;
import io.perflow.fixtures.Close;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import org.junit.jupiter.api.Test;

class DropoutTest {
  @Test
  void isTheIdentityOutsideTraining() {
    Tensor x = Tensor.ones(3, 4);
    assertSame(x, Dropout.of(0.5).apply(x));
  }

  @Test
  void dropsTheShareAskedForAndKeepsTheMean() {
    Dropout dropout = Dropout.of(0.25);
    dropout.training(true);
    dropout.draw(Rng.of(1));
    Tensor y = dropout.apply(Tensor.ones(100, 200));
    assertEquals(0.25, y.eq(0).mean().item(), 0.01);
    assertEquals(4 / 3.0, y.max(false).item(), 1e-6);
    assertEquals(1, y.mean().item(), 0.02);
  }

  @Test
  void theGradientIsDroppedAlike() {
    Dropout dropout = Dropout.of(0.5);
    dropout.training(true);
    dropout.draw(Rng.of(2));
    Tensor x = Tensor.ones(5, 7);
    try (Tape tape = Tape.watching(x)) {
      Tensor y = dropout.apply(x);
      Close.assertClose("gradient", y, tape.gradients(y.sum()).of(x), 0);
    }
  }

  @Test
  void refusesRatesThatLeaveNothing() {
    assertThrows(IllegalArgumentException.class, () -> Dropout.of(1));
    assertThrows(IllegalArgumentException.class, () -> Dropout.of(-0.1));
  }
}
