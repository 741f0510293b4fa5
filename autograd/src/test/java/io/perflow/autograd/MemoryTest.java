package io.perflow.autograd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Samples;
import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Images;
import io.perflow.tensor.Norms;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.cpu.memory.Buffers;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Memory goes back to the pool. The class runs alone, because the pool's counter belongs to the
 * whole process.
 */
@Isolated
class MemoryTest {
  private static final Conv2dSpec SAME = Conv2dSpec.of(1, 1);

  private static Tensor single(long seed, int... shape) {
    return Samples.of(seed, shape).to(DataType.F32);
  }

  /** A residual network of {@code blocks} blocks on images of 8 channels, 32 x 32. */
  private static Tensor network(Tensor x, Tensor w, Tensor gain, Tensor bias, int blocks) {
    for (int i = 0; i < blocks; i++) {
      Tensor h = Norms.groupNormSilu(x, 4, gain, bias, 1e-5);
      x = x.add(Images.conv2d(h, w, bias, SAME));
    }
    return x;
  }

  @Test
  void aTrainingLoopAllocatesNoNewBufferAfterItsFirstSteps() {
    int threads = Settings.threads();
    Settings.threads(1); // how many kernels hold scratch memory at a time must not depend on timing
    try {
      trainAndCount();
    } finally {
      Settings.threads(threads);
    }
  }

  private static void trainAndCount() {
    Tensor w = single(1, 8, 8, 3, 3);
    Tensor gain = single(2, 8);
    Tensor bias = single(3, 8);
    Tensor x = single(4, 4, 8, 32, 32);
    long settled = 0;
    for (int step = 0; step < 12; step++) {
      try (Scope _ = Scope.open();
          Tape tape = Tape.watching(w, gain, bias)) {
        Tensor loss = network(x, w, gain, bias, 4).square().mean();
        Gradients g = tape.gradients(loss);
        Tensor next = w.addScaled(g.of(w), -0.01);
        assertTrue(Double.isFinite(next.sum().item() + g.of(bias).sum().item()));
      }
      if (step == 2) {
        settled = Buffers.newBytes();
      }
    }
    assertEquals(settled, Buffers.newBytes(), "bytes taken from the heap after the third step");
  }

  @Test
  void theReversePassRecyclesGradientsOfIntermediates() {
    // the forward pass is 200 views; each gradient is a buffer of its own
    int size = 1 << 16;
    Tensor x = single(5, size);
    long before = Buffers.newBytes();
    try (Scope _ = Scope.open();
        Tape tape = Tape.watching(x)) {
      Tensor y = x;
      for (int i = 0; i < 200; i++) {
        y = y.flip(0);
      }
      tape.gradients(y.sum());
    }
    long taken = Buffers.newBytes() - before;
    assertTrue(taken <= 4L * 4 * size, () -> "took " + taken + " bytes");
  }

  @Test
  void checkpointsHoldLess() {
    Tensor x = single(6, 70_000);
    Function<Tensor[], Tensor> block =
        in -> {
          Tensor h = in[0];
          for (int i = 0; i < 16; i++) {
            h = h.tanh(); // saves its result
          }
          return h;
        };
    long buffer = 4L * x.size();
    long checkpointed = bytes(x, h -> Tape.checkpoint(block, h)); // 8 inputs, one block at a time
    long plain = checkpointed + bytes(x, h -> block.apply(new Tensor[] {h})); // 128 results
    assertTrue(checkpointed < 40 * buffer, () -> "took " + checkpointed + " bytes");
    assertTrue(plain > 120 * buffer, () -> "took " + plain + " bytes");
  }

  private static long bytes(Tensor x, Function<Tensor, Tensor> block) {
    long before = Buffers.newBytes();
    try (Scope _ = Scope.open();
        Tape tape = Tape.watching(x)) {
      Tensor y = x;
      for (int i = 0; i < 8; i++) {
        y = block.apply(y);
      }
      assertTrue(Double.isFinite(tape.gradients(y.mean()).of(x).sum().item()));
    }
    return Buffers.newBytes() - before;
  }

  @Test
  void whatNoGradientNamesIsRecycledBeforeTheReversePass() {
    Tensor x = Samples.of(10, 8);
    try (Scope _ = Scope.open();
        Tape tape = Tape.watching(x)) {
      Tensor forgotten;
      Tensor saved;
      Tensor y;
      try (Scope scope = Scope.open()) {
        forgotten = x.add(1);
        saved = forgotten.mul(2);
        y = scope.keep(saved.square().sum());
      }
      assertThrows(IllegalStateException.class, forgotten::toDoubles);
      assertEquals(8, saved.toDoubles().length);
      tape.gradients(y);
      assertThrows(IllegalStateException.class, saved::toDoubles, "recycled by the reverse pass");
    }
  }

  @Test
  void frozenWeightsNeedNoActivations() {
    // as in a guided sampler, which asks for the gradient of its input alone
    Tensor w = single(12, 8, 8, 3, 3);
    Tensor x = single(13, 1, 8, 6, 6);
    try (Scope _ = Scope.open();
        Tape tape = Tape.watching(x)) {
      Tensor h;
      Tensor y;
      try (Scope scope = Scope.open()) {
        h = x.add(1);
        y = scope.keep(Images.conv2d(h, w, null, SAME).mul(3).sum());
      }
      assertThrows(IllegalStateException.class, h::toFloats);
      assertTrue(tape.gradients(y).of(x).abs().sum().item() > 0);
    }
  }

  @Test
  void closingAnUnusedTapeLetsEverythingGo() {
    Tensor x = Samples.of(11, 8);
    Tensor saved;
    try (Tape tape = Tape.watching(x)) {
      try (Scope _ = Scope.open()) {
        saved = x.exp();
        assertTrue(tape.follows(saved));
      }
      assertEquals(8, saved.toDoubles().length);
    }
    assertThrows(IllegalStateException.class, saved::toDoubles);
  }
}
