package io.perflow.cuda.emulator.ptx;

/**
 * A variable in memory: its state space ({@code global}, {@code const}, {@code shared}, {@code
 * local}), size and alignment in bytes, and its initial content, which is empty when none is given.
 * Dynamic shared memory has the size -1.
 */
public record Variable(String name, String space, int bytes, int alignment, byte[] initial) {
  public Variable {
    initial = initial.clone();
  }

  @Override
  public byte[] initial() {
    return initial.clone();
  }

  /** Returns whether its size is given by the launch. */
  public boolean dynamic() {
    return bytes < 0;
  }
}
