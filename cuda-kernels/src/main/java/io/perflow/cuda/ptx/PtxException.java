package io.perflow.cuda.ptx;

/** Text that is not PTX, or PTX that asks for something that is not supported, with its line. */
public final class PtxException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  /** What is wrong, and in which line of the file. */
  public PtxException(int line, String message) {
    super("line " + line + ": " + message);
  }
}
