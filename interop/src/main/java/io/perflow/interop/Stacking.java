package io.perflow.interop;

/**
 * The ways in which the arrays of several files are joined, which depend on what each file
 * contains.
 */
public enum Stacking {
  /**
   * Guesses from the files: batches if the first extents differ, if the first dimension is named
   * after samples or has extent 1, if its coordinates continue from file to file, or if it is
   * longer than the list of files; otherwise one sample each.
   */
  GUESS,
  /** Each file holds one sample: arrays get a new first axis, along which the files are counted. */
  ONE_EACH,
  /** Each file holds a batch: arrays are joined along their first axis. */
  BATCHES
}
