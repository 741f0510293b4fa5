package io.perflow.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CancellationTest {
  @AfterEach
  void theNextTestIsNotInterrupted() {
    Thread.interrupted();
  }

  private static String message() {
    assertTrue(Cancellation.requested());
    return assertThrows(CancellationException.class, Cancellation::check).getMessage();
  }

  @Test
  void nothingEndsAThreadThatNobodyDisturbs() {
    Cancellation.check();
    assertFalse(Cancellation.requested());
  }

  @Test
  void anInterruptEndsAndTheThreadStaysInterrupted() {
    Thread.currentThread().interrupt();
    assertEquals("the computation was ended: its thread was interrupted", message());
    assertTrue(Thread.currentThread().isInterrupted());
  }

  @Test
  void aTimeLimitEndsUntilItIsClosed() {
    try (Cancellation _ = Cancellation.after(Duration.ZERO)) {
      assertEquals("the computation was ended: the time limit of 0.0 s has passed", message());
    }
    Cancellation.check();
    try (Cancellation _ = Cancellation.after(ChronoUnit.FOREVER.getDuration())) {
      Cancellation.check();
    }
  }

  @Test
  void aConditionEndsOnceItHolds() {
    CompletableFuture<Void> future = new CompletableFuture<>();
    try (Cancellation _ = Cancellation.when(future::isCancelled)) {
      Cancellation.check();
      future.cancel(false);
      assertEquals("the computation was ended: the caller has cancelled it", message());
    }
  }

  @Test
  void theOuterOneHoldsInsideAnother() {
    try (Cancellation _ = Cancellation.after(Duration.ZERO)) {
      try (Cancellation _ = Cancellation.when(() -> false)) {
        assertTrue(Cancellation.requested());
      }
      assertTrue(Cancellation.requested());
    }
    assertFalse(Cancellation.requested());
  }

  @Test
  void anInnerOneThatWasForgottenEndsWithTheOuter() {
    Cancellation forgotten;
    try (Cancellation _ = Cancellation.when(() -> false)) {
      forgotten = Cancellation.when(() -> true);
    }
    assertFalse(Cancellation.requested());
    try (Cancellation _ = Cancellation.when(() -> true)) {
      forgotten.close(); // must not end this one
      assertTrue(Cancellation.requested());
    }
  }

  @Test
  void itBelongsToItsThread() throws InterruptedException {
    try (Cancellation open = Cancellation.when(() -> true)) {
      boolean[] elsewhere = {true};
      String[] refused = new String[1];
      Thread other =
          Thread.ofVirtual()
              .name("other")
              .start(
                  () -> {
                    elsewhere[0] = Cancellation.requested();
                    refused[0] =
                        assertThrows(IllegalStateException.class, open::close).getMessage();
                  });
      other.join();
      assertFalse(elsewhere[0]);
      assertTrue(refused[0].endsWith(", not other"), refused[0]);
    }
  }
}
