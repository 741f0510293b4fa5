package io.perflow.cuda.emulator;

/**
 * One instruction of a kernel bound to the registers of a block. A register is an array with one
 * element for each thread, so an instruction is a loop over the threads that execute it.
 */
interface Op {
  /**
   * Executes for the threads {@code lanes[from] … lanes[to - 1]}, which ascend. When the threads
   * are neighbours, {@code lanes} is the identity, {@code lanes[k] == k}.
   */
  void run(int[] lanes, int from, int to);

  /** Executes for neighbouring threads {@code from … to - 1}; may use that they are neighbours. */
  default void run(Frame frame, int from, int to) {
    run(frame.identity, from, to);
  }
}
