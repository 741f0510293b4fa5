package io.perflow.tensor.cpu;

import static io.perflow.tensor.cpu.MicroKernel.NR;
import static io.perflow.tensor.cpu.MicroKernel.TALL;
import static io.perflow.tensor.cpu.Simd.W;
import static io.perflow.tensor.cpu.WinogradTiles.SIZE;

import io.perflow.tensor.cpu.WinogradTiles.Order;
import java.util.Arrays;

/**
 * 3x3 convolution of stride 1 by Winograd's minimal filtering F(4x4, 3x3): a tile of 4x4 outputs
 * takes 36 multiplications per pair of channels instead of 144.
 *
 * <p>Tiles of the input and the weights are moved into the Winograd domain ({@link
 * WinogradTransform}), where the convolution is 36 independent matrix products over channels, and
 * the products are moved back. Tiles are taken in blocks small enough for all of this to happen in
 * cache. The rounding error is a few times that of direct summation; a single infinity or NaN in
 * the input reaches all 16 outputs of its tiles.
 */
final class Winograd {
  // Transformed tiles of a block, in and out, and its share of the weights should fit a
  // second-level
  // cache; but below some twenty tiles, reading the weights again and again costs more.
  private static final int BLOCK_FLOATS = 1 << 17;
  private static final int MIN_BLOCK = 20;
  private static final int MAX_BLOCK = 60;

  /** Depth of a product over tiles: a tall and a wide panel fit the first-level cache. */
  private static final int GRADIENT_DEPTH = 128;

  private Winograd() {}

  /** Floats of the packed weights. */
  static int packedLength(int outC, int inC) {
    return SIZE * MicroKernel.paddedColumns(outC) * inC;
  }

  /**
   * Weights into the domain, G g G', in the order [36][panel of NR outputs][inC][NR].
   *
   * @param w weight of output o, input i and tap t at {@code w[wo + o * wOut + i * wIn + t]}
   * @param flipped whether the taps are to be rotated by 180 degrees
   */
  static void pack(
      int outC, int inC, float[] w, int wo, int wOut, int wIn, boolean flipped, float[] u) {
    int panels = MicroKernel.paddedColumns(outC) / NR;
    Parallel.run(
        panels,
        p -> {
          float[] g = Buffers.floats(9 * NR);
          float[] half = Buffers.floats(18 * NR);
          try {
            Arrays.fill(g, 0, 9 * NR, 0); // outputs beyond the last one
            int lanes = Math.min(NR, outC - p * NR);
            for (int i = 0; i < inC; i++) {
              int from = wo + p * NR * wOut + i * wIn;
              for (int o = 0; o < lanes; o++, from += wOut) {
                for (int t = 0; t < 9; t++) {
                  g[(flipped ? 8 - t : t) * NR + o] = w[from + t];
                }
              }
              packTile(g, half, u, (p * inC + i) * NR, panels * inC * NR);
            }
          } finally {
            Buffers.give(g);
            Buffers.give(half);
          }
        });
  }

  private static void packTile(float[] g, float[] half, float[] u, int to, int elementStep) {
    for (int v = 0; v < NR; v += W) {
      for (int j = 0; j < 3; j++) {
        WinogradTransform.weight(g, j * NR + v, 3 * NR, half, j * NR + v, 3 * NR);
      }
      for (int i = 0; i < 6; i++) {
        WinogradTransform.weight(
            half, 3 * i * NR + v, NR, u, to + v + 6 * i * elementStep, elementStep);
      }
    }
  }

  /**
   * y[h][w] = bias + sum over r, s &lt; 3 of x[h + r - padH][w + s - padW] weight[r][s].
   *
   * @param padH any value, also negative or larger than the kernel
   * @param u packed weights
   * @param bias y.c() values, or null
   */
  static void correlate(
      Image x,
      int padH,
      int padW,
      boolean circularH,
      boolean circularW,
      float[] u,
      float[] bias,
      int biasOffset,
      Image y) {
    WinogradTiles tiles = new WinogradTiles(y.n(), y.h(), y.w());
    int inC = WinogradTiles.paddedChannels(x.c());
    int outC = MicroKernel.paddedColumns(y.c());
    int size = blockSize(tiles.count(), SIZE * (inC + outC));
    int rows = MicroKernel.paddedRows(size);
    Order inOrder = Order.rows(rows, inC);
    Order outOrder = Order.rows(rows, outC);
    float[] start = startValues(bias, biasOffset, y.c(), outC);
    Parallel.run(
        (tiles.count() + size - 1) / size,
        block -> {
          int first = block * size;
          int count = Math.min(size, tiles.count() - first);
          float[] v = Buffers.floats(inOrder.length());
          float[] m = Buffers.floats(outOrder.length());
          try {
            tiles.input(x, padH, padW, circularH, circularW, first, count, v, 0, inOrder);
            multiply(MicroKernel.paddedRows(count), x.c(), v, inOrder, u, start, m, outOrder);
            tiles.output(m, outOrder, first, count, y);
          } finally {
            Buffers.give(v);
            Buffers.give(m);
          }
        });
    Buffers.give(start);
  }

  /** Zeros, then the bias, both of padded length: what the sums of the products start from. */
  private static float[] startValues(float[] bias, int biasOffset, int channels, int padded) {
    float[] start = Buffers.floats(2 * padded);
    Arrays.fill(start, 0, 2 * padded, 0);
    if (bias != null) {
      System.arraycopy(bias, biasOffset, start, padded, channels);
    }
    return start;
  }

  /** m[f] = v[f] u[f] for the 36 elements: (rows x depth) (depth x outC). */
  private static void multiply(
      int rows,
      int depth,
      float[] v,
      Order inOrder,
      float[] u,
      float[] start,
      float[] m,
      Order outOrder) {
    int outC = outOrder.tile();
    for (int f = 0; f < SIZE; f++) {
      // Column 1 of A' is (1, 1, 1, 1): what is added to element (1, 1) appears in all 16 outputs.
      int startAt = f == 7 ? outC : 0;
      for (int c = 0; c < outC; c += NR) {
        MicroKernel.rows(
            rows,
            v,
            f * inOrder.element(),
            inOrder.tile(),
            depth,
            u,
            (f * outC + c) * depth,
            start,
            startAt + c,
            m,
            f * outOrder.element() + c,
            outC);
      }
    }
  }

  /** Tiles in a block: no result depends on it, so it may look at the number of threads. */
  private static int blockSize(int tiles, int floatsPerTile) {
    int size = Math.clamp(BLOCK_FLOATS / floatsPerTile, MIN_BLOCK, MAX_BLOCK);
    int blocks = Math.max(1, (tiles + size - 1) / size);
    int threads = Parallel.threads();
    blocks = (blocks + threads - 1) / threads * threads;
    return Math.max(1, (tiles + blocks - 1) / blocks);
  }

  /**
   * Gradient of the weights: dw = G' [sum over tiles of (A dy A') * (B' x B)] G.
   *
   * <p>The sum is a product over tiles for each of the 36 elements. Tiles are taken in chunks whose
   * size depends on the shapes alone, and the chunks one after the other, so the order of summation
   * is fixed; within a chunk the threads share first the tiles and then the elements.
   *
   * @param dw gradient of output o, input i and tap t at {@code dwo + (o * inC + i) * 9 + t}
   */
  static void weightGradient(
      Image x,
      Image dy,
      int padH,
      int padW,
      boolean circularH,
      boolean circularW,
      float[] dw,
      int dwo) {
    WinogradTiles tiles = new WinogradTiles(dy.n(), dy.h(), dy.w());
    int tall = (x.c() + TALL - 1) / TALL;
    int outC = MicroKernel.paddedColumns(dy.c());
    int chunk = Math.min(GRADIENT_DEPTH, tiles.count());
    Order inOrder = Order.panels(chunk, x.c(), TALL);
    Order outOrder = Order.panels(chunk, outC, NR);
    int element = tall * TALL * outC;
    float[] v = Buffers.floats(inOrder.length());
    float[] m = Buffers.floats(outOrder.length());
    float[] sum = Buffers.floats(SIZE * element);
    try {
      Parallel.run(SIZE, f -> Arrays.fill(sum, f * element, (f + 1) * element, 0));
      int parts = 4 * Parallel.threads();
      for (int first = 0; first < tiles.count(); first += chunk) {
        int start = first;
        int count = Math.min(chunk, tiles.count() - first);
        Parallel.run(
            parts,
            p -> {
              int from = p * count / parts;
              int part = (p + 1) * count / parts - from;
              tiles.input(
                  x, padH, padW, circularH, circularW, start + from, part, v, from, inOrder);
              tiles.outputGradient(dy, start + from, part, m, from, outOrder);
            });
        Parallel.run(
            SIZE * tall,
            task -> {
              int f = task / tall;
              int p = task % tall;
              int rows = Math.min(TALL, x.c() - p * TALL);
              for (int c = 0; c < outC; c += NR) {
                MicroKernel.panels(
                    rows,
                    count,
                    v,
                    f * inOrder.element() + p * inOrder.panel(),
                    m,
                    f * outOrder.element() + c / NR * outOrder.panel(),
                    sum,
                    f * element + p * TALL * outC + c,
                    outC);
              }
            });
      }
      Parallel.run(x.c(), i -> unpack(sum, i * outC, element, dy.c(), dw, dwo + i * 9, x.c() * 9));
    } finally {
      Buffers.give(v);
      Buffers.give(m);
      Buffers.give(sum);
    }
  }

  /** Weights of one input channel and all outputs out of the domain: G' u G. */
  private static void unpack(
      float[] u, int from, int elementStep, int outC, float[] dw, int to, int outStep) {
    float[] half = Buffers.floats(18 * W);
    float[] g = Buffers.floats(9 * W);
    try {
      for (int o = 0; o < outC; o += W) {
        unpackTile(u, from + o, elementStep, half, g);
        for (int lane = 0; lane < Math.min(W, outC - o); lane++) {
          for (int t = 0; t < 9; t++) {
            dw[to + (o + lane) * outStep + t] = g[t * W + lane];
          }
        }
      }
    } finally {
      Buffers.give(half);
      Buffers.give(g);
    }
  }

  private static void unpackTile(float[] u, int from, int elementStep, float[] half, float[] g) {
    for (int j = 0; j < 6; j++) {
      WinogradTransform.weightTransposed(
          u, from + j * elementStep, 6 * elementStep, half, j * W, 6 * W);
    }
    for (int i = 0; i < 3; i++) {
      WinogradTransform.weightTransposed(half, i * 6 * W, W, g, 3 * i * W, W);
    }
  }
}
