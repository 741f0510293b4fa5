package io.perflow.cuda.emulator;

/** One launch: the grid and blocks in threads, dynamic shared memory, and the packed arguments. */
record Launch(
    int gridX,
    int gridY,
    int gridZ,
    int blockX,
    int blockY,
    int blockZ,
    int dynamicShared,
    byte[] arguments) {
  Launch {
    arguments = arguments.clone();
  }

  @Override
  public byte[] arguments() {
    return arguments.clone();
  }

  /** Returns the number of blocks. */
  long blocks() {
    return (long) gridX * gridY * gridZ;
  }
}
