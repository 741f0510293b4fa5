package io.perflow.cluster;

import io.perflow.nn.distributed.RankLostException;
import java.io.Serializable;

/**
 * How a rank ended. A failure is a result, too: Spark would report only the first one, and that may
 * be of a rank that waited for the one which failed.
 *
 * @param rank whose it is
 * @param host where it ran
 * @param result what it found; null when it failed
 * @param failure what it threw; null when it did not
 */
record Outcome<R extends Serializable>(int rank, String host, R result, Exception failure)
    implements Serializable {
  boolean failed() {
    return failure != null;
  }

  /** Whether another process was lost, so that another attempt may succeed. */
  boolean lost() {
    return failure instanceof RankLostException;
  }

  @Override
  public String toString() {
    return "rank %d on %s: %s".formatted(rank, host, failure == null ? "done" : reason());
  }

  private String reason() {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }
}
