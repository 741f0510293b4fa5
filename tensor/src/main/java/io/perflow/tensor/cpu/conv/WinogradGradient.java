package io.perflow.tensor.cpu.conv;

import static io.perflow.tensor.cpu.conv.TransformedTiles.SIZE;
import static io.perflow.tensor.cpu.gemm.MicroKernel.NR;
import static io.perflow.tensor.cpu.gemm.MicroKernel.TALL;
import static io.perflow.tensor.cpu.vector.Simd.W;

import io.perflow.tensor.cpu.conv.TransformedTiles.Order;
import io.perflow.tensor.cpu.gemm.MicroKernel;
import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.cpu.memory.CacheLines;
import io.perflow.tensor.cpu.vector.FloatTranspose;
import java.util.Arrays;

/**
 * Gradient of the weights of {@link Winograd}'s convolution: dw = G' [sum over tiles of (A dy A') *
 * (B' x B)] G.
 *
 * <p>The sum is a product over tiles for each of the 36 elements. Tiles are taken in chunks, and
 * the sums of all weights, four times as many as there are weights, are kept from chunk to chunk.
 * With few tiles they are not: each block of {@link MicroKernel#TALL} inputs by {@link
 * MicroKernel#NR} outputs is then summed for all 36 elements and moved out of the domain while it
 * is in cache. Either way an element is one chain of multiply-adds in the order of the tiles.
 */
final class WinogradGradient {
  /** Depth of a product over tiles: a tall and a wide panel fit the first-level cache. */
  private static final int DEPTH = 128;

  /** Tiles of which the panels of a block, for all 36 elements, fit a second-level cache. */
  private static final int FEW = 32;

  /** Inputs whose weights are moved out of the domain together, for long rows to transpose. */
  private static final int UNPACKED = 16;

  private final TileSource x;
  private final Image dy;
  private final float[] dw;
  private final int dwo;
  private final WinogradTiles tiles;
  private final int[] elements;
  private final boolean twice;
  private final int tall; // panels of inputs
  private final int wide; // panels of outputs

  private WinogradGradient(TileSource x, Image dy, float[] dw, int dwo) {
    this.x = x;
    this.dy = dy;
    this.dw = dw;
    this.dwo = dwo;
    tiles = new WinogradTiles(dy.n(), dy.h(), dy.w());
    twice = x.twice();
    elements = WinogradTiles.elements(twice);
    tall = (x.channels() + TALL - 1) / TALL;
    wide = MicroKernel.paddedColumns(dy.c()) / NR;
  }

  /**
   * Computes the gradient.
   *
   * @param dw gradient of output o, input i and tap t at {@code dwo + (o * inC + i) * 9 + t}
   */
  static void compute(TileSource x, Image dy, float[] dw, int dwo) {
    new WinogradGradient(x, dy, dw, dwo).compute();
  }

  private void compute() {
    boolean few = tiles.count() <= FEW;
    int chunk = Math.min(DEPTH, tiles.count());
    Order in = Order.panels(chunk, x.channels(), TALL);
    Order out = Order.panels(chunk, wide * NR, NR);
    try (TransformedTiles v = TransformedTiles.of(in);
        TransformedTiles m = TransformedTiles.of(out)) {
      if (few) {
        transform(0, chunk, v, m);
        blocks(chunk, v, m);
      } else {
        chunks(chunk, v, m);
      }
    }
  }

  /** Tiles {@code first} … of x and of dy into the domain. */
  private void transform(int first, int count, TransformedTiles v, TransformedTiles m) {
    int parts = x.ordered() ? Parallel.threads() : 4 * Parallel.threads();
    Parallel.run(
        parts,
        p -> {
          int from = p * count / parts;
          int part = (p + 1) * count / parts - from;
          try (TileSource.Reader reader = x.reader()) {
            reader.read(tiles, first + from, part, v, from);
          }
          tiles.outputGradient(dy, first + from, part, m, from);
        });
  }

  /** Few tiles: sums of a block of weights, then the weights. */
  private void blocks(int count, TransformedTiles v, TransformedTiles m) {
    int groups = Math.clamp((4 * Parallel.threads() + tall - 1) / tall, 1, wide);
    Parallel.run(
        tall * groups,
        task -> {
          int p = task / groups;
          int group = task % groups;
          float[] sum = CacheLines.floats(SIZE * TALL * NR);
          int line = CacheLines.first(sum);
          float[] scratch = Buffers.floats((18 + 9 * UNPACKED) * W);
          for (int c = group * wide / groups; c < (group + 1) * wide / groups; c++) {
            Arrays.fill(sum, line, line + SIZE * TALL * NR, 0);
            for (int f : elements) {
              int to = line + f * TALL * NR;
              multiply(f, p, c, count, v, m, sum, to, NR);
            }
            unpack(p, c, sum, line, TALL * NR, NR, scratch);
          }
          Buffers.give(sum);
          Buffers.give(scratch);
        });
  }

  /** Chunk by chunk into sums of all weights, [36][inputs][outputs]. */
  private void chunks(int chunk, TransformedTiles v, TransformedTiles m) {
    int columns = wide * NR;
    int element = tall * TALL * columns;
    float[] sum = CacheLines.floats(SIZE * element);
    int line = CacheLines.first(sum);
    for (int start = 0; start < tiles.count(); start += chunk) {
      int first = start;
      int count = Math.min(chunk, tiles.count() - first);
      transform(first, count, v, m);
      Parallel.run(
          SIZE * tall,
          task -> {
            int f = task / tall;
            int p = task % tall;
            int to = line + f * element + p * TALL * columns;
            if (first == 0) {
              Arrays.fill(sum, to, to + TALL * columns, 0);
            }
            if (twice && (f / 6 == 2 || f % 6 == 2)) {
              return;
            }
            for (int c = 0; c < wide; c++) {
              multiply(f, p, c, count, v, m, sum, to + c * NR, columns);
            }
          });
    }
    Parallel.run(
        tall * wide,
        task -> {
          int p = task / wide;
          int c = task % wide;
          float[] scratch = Buffers.floats((18 + 9 * UNPACKED) * W);
          unpack(p, c, sum, line + p * TALL * columns + c * NR, element, columns, scratch);
          Buffers.give(scratch);
        });
    Buffers.give(sum);
  }

  /** Adds {@code count} tiles to element f of a block of weights. */
  private void multiply(
      int f,
      int p,
      int c,
      int count,
      TransformedTiles v,
      TransformedTiles m,
      float[] sum,
      int to,
      int step) {
    int rows = Math.min(TALL, x.channels() - p * TALL);
    MicroKernel.panels(
        rows, count, v.data(), v.panel(f, p), m.data(), m.panel(f, c), sum, to, step);
  }

  /** A block of weights out of the domain: G' u G for every input and output. */
  private void unpack(
      int p, int c, float[] u, int from, int elementStep, int step, float[] scratch) {
    int inC = x.channels();
    int rows = Math.min(TALL, inC - p * TALL);
    int cols = Math.min(NR, dy.c() - c * NR);
    for (int o = 0; o < cols; o += W) {
      int lanes = Math.min(W, cols - o);
      for (int first = 0; first < rows; first += UNPACKED) {
        int count = Math.min(UNPACKED, rows - first);
        for (int i = 0; i < count; i++) {
          int tile = from + (first + i) * step + o;
          unpackTile(u, tile, elementStep, scratch, (18 + 9 * i) * W);
        }
        int to = dwo + ((c * NR + o) * inC + p * TALL + first) * 9;
        FloatTranspose.transpose(9 * count, lanes, scratch, 18 * W, W, dw, to, inC * 9);
      }
    }
  }

  /** One vector of outputs; the intermediate result is at the beginning of {@code scratch}. */
  private static void unpackTile(float[] u, int from, int elementStep, float[] scratch, int to) {
    for (int j = 0; j < 6; j++) {
      WinogradTransform.weightTransposed(
          u, from + j * elementStep, 6 * elementStep, scratch, j * W, 6 * W);
    }
    for (int i = 0; i < 3; i++) {
      WinogradTransform.weightTransposed(scratch, i * 6 * W, W, scratch, to + 3 * i * W, W);
    }
  }
}
