package io.perflow.nn.distributed;

/** Work on an engine that failed; the message names the item or the rank. */
public final class EngineException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Says what failed and why. */
  public EngineException(String message, Throwable cause) {
    super(message, cause);
  }
}
