package io.perflow.interop;

/** The contents of each of several files, which determine how their arrays are joined. */
public enum Stacking {
  /**
   * Guessed from the files: batches if the first extents differ, if the first dimension is named
   * after samples or has extent 1, if its coordinates continue from file to file, or if it is
   * longer than the list of files; otherwise one sample each.
   */
  GUESS,
  /** One sample: arrays get a new first axis, along which the files are counted. */
  ONE_EACH,
  /** A batch: arrays are joined along their first axis. */
  BATCHES
}
