package io.perflow.nn.distributed;

import java.io.Serializable;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The way in which ranks are run.
 *
 * @param ranks the number of ranks
 * @param least the fewest ranks with which to continue when machines are lost and not replaced
 * @param spare the time to wait for replacements
 * @param attempts the number of starts without any progress in between
 * @param deadline the longest time that a rank waits for another
 * @param reduction how vectors are added up
 * @param wire how numbers travel
 * @param progress a value that differs, by {@code equals}, when progress was made, such as a
 *     checkpoint
 * @param listener receives, in the process that starts the ranks, what rank 0 {@linkplain
 *     Collective#tell tells} and why an attempt was given up
 */
public record Gang(
    int ranks,
    int least,
    Duration spare,
    int attempts,
    Duration deadline,
    Reduction reduction,
    Wire wire,
    Supplier<?> progress,
    Consumer<Serializable> listener) {
  /** Checks the ranges. */
  public Gang {
    if (least < 1 || least > ranks || attempts < 1) {
      throw new IllegalArgumentException(
          "[gang] %d ranks, at least %d, %d attempts: 1 or more each, and no more at least"
              .formatted(ranks, least, attempts));
    }
  }

  /**
   * Returns a gang that runs all ranks or none, after two minutes without a spare machine; with
   * three attempts without progress; ten minutes of silence; and sums in fixed order, sent
   * unrounded.
   */
  public static Gang of(int ranks) {
    return new Gang(
        ranks,
        ranks,
        Duration.ofMinutes(2),
        3,
        Duration.ofMinutes(10),
        Reduction.FIXED_ORDER,
        Wire.F32,
        () -> "",
        _ -> {});
  }

  /** Returns a gang that goes on with fewer ranks after this time without a spare machine. */
  public Gang least(int fewest, Duration after) {
    return new Gang(ranks, fewest, after, attempts, deadline, reduction, wire, progress, listener);
  }

  /**
   * Returns a gang with another number of attempts without progress, and another measure of
   * progress.
   */
  public Gang attempts(int count, Supplier<?> made) {
    return new Gang(ranks, least, spare, count, deadline, reduction, wire, made, listener);
  }

  /** Returns a gang with another deadline. */
  public Gang deadline(Duration longest) {
    return new Gang(ranks, least, spare, attempts, longest, reduction, wire, progress, listener);
  }

  /** Returns a gang that sums in another way. */
  public Gang sums(Reduction how, Wire numbers) {
    return new Gang(ranks, least, spare, attempts, deadline, how, numbers, progress, listener);
  }

  /** Returns a gang with a listener, which is called by one thread at a time. */
  public Gang listener(Consumer<Serializable> hears) {
    return new Gang(ranks, least, spare, attempts, deadline, reduction, wire, progress, hears);
  }
}
