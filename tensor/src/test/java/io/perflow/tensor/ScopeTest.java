package io.perflow.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.cpu.memory.Buffers;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

// Alone, because the pool of recycled arrays and the number of threads belong to the whole JVM.
@Isolated
class ScopeTest {
  private static void assertRecycled(Tensor tensor) {
    var e = assertThrows(IllegalStateException.class, tensor::toFloats);
    assertTrue(e.getMessage().startsWith("this tensor's scope is closed"), e.getMessage());
  }

  @Test
  void loopOfTheSameShapesTakesNoNewMemory() {
    int threads = Settings.threads();
    Settings.threads(1); // how many threads need scratch memory at once is a matter of chance
    try {
      for (DataType type : DataType.values()) {
        Tensor x = Rng.of(1).normal(Device.cpu(), Shape.of(48, 48), type);
        long settled = 0;
        for (int i = 0; i < 20; i++) {
          if (i == 3) {
            settled = Buffers.newBytes();
          }
          try (Scope _ = Scope.open()) {
            Tensor y = x.matmul(x.transpose()).softmax().sub(x).silu();
            assertTrue(Double.isFinite(y.sum().item()));
          }
        }
        assertEquals(settled, Buffers.newBytes());
      }
    } finally {
      Settings.threads(threads);
    }
  }

  @Test
  void useAfterCloseThrows() {
    Tensor lost;
    try (Scope _ = Scope.open()) {
      lost = Tensor.ones(3).add(1);
      assertArrayEquals(new float[] {2, 2, 2}, lost.toFloats());
    }
    assertRecycled(lost);
    assertThrows(IllegalStateException.class, () -> lost.add(1));
  }

  @Test
  void keptTensorOutlivesTheScope() {
    Tensor kept;
    try (Scope scope = Scope.open()) {
      Tensor x = Tensor.ones(3).add(1);
      kept = scope.keep(x);
      assertSame(x, kept);
    }
    assertArrayEquals(new float[] {2, 2, 2}, kept.toFloats());
  }

  @Test
  void keepingViewKeepsItsMemory() {
    Tensor kept;
    try (Scope scope = Scope.open()) {
      kept = scope.keep(Tensor.arange(6).reshape(2, 3).transpose().slice(0, 1, 3));
    }
    assertArrayEquals(new float[] {1, 4, 2, 5}, kept.toFloats());
  }

  @Test
  void aLoopReplacesItsState() {
    for (boolean enclosed : new boolean[] {false, true}) {
      try (Scope outer = enclosed ? Scope.open() : null) {
        Tensor start = Tensor.ones(3);
        Tensor x = start;
        for (int i = 0; i < 4; i++) {
          Tensor before = x;
          try (Scope scope = Scope.open()) {
            Tensor next = x.add(1);
            x = i == 0 ? scope.keep(next) : scope.keep(next, x);
            assertSame(next, x);
            assertEquals(i + 1, before.toFloats()[0]); // it can be read until the scope ends
          }
          if (i > 0) {
            assertRecycled(before);
          }
        }
        assertArrayEquals(new float[] {5, 5, 5}, x.toFloats());
        assertArrayEquals(new float[] {1, 1, 1}, start.toFloats());
        assertEquals(enclosed, outer != null);
      }
    }
  }

  @Test
  void keptTensorMovesToTheEnclosingScope() {
    Tensor kept;
    Tensor lost;
    try (Scope _ = Scope.open()) {
      try (Scope inner = Scope.open()) {
        lost = Tensor.ones(3).add(1);
        kept = inner.keep(Tensor.ones(3).add(2));
      }
      assertRecycled(lost);
      assertArrayEquals(new float[] {3, 3, 3}, kept.toFloats());
    }
    assertRecycled(kept);
  }

  @Test
  void keepOfForeignTensorChangesNothing() {
    Tensor free = Tensor.ones(2);
    Tensor outers;
    try (Scope _ = Scope.open()) {
      outers = Tensor.ones(2).add(1);
      try (Scope inner = Scope.open()) {
        assertSame(free, inner.keep(free));
        assertSame(outers, inner.keep(outers));
      }
      assertArrayEquals(new float[] {2, 2}, outers.toFloats());
    }
    assertRecycled(outers);
    assertArrayEquals(new float[] {1, 1}, free.toFloats());
  }

  @Test
  void detachedTensorOutlivesAllScopes() {
    Tensor detached;
    try (Scope _ = Scope.open()) {
      try (Scope inner = Scope.open()) {
        detached = Scope.detach(inner.keep(Tensor.ones(2).add(4)));
      }
    }
    assertArrayEquals(new float[] {5, 5}, detached.toFloats());
  }

  @Test
  void forgottenInnerScopeEndsWithTheOuterOne() {
    Scope outer = Scope.open();
    Tensor x = Tensor.ones(2).add(1);
    Scope forgotten = Scope.open();
    Tensor y = Tensor.ones(2).add(1);
    outer.close();
    assertFalse(Scope.isOpen());
    assertRecycled(x);
    assertRecycled(y);
    forgotten.close();
    assertFalse(Scope.isOpen());
  }

  @Test
  void closingTwiceIsHarmless() {
    try (Scope _ = Scope.open()) {
      Scope inner = Scope.open();
      inner.close();
      Tensor x = Tensor.ones(2).add(1);
      inner.close();
      assertTrue(Scope.isOpen());
      assertArrayEquals(new float[] {2, 2}, x.toFloats());
    }
    assertFalse(Scope.isOpen());
  }

  @Test
  void scopeBelongsToItsThread() throws InterruptedException {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    AtomicReference<Tensor> made = new AtomicReference<>();
    Scope scope = Scope.open();
    Thread other =
        new Thread(
            () -> {
              made.set(Tensor.ones(2).add(1)); // this thread has no scope
              try {
                scope.close();
              } catch (IllegalStateException e) {
                failure.set(e);
              }
            },
            "other");
    other.start();
    other.join();
    assertTrue(Scope.isOpen());
    scope.close();
    assertTrue(failure.get().getMessage().endsWith("not other"), failure.get().getMessage());
    assertArrayEquals(new float[] {2, 2}, made.get().toFloats());
  }

  @Test
  void retainedStorageOutlivesTheScopeUntilReleased() {
    Tensor x;
    try (Scope _ = Scope.open()) {
      x = Tensor.ones(2).add(1);
      x.storage().retain();
    }
    assertArrayEquals(new float[] {2, 2}, x.toFloats());
    x.storage().release();
    assertRecycled(x);
  }
}
