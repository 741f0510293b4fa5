package io.perflow.physics;

/** Is told how far a long computation is. */
@FunctionalInterface
public interface ProgressListener {
  /** Of a computation that nobody watches. */
  ProgressListener NONE = (_, _) -> {};

  /**
   * Called now and then by the thread that computes.
   *
   * @param part from 0 to 1; an estimate where the number of steps is not known beforehand
   * @param note how it goes, in a few words, or empty
   */
  void at(double part, String note);
}
