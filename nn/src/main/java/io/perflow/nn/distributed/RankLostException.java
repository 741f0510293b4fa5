package io.perflow.nn.distributed;

/**
 * Thrown when a rank is lost for which others wait: it died, fell silent, or could not be reached.
 */
public final class RankLostException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Stands for the rank that throws. */
  public static final int THIS = -1;

  private final int rank;

  /**
   * Creates an exception that names the lost rank.
   *
   * @param rank the lost one; {@link #THIS} when it is the one that throws
   * @param message what happened, naming the rank
   */
  public RankLostException(int rank, String message) {
    this(rank, message, null);
  }

  private RankLostException(int rank, String message, Throwable cause) {
    super(message, cause);
    this.rank = rank;
  }

  /** Returns a copy that says during what work the rank was lost. */
  public RankLostException during(String what) {
    return new RankLostException(rank, "%s, during %s".formatted(getMessage(), what), this);
  }

  /** Returns the lost rank, or {@link #THIS}. */
  public int rank() {
    return rank;
  }
}
