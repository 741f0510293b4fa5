package io.perflow.interop;

/** What each of several files holds, which says how their arrays are put together. */
public enum Stacking {
  /**
   * What the files show: batches where the first extents differ, where the first dimension is named
   * after samples or has extent 1, where its coordinates go on from file to file, or where it is
   * longer than the list of files; else one sample each.
   */
  GUESS,
  /** One sample: arrays get a new first axis, along which the files are counted. */
  ONE_EACH,
  /** A batch: arrays are joined along their first axis. */
  BATCHES
}
