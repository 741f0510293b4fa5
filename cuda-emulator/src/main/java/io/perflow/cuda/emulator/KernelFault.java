package io.perflow.cuda.emulator;

/**
 * A fault of a kernel, found while it ran on the emulated device: its kind, its place in the PTX
 * and its thread. Many of these faults would go unnoticed on a device.
 */
public final class KernelFault extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The kinds of faults. */
  public enum Kind {
    /** An address outside of every allocation, or beyond the end of one. */
    OUT_OF_BOUNDS,
    /** An address in memory that has been freed. */
    USE_AFTER_FREE,
    /** An address that is not a multiple of the size of the access. */
    MISALIGNED,
    /** Two threads touch a word, one of them writes, and nothing orders them. */
    RACE,
    /** Shared memory that no thread of the block has written. */
    UNINITIALISED,
    /** Memory read as constant for the launch that the launch itself writes. */
    NOT_CONSTANT,
    /** A store to constant memory or parameters. */
    READ_ONLY,
    /** A barrier or a warp operation that some of its threads do not reach. */
    DIVERGENT,
    /** A warp operation reads from a lane that takes no part in it. */
    INACTIVE_LANE,
    /** An operand that is not a TF32 number goes into a tensor core. */
    NOT_TF32,
    /** A kernel ran longer than the limit of the device. */
    TIMEOUT,
    /** The kernel executed a trap. */
    TRAP
  }

  private final Kind kind;

  KernelFault(Kind kind, String message) {
    super(kind + ": " + message);
    this.kind = kind;
  }

  /** Returns the kind of the fault. */
  public Kind kind() {
    return kind;
  }
}
