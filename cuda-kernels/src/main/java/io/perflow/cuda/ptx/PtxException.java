package io.perflow.cuda.ptx;

/** Thrown for text that is not PTX, or for PTX with an unsupported feature; names the line. */
public final class PtxException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  /** Creates an exception that says what is wrong, and in which line of the file. */
  public PtxException(int line, String message) {
    super("line " + line + ": " + message);
  }
}
