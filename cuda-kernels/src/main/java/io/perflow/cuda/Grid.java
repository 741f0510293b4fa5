package io.perflow.cuda;

/** The numbers of blocks and threads of a launch, and its dynamic shared memory. */
record Grid(int x, int y, int z, int threads, int sharedBytes) {
  /** The number of threads of a block if the kernel works with any number. */
  static final int BLOCK = 256;

  private static final int WARP = 32;

  // Kernels loop over what the grid does not cover; more blocks than this cost only their start.
  private static final int MOST_BLOCKS = 1 << 16;

  /** Returns a grid of one thread for each element, for kernels that loop over the grid. */
  static Grid threads(long count) {
    int block = (int) Math.min(BLOCK, ceil(Math.max(1, count), WARP) * WARP);
    return new Grid((int) Math.min(MOST_BLOCKS, ceil(count, block)), 1, 1, block, 0);
  }

  /** Returns a grid of one warp for each row, for kernels that loop over the grid. */
  static Grid warps(long count) {
    return threads(Math.multiplyExact(Math.min(count, 1L << 40), WARP));
  }

  /** Returns a grid of blocks along three axes. */
  static Grid blocks(int x, int y, int z, int threads) {
    return new Grid(x, y, z, threads, 0);
  }

  /** Returns this grid with dynamic shared memory. */
  Grid shared(int bytes) {
    return new Grid(x, y, z, threads, bytes);
  }

  /** Returns a / b, rounded up. */
  static long ceil(long a, long b) {
    return (a + b - 1) / b;
  }

  /** Returns a / b, rounded up. */
  static int ceil(int a, int b) {
    return Math.toIntExact(ceil((long) a, b));
  }
}
