package io.perflow.physics;

/** A listener that receives the progress of a long computation. */
@FunctionalInterface
public interface ProgressListener {
  /** Ignores the progress. */
  ProgressListener NONE = (_, _) -> {};

  /**
   * Receives the progress from time to time, on the computing thread.
   *
   * @param part finished part of the work, from 0 to 1; an estimate if the number of steps is not
   *     known beforehand
   * @param note a short description of the state, or empty
   */
  void at(double part, String note);
}
