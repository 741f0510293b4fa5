package io.perflow.nn.distributed;

/** Thrown when work on an engine failed; the message names the item or the rank. */
public final class EngineException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception that says what failed and why. */
  public EngineException(String message, Throwable cause) {
    super(message, cause);
  }
}
