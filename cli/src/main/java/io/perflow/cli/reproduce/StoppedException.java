package io.perflow.cli.reproduce;

/** Thrown when a reproduction was asked to stop; its finished work is kept. */
public final class StoppedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StoppedException() {
    super("stopped; the same command continues from here");
  }
}
