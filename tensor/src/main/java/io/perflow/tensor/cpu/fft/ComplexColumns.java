package io.perflow.tensor.cpu.fft;

/**
 * Complex transforms of length n over the columns of a matrix, cut into blocks that stay in cache,
 * and over its rows, tile by tile through a transposition.
 */
final class ComplexColumns<A> {
  // The scratch of one block: well inside a second-level cache.
  private static final int BLOCK_BYTES = 64 * 1024;

  private final FftKernel<A> kernel;
  private final FftPlan plan;
  private final int n;
  private final int block;

  ComplexColumns(FftKernel<A> kernel, int n) {
    this.kernel = kernel;
    this.n = n;
    plan = FftPlan.of(n);
    int vector = kernel.lanes();
    long vectorBytes = (long) plan.scratch(vector) * kernel.bytes();
    // An odd number of vectors, so that the legs of a pass, n / radix rows apart, do not all fall
    // on the same sets of the cache.
    int vectors = Math.clamp(BLOCK_BYTES / vectorBytes, 3, 16);
    block = vector * ((vectors - 1) | 1);
  }

  /** Number of blocks that {@code cols} columns are cut into. */
  int blocks(int cols) {
    return Math.max(1, cols / block);
  }

  /** First column of block b; the last block takes what is left and may be almost twice as wide. */
  int start(int cols, int b) {
    if (b == blocks(cols)) {
      return cols;
    }
    return b * block;
  }

  /** Scratch of {@link #columns} for a block of {@code cols} columns. */
  A workspace(int cols) {
    int width = Math.max(cols, kernel.lanes());
    return kernel.take(plan.scratch(width) + (width > cols ? 2 * n * width : 0));
  }

  /** Columns of x to columns of y, which may be the same planes. */
  void columns(boolean inverse, Planes<A> x, Planes<A> y, int cols, A work) {
    Planes<A> from = inverse ? x.swapped() : x;
    Planes<A> to = inverse ? y.swapped() : y;
    int lanes = kernel.lanes();
    if (cols >= lanes) {
      kernel.columns(plan, from, to, cols, work, 0);
      return;
    }
    Planes<A> wide = new Planes<>(work, 0, n * lanes, lanes);
    kernel.copyBoth(n, cols, from, wide);
    kernel.columns(plan, wide, wide, lanes, work, 2 * n * lanes);
    kernel.copyBoth(n, cols, wide, to);
  }

  /** All blocks of columns, one after the other. */
  void allBlocks(boolean inverse, Planes<A> x, Planes<A> y, int cols) {
    int count = blocks(cols);
    A work = workspace(cols - start(cols, count - 1)); // the last block is the widest
    try {
      for (int b = 0; b < count; b++) {
        int c = start(cols, b);
        columns(inverse, x.from(c), y.from(c), start(cols, b + 1) - c, work);
      }
    } finally {
      kernel.give(work);
    }
  }

  /** Rows in a tile of {@link #rows}. */
  int tileRows() {
    return RealRows.tileRows(kernel, n);
  }

  /**
   * Transforms rows: element j of row i stands at {@code offset + i * stride + j} of each plane; y
   * may be the same as x.
   */
  void rows(boolean inverse, Planes<A> x, Planes<A> y, int rows, double scale) {
    int cols = tileRows();
    int size = n * cols;
    A work = kernel.take(2 * size + plan.scratch(cols));
    try {
      Planes<A> tile = new Planes<>(work, 0, size, cols);
      Planes<A> turned = inverse ? tile.swapped() : tile;
      for (int r = 0; r < rows; r += cols) {
        int count = Math.min(cols, rows - r);
        Planes<A> in = x.from(r * x.stride());
        Planes<A> out = y.from(r * y.stride());
        kernel.transpose(count, n, in.data(), in.re(), in.stride(), work, tile.re(), cols);
        kernel.transpose(count, n, in.data(), in.im(), in.stride(), work, tile.im(), cols);
        kernel.columns(plan, turned, turned, cols, work, 2 * size);
        scale(tile, n, cols, scale);
        kernel.transpose(n, count, work, tile.re(), cols, out.data(), out.re(), out.stride());
        kernel.transpose(n, count, work, tile.im(), cols, out.data(), out.im(), out.stride());
      }
    } finally {
      kernel.give(work);
    }
  }

  /** Multiplies a block by a factor, in place. */
  void scale(Planes<A> y, int rows, int cols, double factor) {
    if (factor != 1) {
      A a = y.data();
      kernel.copy(rows, cols, factor, a, y.re(), y.stride(), a, y.re(), y.stride());
      kernel.copy(rows, cols, factor, a, y.im(), y.stride(), a, y.im(), y.stride());
    }
  }
}
