package io.perflow.physics.prior;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.ProgressListener;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Modes that are made when they are needed. */
class ModesTest {
  private static final int RANK = 300;
  private final AtomicInteger made = new AtomicInteger();
  private final AtomicInteger begun = new AtomicInteger();

  // mode i is i + 1 everywhere
  private final Modes modes =
      new Modes(
          RANK,
          2,
          () -> {
            begun.incrementAndGet();
            return (first, count, columns) -> {
              made.addAndGet(count);
              for (int i = first; i < first + count; i++) {
                columns[i] = i + 1;
                columns[RANK + i] = i + 1;
              }
            };
          });

  @Test
  void nothingIsMadeBeforeItIsNeededAndNothingTwice() {
    assertEquals(RANK, modes.rank());
    assertEquals(0, begun.get());
    Tensor all = modes.get(ProgressListener.NONE);
    assertSame(all, modes.get(ProgressListener.NONE));
    assertEquals(RANK, made.get());
    assertArrayEquals(new int[] {2, RANK}, all.shape().toArray());
    assertEquals(RANK, all.get(1, RANK - 1));
  }

  @Test
  void aCancelledAttemptIsContinued() {
    List<Double> parts = new ArrayList<>();
    try (Cancellation _ = Cancellation.when(() -> parts.size() == 2)) {
      assertThrows(CancellationException.class, () -> modes.get((part, note) -> parts.add(part)));
    }
    int before = made.get();
    assertTrue(before > 0 && before < RANK, before + " modes");
    Tensor all = modes.get((part, note) -> parts.add(part));
    assertEquals(RANK, made.get());
    assertEquals(1, begun.get());
    assertEquals(RANK * (RANK + 1), all.sum().item());
    assertEquals(parts.stream().sorted().toList(), parts);
  }
}
