package io.perflow.cli.reproduce;

/** A reproduction that was asked to stop; what it had done is kept. */
public final class StoppedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StoppedException() {
    super("stopped; the same command goes on from here");
  }
}
