package io.perflow.cuda.emulator;

/**
 * The orders in which the warps of a block run between two barriers. A device gives no order; a
 * kernel that is right gives the same result with each of these.
 */
public enum Schedule {
  /** All warps execute each instruction together; the fastest. */
  LOCK_STEP,
  /** The first warp runs to the next barrier, then the second, and so on. */
  WARPS_ASCENDING,
  /** The last warp runs to the next barrier, then the one before it, and so on. */
  WARPS_DESCENDING
}
