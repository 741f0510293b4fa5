package io.perflow.autograd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;
import io.perflow.tensor.op.Op;
import io.perflow.tensor.op.Recorder;
import io.perflow.tensor.op.Saved;
import io.perflow.tensor.op.Vjp;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TapeTest {
  @AfterEach
  void leavesNoRecorderBehind() {
    Recorder left = Recorder.install(null);
    assertNull(left);
  }

  private static Tensor vector(double... values) {
    return Tensor.of(values, values.length);
  }

  @Test
  void differentiatesACompositionByHand() {
    Tensor x = vector(1, 2, 3);
    Tensor w = vector(0.5, -1, 2);
    try (Tape tape = Tape.watching(x, w)) {
      Gradients g = tape.gradients(x.square().mul(w).sum());
      assertArrayEquals(new double[] {1, -4, 12}, g.of(x).toDoubles());
      assertArrayEquals(new double[] {1, 4, 9}, g.of(w).toDoubles());
    }
  }

  @Test
  void sumsOverEveryUse() {
    Tensor x = vector(3, -2);
    try (Tape tape = Tape.watching(x)) {
      Tensor y = x.mul(x).add(x).add(x.mul(2)); // x^2 + 3 x
      assertArrayEquals(new double[] {9, -1}, tape.gradients(y.sum()).of(x).toDoubles());
    }
  }

  @Test
  void gradientOfTheLeafItselfIsTheSeed() {
    Tensor x = vector(3, -2);
    Tensor seed = vector(5, 7);
    try (Tape tape = Tape.watching(x)) {
      assertArrayEquals(new double[] {5, 7}, tape.gradients(x, seed).of(x).toDoubles());
    }
  }

  @Test
  void aSeedMakesAVectorJacobianProduct() {
    Tensor x = vector(1, 2);
    try (Tape tape = Tape.watching(x)) {
      Gradients g = tape.gradients(x.square(), vector(10, 100));
      assertArrayEquals(new double[] {20, 400}, g.of(x).toDoubles());
    }
  }

  @Test
  void leafWithoutInfluenceHasZeros() {
    Tensor x = vector(1, 2);
    Tensor idle = Tensor.zeros(2, 3);
    try (Tape tape = Tape.watching(List.of(x, idle))) {
      Tensor zero = tape.gradients(x.sum()).of(idle);
      assertEquals(Shape.of(2, 3), zero.shape());
      assertArrayEquals(new double[6], zero.toDoubles());
    }
  }

  @Test
  void flatOperationsHaveZeroGradient() {
    Tensor x = vector(1.5, 2.5);
    try (Tape tape = Tape.watching(x)) {
      assertArrayEquals(new double[2], tape.gradients(x.greater(2).sum()).of(x).toDoubles());
    }
  }

  @Test
  void gradientsFlowThroughViews() {
    Tensor x = Tensor.of(new double[] {1, 2, 3, 4, 5, 6}, 2, 3);
    try (Tape tape = Tape.watching(x)) {
      Tensor y = x.transpose().slice(0, 2, 2, -2).reshape(4).mul(vector(1, 2, 3, 4));
      Gradients g = tape.gradients(y.sum());
      assertArrayEquals(new double[] {3, 0, 1, 4, 0, 2}, g.of(x).toDoubles());
    }
  }

  @Test
  void emptyTensorsHaveEmptyGradients() {
    Tensor x = Tensor.of(new double[0], 0, 3);
    try (Tape tape = Tape.watching(x)) {
      Gradients g = tape.gradients(x.exp().reshape(3, 0).sum());
      assertEquals(Shape.of(0, 3), g.of(x).shape());
    }
  }

  @Test
  void nothingIsRecordedWithoutATape() {
    assertNull(Recorder.current());
    Tensor x = vector(1, 2);
    try (Tape tape = Tape.watching(x)) {
      assertNotNull(Recorder.current());
      tape.gradients(x.sum());
      assertNull(Recorder.current(), "a used tape listens no more");
    }
  }

  @Test
  void onlyWhatDependsOnALeafIsRecorded() {
    Tensor x = vector(1, 2);
    Tensor other = vector(3, 4);
    try (Tape tape = Tape.watching(x)) {
      Tensor unrelated = new CountingOp().apply(other);
      Tensor related = new CountingOp().apply(x);
      assertTrue(tape.follows(related));
      assertTrue(!tape.follows(unrelated));
      CountingOp.gradients = 0;
      tape.gradients(related.mul(unrelated).sum());
      assertEquals(1, CountingOp.gradients);
    }
  }

  @Test
  void operationMayReturnItsInput() {
    Tensor x = vector(1, 2);
    try (Tape tape = Tape.watching(x)) {
      Tensor same = new TripledGradient().apply(x);
      assertSame(x, same);
      assertArrayEquals(new double[] {3, 3}, tape.gradients(same.sum()).of(x).toDoubles());
    }
  }

  @Test
  void scopesInsideATapeMayCloseBeforeTheReversePass() {
    Tensor x = vector(1, 2);
    try (Tape tape = Tape.watching(x)) {
      Tensor y;
      try (Scope scope = Scope.open()) {
        y = scope.keep(x.exp().square().sum()); // exp's result is saved by both
      }
      double[] expected = {2 * Math.exp(2), 2 * Math.exp(4)};
      assertArrayEquals(expected, tape.gradients(y).of(x).toDoubles(), 1e-12);
    }
  }

  @Test
  void gradientsBelongToTheScopeThatAskedForThem() {
    Tensor x = vector(1, 2);
    Tensor kept;
    Tensor lost;
    try (Scope scope = Scope.open()) {
      try (Tape tape = Tape.watching(x)) {
        Tensor y = x.square().sum();
        Gradients g = tape.gradients(y);
        kept = scope.keep(g.of(x));
      }
      try (Tape tape = Tape.watching(x)) {
        lost = tape.gradients(x.square().sum()).of(x);
      }
      assertArrayEquals(new double[] {2, 4}, lost.toDoubles());
    }
    assertArrayEquals(new double[] {2, 4}, kept.toDoubles());
    assertThrows(IllegalStateException.class, lost::toDoubles);
  }

  @Test
  void gradientsSharedByTwoLeavesAreCountedTwice() {
    Tensor a = vector(1, 2);
    Tensor b = vector(3, 4);
    Tensor keptA;
    try (Scope scope = Scope.open()) {
      try (Tape tape = Tape.watching(a, b)) {
        Gradients g = tape.gradients(a.add(b).exp().sum()); // one tensor for both
        keptA = scope.keep(g.of(a));
        g.of(b).toDoubles();
      }
    }
    try (Scope _ = Scope.open()) {
      vector(0, 0).add(1); // would overwrite recycled memory
      assertArrayEquals(new double[] {Math.exp(4), Math.exp(6)}, keptA.toDoubles(), 1e-9);
    }
  }

  @Test
  void viewsKeepTheirMemoryAlive() {
    Tensor x = Tensor.of(new double[] {1, 2, 3, 4}, 2, 2);
    try (Scope _ = Scope.open();
        Tape tape = Tape.watching(x)) {
      Tensor y;
      try (Scope scope = Scope.open()) {
        Tensor view = x.mul(3).reshape(4).flip(0);
        y = scope.keep(view.square()); // saves the view, whose storage belongs to the inner scope
      }
      vector(9, 9, 9, 9).mul(1);
      Gradients g = tape.gradients(y.sum());
      assertArrayEquals(new double[] {18, 36, 54, 72}, g.of(x).toDoubles());
    }
  }

  @Test
  void refusesWhatIsNoScalar() {
    Tensor x = vector(1, 2);
    try (Tape tape = Tape.watching(x)) {
      var e = assertThrows(ShapeException.class, () -> tape.gradients(x.square()));
      assertTrue(e.getMessage().contains("[2] is not a scalar"), e.getMessage());
      tape.gradients(x.sum()); // the mistake did not use up the tape
    }
  }

  @Test
  void refusesASeedOfAnotherShape() {
    Tensor x = vector(1, 2);
    try (Tape tape = Tape.watching(x)) {
      Tensor y = x.square();
      assertThrows(ShapeException.class, () -> tape.gradients(y, vector(1, 2, 3)));
    }
  }

  @Test
  void refusesAnOutputThatDependsOnNothingWatched() {
    Tensor x = vector(1, 2);
    Tensor before = x.square().sum();
    try (Tape tape = Tape.watching(x)) {
      var e = assertThrows(IllegalArgumentException.class, () -> tape.gradients(before));
      assertTrue(e.getMessage().contains("does not depend on anything"), e.getMessage());
    }
  }

  @Test
  void refusesALeafThatWasNotWatched() {
    Tensor x = vector(1, 2);
    try (Tape tape = Tape.watching(x)) {
      Gradients g = tape.gradients(x.sum());
      var e = assertThrows(IllegalArgumentException.class, () -> g.of(vector(1, 2)));
      assertTrue(e.getMessage().contains("was not watched"), e.getMessage());
    }
  }

  @Test
  void servesOneReversePass() {
    Tensor x = vector(1, 2);
    Tape tape = Tape.watching(x);
    Tensor y = x.sum();
    tape.gradients(y);
    var used = assertThrows(IllegalStateException.class, () -> tape.gradients(y));
    assertTrue(used.getMessage().contains("has been used"), used.getMessage());
    tape.close();
    tape.close();
    var closed = assertThrows(IllegalStateException.class, () -> tape.gradients(y));
    assertTrue(closed.getMessage().contains("closed"), closed.getMessage());
  }

  @Test
  void belongsToItsThread() {
    Tensor x = vector(1, 2);
    try (Tape tape = Tape.watching(x)) {
      Tensor y = x.sum();
      var e =
          assertThrows(
              CompletionException.class,
              () -> CompletableFuture.runAsync(() -> tape.gradients(y)).join());
      assertTrue(e.getCause().getMessage().contains("belongs to thread"), e.getMessage());
      var f =
          assertThrows(
              CompletionException.class, () -> CompletableFuture.runAsync(tape::close).join());
      assertTrue(f.getCause().getMessage().contains("belongs to thread"), f.getMessage());
      assertNull(CompletableFuture.supplyAsync(Recorder::current).join());
      tape.gradients(y);
    }
  }

  @Test
  void anExceptionLeavesTheThreadClean() {
    Tensor x = vector(1, 2);
    assertThrows(
        ShapeException.class,
        () -> {
          try (Tape tape = Tape.watching(x)) {
            tape.gradients(x.square().add(vector(1, 2, 3)).sum());
          }
        });
    assertNull(Recorder.current());
  }

  @Test
  void anExceptionInAGradientLetsEverythingGo() {
    try (Scope _ = Scope.open()) {
      Tensor x = vector(1, 2).mul(1);
      Tensor saved;
      try (Tape tape = Tape.watching(x)) {
        try (Scope _ = Scope.open()) {
          saved = x.exp();
          Tensor y = new Failing().apply(saved.square()).sum();
          assertThrows(UnsupportedOperationException.class, () -> tape.gradients(y));
        }
        assertThrows(IllegalStateException.class, saved::toDoubles, "nothing holds it any more");
        assertNull(Recorder.current());
      }
    }
  }

  @Test
  void aForgottenInnerTapeEndsWithTheOuterOne() {
    Tensor x = vector(1, 2);
    try (Tape outer = Tape.watching(x)) {
      Tape forgotten = Tape.watching(x);
      Tensor y = x.sum();
      var e = assertThrows(IllegalStateException.class, () -> outer.gradients(y));
      assertTrue(e.getMessage().contains("on top"), e.getMessage());
      assertNotNull(forgotten);
    }
    assertNull(Recorder.current());
  }

  @Test
  void passesOperationsOnToAnEnclosingRecorder() {
    List<String> heard = new ArrayList<>();
    Recorder.install((op, _, _) -> heard.add(op.name()));
    try {
      Tensor x = vector(1, 2);
      try (Tape tape = Tape.watching(x)) {
        tape.gradients(x.exp().sum());
      }
      assertEquals(List.of("exp", "sum", "reshape", "expand", "mul"), heard);
    } finally {
      Recorder.install(null);
    }
  }

  @Test
  void namesTheRuleThatLooksAtWhatItDidNotSave() {
    Tensor x = vector(1, 2);
    try (Tape tape = Tape.watching(x)) {
      Tensor y = new Peeking().apply(x).sum();
      var e = assertThrows(IllegalStateException.class, () -> tape.gradients(y));
      assertEquals("[peeking] vjp reads input 0, which saved() does not name", e.getMessage());
    }
  }

  @Test
  void namesTheRuleWhoseGradientHasAnotherShape() {
    Tensor x = vector(1, 2);
    try (Tape tape = Tape.watching(x)) {
      Tensor y = new Misshapen().apply(x).sum();
      var e = assertThrows(IllegalStateException.class, () -> tape.gradients(y));
      assertEquals(
          "[misshapen] vjp returned a gradient of shape [] for input 0 of shape [2]",
          e.getMessage());
    }
  }

  /** An operation of one input that keeps its shape. */
  private abstract static class Same implements Op {
    @Override
    public Shape outputShape(Tensor... inputs) {
      return inputs[0].shape();
    }

    @Override
    public Tensor[] forward(Backend backend, Tensor... inputs) {
      return Op.only(inputs[0]);
    }

    @Override
    public String name() {
      return getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT);
    }

    @Override
    public Saved saved() {
      return Saved.NOTHING;
    }
  }

  private static final class CountingOp extends Same {
    static int gradients;

    @Override
    public Tensor[] forward(Backend backend, Tensor... inputs) {
      return Op.only(inputs[0].view(inputs[0].layout()));
    }

    @Override
    public Tensor[] vjp(Vjp v) {
      gradients++;
      return Op.only(v.grad());
    }
  }

  private static final class TripledGradient extends Same {
    @Override
    public Tensor[] vjp(Vjp v) {
      return Op.only(v.grad().mul(3));
    }
  }

  private static final class Peeking extends Same {
    @Override
    public Tensor[] vjp(Vjp v) {
      return Op.only(v.input(0));
    }
  }

  private static final class Misshapen extends Same {
    @Override
    public Tensor[] vjp(Vjp v) {
      return Op.only(v.grad().sum());
    }
  }

  private static final class Failing extends Same {
    @Override
    public Tensor[] vjp(Vjp v) {
      throw new UnsupportedOperationException("[failing] has no gradient");
    }
  }
}
