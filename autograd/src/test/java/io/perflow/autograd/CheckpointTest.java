package io.perflow.autograd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.perflow.fixtures.Samples;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Recorder;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class CheckpointTest {
  private static final Tensor X = Samples.of(1, 4, 3);
  private static final Tensor W = Samples.of(2, 3, 3);
  private static final Tensor B = Samples.of(3, 3);

  private static Tensor block(Tensor x) {
    return x.matmul(W).add(B).silu().matmul(W).tanh();
  }

  private static Gradients gradients(Function<Tensor, Tensor> block) {
    try (Tape tape = Tape.watching(X, W, B)) {
      Tensor h = X.exp();
      return tape.gradients(block.apply(block.apply(h)).square().sum());
    }
  }

  private static void requireSame(Gradients expected, Gradients actual) {
    for (Tensor leaf : new Tensor[] {X, W, B}) {
      assertEquals(0, Samples.relativeError(actual.of(leaf), expected.of(leaf)), 1e-14);
    }
  }

  @Test
  void givesTheGradientsOfTheBlockAlsoToItsParameters() {
    requireSame(
        gradients(CheckpointTest::block), gradients(x -> Tape.checkpoint(in -> block(in[0]), x)));
  }

  @Test
  void nests() {
    requireSame(
        gradients(CheckpointTest::block),
        gradients(x -> Tape.checkpoint(in -> Tape.checkpoint(deep -> block(deep[0]), in[0]), x)));
  }

  @Test
  void runsTheBlockOnceMoreInTheReversePass() {
    AtomicInteger runs = new AtomicInteger();
    Function<Tensor[], Tensor> counted =
        in -> {
          runs.incrementAndGet();
          return block(in[0]);
        };
    try (Tape tape = Tape.watching(X)) {
      Tensor y = Tape.checkpoint(counted, X);
      assertEquals(1, runs.get());
      tape.gradients(y.sum());
      assertEquals(2, runs.get());
    }
    Tape.checkpoint(counted, X);
    assertEquals(3, runs.get(), "without a tape it just runs");
  }

  @Test
  void keepsNothingInsideTheBlock() {
    Tensor[] inner = new Tensor[1];
    try (Scope _ = Scope.open();
        Tape tape = Tape.watching(X)) {
      Tensor y =
          Tape.checkpoint(
              in -> {
                Tensor h = in[0].exp();
                inner[0] = inner[0] == null ? h : inner[0];
                return h.square();
              },
              X);
      assertThrows(IllegalStateException.class, inner[0]::toDoubles, "recycled");
      double[] expected = X.mul(2).exp().mul(2).toDoubles();
      assertArrayEquals(expected, tape.gradients(y.sum()).of(X).toDoubles(), 1e-12);
    }
  }

  @Test
  void anInputGivenTwiceOrCapturedCountsOnce() {
    try (Tape tape = Tape.watching(X)) {
      Tensor y = Tape.checkpoint(in -> in[0].mul(in[1]).mul(X), X, X); // x^3
      double[] expected = X.square().mul(3).toDoubles();
      assertArrayEquals(expected, tape.gradients(y.sum()).of(X).toDoubles(), 1e-14);
    }
  }

  @Test
  void aBlockMayHandItsInputThrough() {
    try (Tape tape = Tape.watching(X)) {
      Tensor y =
          Tape.checkpoint(in -> in[0], X)
              .add(Tape.checkpoint(in -> in[0].reshape(12), X).reshape(4, 3));
      double[] expected = new double[12];
      java.util.Arrays.fill(expected, 2);
      assertArrayEquals(expected, tape.gradients(y.sum()).of(X).toDoubles());
    }
  }

  @Test
  void aBlockMayIgnoreItsInput() {
    try (Tape tape = Tape.watching(X)) {
      Tensor y = Tape.checkpoint(_ -> B.exp(), X).add(X);
      double[] ones = Tensor.ones(4, 3).toDoubles();
      assertArrayEquals(ones, tape.gradients(y.sum()).of(X).toDoubles());
    }
  }

  @Test
  void canBeDifferentiatedTwice() {
    GradCheck.require(
        in -> {
          try (Tape tape = Tape.watching(in)) {
            Tensor y = Tape.checkpoint(x -> block(x[0]), in[0]);
            return tape.gradients(y.square().sum()).of(in[0]);
          }
        },
        X);
  }

  @Test
  void parametersOfAnOuterTapeAreFoundToo() {
    // slope in x by the inner tape, which knows nothing of W; then its derivative in W
    try (Tape outer = Tape.watching(W)) {
      Tensor slope;
      try (Tape inner = Tape.watching(X)) {
        slope = inner.gradients(Tape.checkpoint(in -> block(in[0]), X).sum()).of(X);
      }
      Tensor checkpointed = outer.gradients(slope.square().sum()).of(W);
      assertEquals(0, Samples.relativeError(checkpointed, mixedDerivative()), 1e-13);
    }
  }

  private static Tensor mixedDerivative() {
    try (Tape outer = Tape.watching(W)) {
      Tensor slope;
      try (Tape inner = Tape.watching(X)) {
        slope = inner.gradients(block(X).sum()).of(X);
      }
      return outer.gradients(slope.square().sum()).of(W);
    }
  }

  @Test
  void anExceptionPutsTheRecorderBack() {
    try (Tape tape = Tape.watching(X)) {
      Recorder before = Recorder.current();
      assertThrows(
          ArithmeticException.class,
          () ->
              Tape.checkpoint(
                  _ -> {
                    throw new ArithmeticException();
                  },
                  X));
      assertSame(before, Recorder.current());
      tape.gradients(X.sum());
    }
    assertNull(Recorder.current());
  }
}
