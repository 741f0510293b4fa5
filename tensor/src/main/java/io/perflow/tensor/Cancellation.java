package io.perflow.tensor;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Ends long computations of the calling thread early: when it is interrupted, after a deadline, or
 * when a condition holds.
 *
 * <pre>{@code
 * try (Cancellation _ = Cancellation.after(Duration.ofSeconds(2))) {
 *   return sampler.draw(readings, 20, rng); // throws a CancellationException at most one step after the limit
 * }
 * }</pre>
 *
 * <p>Computations of several steps call {@link #check} before each of them. An interrupt therefore
 * ends them whether or not a cancellation is open, and the thread stays interrupted. A cancellation
 * belongs to the thread that opened it. Cancellations nest, and whichever comes first counts. The
 * library's own threads do not check it; the thread that waits for them does.
 */
public final class Cancellation implements AutoCloseable {
  private static final ThreadLocal<Cancellation> CURRENT = new ThreadLocal<>();

  private final Cancellation outer = CURRENT.get(); // null for the outermost cancellation
  private final Thread owner = Thread.currentThread();
  private final BooleanSupplier wanted;
  private final String reason;
  private boolean closed;

  private Cancellation(BooleanSupplier wanted, String reason) {
    this.wanted = wanted;
    this.reason = reason;
    CURRENT.set(this);
  }

  /**
   * Ends computations of this thread once this time has passed, until the cancellation is closed.
   */
  public static Cancellation after(Duration limit) {
    long start = System.nanoTime();
    long nanos = TimeUnit.NANOSECONDS.convert(limit); // at most 292 years
    return new Cancellation(
        () -> System.nanoTime() - start >= nanos,
        "the time limit of %s s has passed".formatted(nanos / 1e9));
  }

  /**
   * Ends computations of this thread once a condition holds, such as {@code future::isCancelled},
   * until the cancellation is closed. It is evaluated before every step and must be quick.
   */
  public static Cancellation when(BooleanSupplier condition) {
    return new Cancellation(condition, "the caller has cancelled it");
  }

  /**
   * Returns whether {@link #check} would throw, for computations that must save something first.
   */
  public static boolean requested() {
    return reason() != null;
  }

  /**
   * Throws if the computation is to end; call it in the loops of long computations.
   *
   * @throws CancellationException when the thread is interrupted (its interrupt flag stays set) or
   *     when a cancellation of this thread asks for it
   */
  public static void check() {
    String reason = reason();
    if (reason != null) {
      throw new CancellationException("the computation was ended: " + reason);
    }
  }

  private static String reason() {
    if (Thread.currentThread().isInterrupted()) {
      return "its thread was interrupted";
    }
    for (Cancellation one = CURRENT.get(); one != null; one = one.outer) {
      if (one.wanted.getAsBoolean()) {
        return one.reason;
      }
    }
    return null;
  }

  /** Ends the cancellation for following computations; a second call is harmless. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    if (Thread.currentThread() != owner) {
      throw new IllegalStateException(
          "this cancellation belongs to thread %s, not %s"
              .formatted(owner.getName(), Thread.currentThread().getName()));
    }
    for (Cancellation inner = CURRENT.get(); inner != this; inner = inner.outer) {
      inner.closed = true; // an inner cancellation that was never closed ends with the outer one
    }
    closed = true;
    if (outer == null) {
      CURRENT.remove(); // a pooled thread must not keep a reference to this class
    } else {
      CURRENT.set(outer);
    }
  }
}
