package io.perflow.nn.unet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.perflow.autograd.Tape;
import io.perflow.nn.optim.AdamW;
import io.perflow.nn.optim.Ema;
import io.perflow.nn.optim.Optimizer;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.cpu.memory.Buffers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A loop of constant shapes settles at no new buffer. Alone, since the pool is the process's. */
@Isolated
class SteadyMemoryTest {
  private final UNet net = UNet.of(UNetConfig.periodic(), Rng.of(2));
  private final Tensor x = Rng.of(3).normal(Shape.of(2, 3, 32, 32));
  private final Tensor t = Rng.of(5).uniform(Shape.of(2));

  @Test
  void sampling() {
    settles(
        () -> {
          try (Scope _ = Scope.open()) {
            net.apply(x, t);
          }
        });
  }

  @Test
  void training() {
    Optimizer adam = AdamW.of(1e-4).clip(1).build(net.parameters());
    Ema ema = Ema.of(net.parameters(), 0.9);
    settles(
        () -> {
          try (Scope _ = Scope.open();
              Tape tape = Tape.watching(net.values())) {
            adam.step(tape.gradients(net.apply(x, t).square().mean()));
            ema.update();
          }
        });
  }

  // How many threads hold scratch memory at once is chance, so the first steps need not be enough:
  // a loop that leaks takes new memory at every one.
  private static void settles(Runnable step) {
    int quiet = 0;
    for (int i = 0; i < 60 && quiet < 5; i++) {
      long before = Buffers.newBytes();
      step.run();
      quiet = Buffers.newBytes() == before ? quiet + 1 : 0;
    }
    assertEquals(5, quiet, "steps in a row without a new buffer");
  }
}
