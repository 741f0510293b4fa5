package io.perflow.nn.distributed;

import java.io.Serializable;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * How ranks are run.
 *
 * @param ranks how many
 * @param least with how many to go on when machines are lost and none take their place
 * @param spare how long to wait for such machines
 * @param attempts how often to begin without any progress in between
 * @param deadline longest time that a rank waits for another
 * @param reduction how vectors are added up
 * @param wire how numbers travel
 * @param progress changes, as told by {@code equals}, when something was achieved, such as a
 *     checkpoint
 * @param listener hears, in the process that starts the ranks, what rank 0 {@linkplain
 *     Collective#tell tells}, and why an attempt was given up
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
   * All ranks or none, after two minutes without a spare machine; three attempts without progress;
   * ten minutes of silence; sums in fixed order, sent as they are.
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

  /** Returns the same gang that goes on with fewer ranks after a while without a spare machine. */
  public Gang least(int fewest, Duration after) {
    return new Gang(ranks, fewest, after, attempts, deadline, reduction, wire, progress, listener);
  }

  /**
   * Returns the same gang with another number of attempts without progress, and what progress is.
   */
  public Gang attempts(int count, Supplier<?> made) {
    return new Gang(ranks, least, spare, count, deadline, reduction, wire, made, listener);
  }

  /** Returns the same gang with another deadline. */
  public Gang deadline(Duration longest) {
    return new Gang(ranks, least, spare, attempts, longest, reduction, wire, progress, listener);
  }

  /** Returns the same gang that sums in another way. */
  public Gang sums(Reduction how, Wire numbers) {
    return new Gang(ranks, least, spare, attempts, deadline, how, numbers, progress, listener);
  }

  /** Returns the same gang with a listener, which is called by one thread at a time. */
  public Gang listener(Consumer<Serializable> hears) {
    return new Gang(ranks, least, spare, attempts, deadline, reduction, wire, progress, hears);
  }
}
