package io.perflow.tensor.cpu.conv;

import static io.perflow.tensor.cpu.gemm.MicroKernel.NR;
import static io.perflow.tensor.cpu.gemm.MicroKernel.TALL;
import static io.perflow.tensor.cpu.gemm.MicroKernel.TALL_BLOCK;

import io.perflow.tensor.cpu.gemm.MicroKernel;
import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.cpu.memory.StridedCopy;
import java.util.Arrays;

/**
 * Gradient of a convolution's weights by direct summation, for any kernel and stride:
 *
 * <pre>
 *   dw[o][i][r][s] = sum over n, h, w of dy[n][h][w][o] x[n][h * strideH + r - padH][w * strideW + s - padW][i]
 * </pre>
 *
 * <p>With the windows of x written out as a matrix of (pixels, kernelH * kernelW * channels), this
 * is the product of that matrix, transposed, with dy. Pixels are taken in chunks whose size depends
 * on the shapes alone and the chunks one after the other, so the order of summation is fixed;
 * within a chunk the threads share first the copying and then the product.
 */
final class DirectWeightGradient {
  /** Floats of the windows of a chunk. */
  private static final int CHUNK_FLOATS = 1 << 19;

  /** Depth of a product over pixels: a tall and a wide panel fit the first-level cache. */
  private static final int DEPTH = 128;

  /** Rows of a task of a product: few channels should still keep all threads busy. */
  private static final int ROWS = 2 * TALL_BLOCK;

  private final ConvGeometry g;
  private final Image x;
  private final Image dy;
  private final int windowSize;
  private final int chunk;
  private final int windowWidth; // width of a panel of windows
  private final int gradientWidth; // width of a panel of dy

  private DirectWeightGradient(ConvGeometry g, Image x, Image dy) {
    this.g = g;
    this.x = x;
    this.dy = dy;
    windowSize = g.taps() * x.c();
    // The sums are (tall, wide) and both are rounded up; with few outputs dy had better be the tall
    // one.
    long upright = (long) roundUp(windowSize, TALL_BLOCK) * roundUp(dy.c(), NR);
    long swapped = (long) roundUp(dy.c(), TALL_BLOCK) * roundUp(windowSize, NR);
    windowWidth = upright <= swapped ? TALL : NR;
    gradientWidth = upright <= swapped ? NR : TALL;
    int most = Math.max(DEPTH, CHUNK_FLOATS / Math.max(1, windowSize) / DEPTH * DEPTH);
    chunk = Math.min(most, dy.pixels());
  }

  /** Computes dw, (dy.c(), x.c(), kernelH, kernelW) and contiguous, for a single group. */
  static void compute(ConvGeometry g, Image x, Image dy, float[] dw, int dwOffset) {
    new DirectWeightGradient(g, x, dy).compute(dw, dwOffset);
  }

  private void compute(float[] dw, int dwOffset) {
    if (windowSize == 0 || dy.c() == 0) {
      return;
    }
    int windowColumns = roundUp(windowSize, windowWidth);
    int gradientColumns = roundUp(dy.c(), gradientWidth);
    boolean upright = windowWidth == TALL;
    int tall = upright ? windowColumns : gradientColumns;
    int wide = upright ? gradientColumns : windowColumns;
    float[] windows = Buffers.floats(chunk * windowColumns);
    float[] gradient = Buffers.floats(chunk * gradientColumns);
    float[] sum = Buffers.floats(tall * wide);
    try {
      Arrays.fill(sum, 0, tall * wide, 0);
      for (int first = 0; first < dy.pixels(); first += chunk) {
        int start = first;
        int count = Math.min(chunk, dy.pixels() - first);
        int parts = Math.min(count, 4 * Parallel.threads());
        Parallel.run(
            parts,
            p -> {
              int from = (int) ((long) p * count / parts);
              int to = (int) ((long) (p + 1) * count / parts);
              copy(start, from, to, windows, gradient);
            });
        float[] a = upright ? windows : gradient;
        float[] b = upright ? gradient : windows;
        product(a, upright ? windowSize : dy.c(), b, wide, count, sum);
      }
      unpack(sum, wide, upright, dw, dwOffset);
    } finally {
      Buffers.give(windows);
      Buffers.give(gradient);
      Buffers.give(sum);
    }
  }

  /** Pixels {@code from} … {@code to - 1} of the chunk into panels [panel][pixel][width]. */
  private void copy(int start, int from, int to, float[] windows, float[] gradient) {
    int width = dy.w();
    int height = dy.h();
    for (int i = from, run; i < to; i += run) {
      int w = (start + i) % width;
      int h = (start + i) / width % height;
      int n = (start + i) / width / height;
      run = Math.min(to - i, width - w);
      int at = dy.at(n, h, w);
      scatter(dy.data(), at, dy.strideW(), run, dy.c(), gradient, i, 0, gradientWidth);
      for (int r = 0; r < g.kernelH(); r++) {
        int row = position(h * g.strideH() + r - g.padH(), x.h(), g.circularH());
        for (int s = 0; s < g.kernelW(); s++) {
          copyTap(n, row, w * g.strideW() + s - g.padW(), run, r * g.kernelW() + s, windows, i);
        }
      }
    }
  }

  /**
   * One tap of {@code count} neighbouring windows.
   *
   * @param row negative where there are only zeros
   * @param left the column that the first window reads, perhaps outside of the image
   */
  private void copyTap(int n, int row, int left, int count, int tap, float[] windows, int i) {
    int step = g.strideW();
    int element = tap * x.c();
    for (int j = 0, run; j < count; j += run) {
      int column = left + j * step;
      boolean inside = column >= 0 && column < x.w();
      run = inside && x.repeat() == 1 ? Math.min(count - j, (x.w() - 1 - column) / step + 1) : 1;
      column = position(column, x.w(), g.circularW());
      int at = row < 0 || column < 0 ? -1 : x.at(n, row, column);
      int pixelStep = step * x.strideW();
      scatter(x.data(), at, pixelStep, run, x.c(), windows, i + j, element, windowWidth);
    }
  }

  private static int position(int at, int size, boolean circular) {
    return circular ? Math.floorMod(at, size) : at < size ? at : -1;
  }

  /**
   * Copies values of {@code count} pixels (zeros when {@code source < 0}) to rows i … of the
   * panels.
   */
  private void scatter(
      float[] data,
      int source,
      int pixelStep,
      int count,
      int length,
      float[] panels,
      int i,
      int element,
      int width) {
    for (int done = 0, run; done < length; done += run) {
      int e = element + done;
      int to = (e / width * chunk + i) * width + e % width;
      run = Math.min(length - done, width - e % width);
      for (int p = 0; p < count; p++) {
        if (source < 0) {
          Arrays.fill(panels, to + p * width, to + p * width + run, 0);
        } else {
          StridedCopy.run(data, source + p * pixelStep + done, panels, to + p * width, run);
        }
      }
    }
  }

  private void product(float[] a, int rows, float[] b, int wide, int count, float[] sum) {
    int perPanel = TALL / ROWS;
    Parallel.run(
        (rows + TALL - 1) / TALL * perPanel,
        task -> {
          int p = task / perPanel;
          int first = task % perPanel * ROWS;
          int height = Math.min(ROWS, rows - p * TALL - first);
          for (int k = 0; k < count; k += DEPTH) {
            int depth = Math.min(DEPTH, count - k);
            for (int c = 0; c < wide; c += NR) {
              MicroKernel.panels(
                  height,
                  depth,
                  a,
                  (p * chunk + k) * TALL + first,
                  b,
                  c * chunk + k * NR,
                  sum,
                  (p * TALL + first) * wide + c,
                  wide);
            }
          }
        });
  }

  private void unpack(float[] sum, int wide, boolean upright, float[] dw, int dwOffset) {
    int taps = g.taps();
    int ins = x.c();
    Parallel.run(
        dy.c(),
        o -> {
          for (int i = 0; i < ins; i++) {
            for (int t = 0; t < taps; t++) {
              int e = t * ins + i;
              dw[dwOffset + (o * ins + i) * taps + t] = sum[upright ? e * wide + o : o * wide + e];
            }
          }
        });
  }

  private static int roundUp(int value, int multiple) {
    return (value + multiple - 1) / multiple * multiple;
  }
}
