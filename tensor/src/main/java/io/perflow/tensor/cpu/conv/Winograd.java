package io.perflow.tensor.cpu.conv;

import static io.perflow.tensor.cpu.conv.TransformedTiles.SIZE;
import static io.perflow.tensor.cpu.gemm.MicroKernel.NR;
import static io.perflow.tensor.cpu.vector.Simd.W;

import io.perflow.tensor.cpu.gemm.MicroKernel;
import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.cpu.memory.CacheLines;
import io.perflow.tensor.cpu.vector.FloatTranspose;
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
  // inputs whose weights are brought into order together, for long rows to transpose
  private static final int PACKED = 8;

  private Winograd() {}

  /** Packed weights: [36][panel of NR outputs][inC][NR] from {@code at} on. */
  record Weights(float[] data, int at) {}

  /**
   * Weights into the domain, G g G'.
   *
   * @param w weight of output o, input i and tap t at {@code w[wo + o * wOut + i * wIn + t]}
   * @param flipped whether the taps are to be rotated by 180 degrees
   */
  static Weights pack(int outC, int inC, float[] w, int wo, int wOut, int wIn, boolean flipped) {
    int panels = MicroKernel.paddedColumns(outC) / NR;
    float[] u = CacheLines.floats(SIZE * panels * NR * inC);
    int at = CacheLines.first(u);
    Parallel.run(
        panels,
        p -> {
          float[] g = Buffers.floats(9 * PACKED * NR); // [input][tap][output]
          float[] half = Buffers.floats(18 * NR);
          try {
            Arrays.fill(g, 0, 9 * PACKED * NR, 0); // outputs beyond the last one
            int lanes = Math.min(NR, outC - p * NR);
            for (int first = 0; first < inC; first += PACKED) {
              int count = Math.min(PACKED, inC - first);
              int from = wo + p * NR * wOut + first * wIn;
              if (wIn == 9) {
                FloatTranspose.transpose(lanes, 9 * count, w, from, wOut, g, 0, NR);
              } else {
                for (int i = 0; i < count; i++) {
                  FloatTranspose.transpose(lanes, 9, w, from + i * wIn, wOut, g, 9 * i * NR, NR);
                }
              }
              for (int i = 0; i < count; i++) {
                int to = at + (p * inC + first + i) * NR;
                packTile(g, 9 * i * NR, flipped, half, u, to, panels * inC * NR);
              }
            }
          } finally {
            Buffers.give(g);
            Buffers.give(half);
          }
        });
    return new Weights(u, at);
  }

  private static void packTile(
      float[] g, int at, boolean flipped, float[] half, float[] u, int to, int elementStep) {
    int first = flipped ? at + 8 * NR : at;
    int tap = flipped ? -NR : NR;
    for (int v = 0; v < NR; v += W) {
      for (int j = 0; j < 3; j++) {
        WinogradTransform.weight(g, first + j * tap + v, 3 * tap, half, j * NR + v, 3 * NR);
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
   * @param x tiles with any margins padH and padW, also negative or larger than the kernel; its
   *     pixels may appear several times
   * @param u packed weights
   * @param bias y.c() values, or null
   * @param addend an image like y that is added to the result, or null
   * @param y images side by side, of which only the first may be given bias or addend. If the
   *     pixels of a single one appear twice, each becomes the sum of the results that belong to it
   *     plus the bias; the padding is then 1
   */
  static void correlate(
      TileSource x, Weights u, float[] bias, int biasOffset, Image addend, Image... y) {
    Image whole = y[0];
    int outs = 0;
    for (Image part : y) {
      outs += part.c();
    }
    WinogradPlan plan = WinogradPlan.of(x.channels(), whole.n(), whole.h(), whole.w(), outs);
    float[] start = startValues(bias, biasOffset, whole, MicroKernel.paddedColumns(outs));
    boolean twice = x.twice();
    int[] elements = WinogradTiles.elements(twice || whole.repeat() == 2);
    int perTask = x.ordered() ? plan.blocksInOrder() : 1;
    Parallel.run(
        (plan.blocks() + perTask - 1) / perTask,
        task -> {
          WinogradTiles tiles = plan.tiles();
          int end = Math.min(tiles.count(), (task + 1) * perTask * plan.size());
          try (TransformedTiles v = TransformedTiles.of(plan.in());
              TransformedTiles m = TransformedTiles.of(plan.out());
              TileSource.Reader reader = x.reader()) {
            for (int first = task * perTask * plan.size(); first < end; first += plan.size()) {
              int count = Math.min(plan.size(), end - first);
              reader.read(tiles, first, count, v, 0);
              int rows = MicroKernel.paddedRows(count);
              multiply(elements, rows, x.channels(), v, u, start, m);
              int channel = 0;
              for (Image part : y) {
                tiles.output(m, channel, first, count, twice, part);
                channel += part.c();
              }
              if (addend != null) {
                tiles.add(addend, first, count, whole);
              }
            }
          }
        });
    Buffers.give(start);
  }

  /** Zeros, then the bias, both of padded length: what the sums of the products start from. */
  private static float[] startValues(float[] bias, int biasOffset, Image y, int padded) {
    float[] start = Buffers.floats(2 * padded);
    Arrays.fill(start, 0, 2 * padded, 0);
    float share = 1f / (y.repeat() * y.repeat()); // every pixel sums that many
    for (int c = 0; bias != null && c < y.c(); c++) {
      start[padded + c] = bias[biasOffset + c] * share;
    }
    return start;
  }

  /** m[f] = v[f] u[f] for the elements f: (rows x depth) (depth x outC). */
  private static void multiply(
      int[] elements,
      int rows,
      int depth,
      TransformedTiles v,
      Weights u,
      float[] start,
      TransformedTiles m) {
    int outC = m.order().tile();
    for (int f : elements) {
      // Column 1 of A' is (1, 1, 1, 1): what is added to element (1, 1) appears in all 16 outputs.
      int startAt = f == 7 ? outC : 0;
      for (int c = 0; c < outC; c += NR) {
        MicroKernel.rows(
            rows,
            v.data(),
            v.panel(f, 0),
            v.order().tile(),
            depth,
            u.data(),
            u.at() + (f * outC + c) * depth,
            start,
            startAt + c,
            m.data(),
            m.panel(f, 0) + c,
            outC);
      }
    }
  }
}
