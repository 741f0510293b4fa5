package io.perflow.tensor.cpu.conv;

import static io.perflow.tensor.cpu.conv.TransformedTiles.SIZE;

import io.perflow.tensor.cpu.conv.TransformedTiles.Order;
import io.perflow.tensor.cpu.gemm.MicroKernel;
import io.perflow.tensor.cpu.loop.Parallel;

/**
 * How {@link Winograd} cuts a correlation with {@code inC} channels in and {@code n} images of
 * {@code h} x {@code w} pixels and {@code outC} channels out: blocks of {@code size} tiles, and
 * where transformed tiles lie. A network asks for the same plans at every step, so recent ones are
 * kept.
 */
record WinogradPlan(
    int inC,
    int n,
    int h,
    int w,
    int outC,
    int threads,
    WinogradTiles tiles,
    int size,
    Order in,
    Order out) {
  // Transformed tiles of a block, in and out, should leave room for weights in a second-level
  // cache of 1 MB; but below some twenty tiles, reading the weights again and again costs more.
  private static final int BLOCK_FLOATS = 3 << 15;
  private static final int MIN_BLOCK = 20;
  private static final int MAX_BLOCK = 40;

  private static final WinogradPlan[] RECENT = new WinogradPlan[1 << 12];

  static WinogradPlan of(int inC, int n, int h, int w, int outC) {
    int threads = Parallel.threads();
    int hash = 31 * (31 * (31 * (31 * inC + n) + h) + w) + outC;
    int slot = hash * 0x9E3779B9 >>> 20;
    WinogradPlan recent = RECENT[slot]; // a race makes two equal ones, no more
    if (recent != null && recent.suits(inC, n, h, w, outC, threads)) {
      return recent;
    }
    WinogradPlan plan = make(inC, n, h, w, outC, threads);
    RECENT[slot] = plan;
    return plan;
  }

  private boolean suits(int inC, int n, int h, int w, int outC, int threads) {
    return this.inC == inC
        && this.n == n
        && this.h == h
        && this.w == w
        && this.outC == outC
        && this.threads == threads;
  }

  private static WinogradPlan make(int inC, int n, int h, int w, int outC, int threads) {
    WinogradTiles tiles = new WinogradTiles(n, h, w);
    int ins = WinogradTiles.paddedChannels(inC);
    int outs = MicroKernel.paddedColumns(outC);
    int size = blockSize(tiles.count(), SIZE * (ins + outs), threads);
    int rows = MicroKernel.paddedRows(size);
    return new WinogradPlan(
        inC, n, h, w, outC, threads, tiles, size, Order.rows(rows, ins), Order.rows(rows, outs));
  }

  // no result depends on it, so it may look at the number of threads
  private static int blockSize(int tiles, int floatsPerTile, int threads) {
    int most = Math.clamp(BLOCK_FLOATS / floatsPerTile, MIN_BLOCK, MAX_BLOCK);
    int best = MicroKernel.ROWS;
    int least = Integer.MAX_VALUE;
    for (int size = best; size <= most; size += MicroKernel.ROWS) {
      int blocks = (tiles + size - 1) / size;
      // a block costs half a kernel's rows besides its tiles
      int time = (blocks + threads - 1) / threads * (2 * size + MicroKernel.ROWS);
      if (time <= least) {
        least = time;
        best = size;
      }
    }
    return best;
  }

  /** Blocks of a task that takes tiles in their order: enough tasks to keep all threads busy. */
  int blocksInOrder() {
    return Math.max(1, blocks() / (4 * threads));
  }

  int blocks() {
    return (tiles.count() + size - 1) / size;
  }
}
