package io.perflow.tensor.cpu.conv;

import static io.perflow.tensor.cpu.gemm.MicroKernel.NR;
import static io.perflow.tensor.cpu.vector.Simd.W;

import io.perflow.tensor.cpu.gemm.Gemm;
import io.perflow.tensor.cpu.gemm.Matrix;
import io.perflow.tensor.cpu.gemm.MicroKernel;
import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.cpu.memory.StridedCopy;
import java.util.Arrays;

/**
 * Convolution by direct summation, for any kernel and stride.
 *
 * <p>A band of the input is copied with its padding into scratch memory, where the window of an
 * output pixel is one contiguous run of {@code kernelW * channels} values per kernel row.
 * Neighbouring output pixels are then the rows of a matrix whose row stride is {@code strideW *
 * channels}, and the convolution is a matrix product with the packed weights that never builds that
 * matrix. With few channels the runs are too short for the product's inner loop; the windows are
 * then copied out whole.
 */
final class DirectConvolution {
  /**
   * Floats of a band: it stays in the second-level cache while all output channels pass over it.
   */
  private static final int BAND_FLOATS = 1 << 16;

  /** Shortest run for which windows are read in place. */
  private static final int MIN_RUN = 48;

  private static final float[] ZEROS = new float[NR];

  private DirectConvolution() {}

  /** Whether windows are copied out, given the values of one kernel row of a window. */
  private static boolean unrolled(int kernelH, int run) {
    return run < MIN_RUN && kernelH > 1;
  }

  /**
   * Packs (kernelH * run, outs) weights, run = kernelW * channels, kernel row by kernel row, or for
   * {@link NarrowKernel} output by output.
   */
  static void pack(Matrix weights, int kernelH, float[] packed, int to) {
    int run = weights.rows() / kernelH;
    if (NarrowKernel.suits(weights.cols(), kernelH, run)) {
      for (int o = 0; o < weights.cols(); o++) {
        for (int k = 0; k < weights.rows(); k++) {
          int from = weights.offset() + k * weights.rowStride() + o * weights.colStride();
          packed[to + o * weights.rows() + k] = weights.data()[from];
        }
      }
      return;
    }
    if (unrolled(kernelH, run)) {
      Gemm.pack(weights, packed, to);
      return;
    }
    int length = Gemm.packedLength(run, weights.cols());
    for (int r = 0; r < kernelH; r++) {
      Matrix row =
          new Matrix(
              weights.data(),
              weights.offset() + r * run * weights.rowStride(),
              run,
              weights.cols(),
              weights.rowStride(),
              weights.colStride());
      Gemm.pack(row, packed, to + r * length);
    }
  }

  /**
   * y[h][w] = bias + sum over r, s of x[h * strideH + r - padH][w * strideW + s - padW]
   * weight[r][s].
   *
   * @param padH,padW any value, also negative
   * @param weights packed by {@link #pack}
   * @param bias y.c() values, or null
   */
  static void correlate(
      Image x,
      int kernelH,
      int kernelW,
      int strideH,
      int strideW,
      int padH,
      int padW,
      boolean circularH,
      boolean circularW,
      float[] weights,
      int weightsOffset,
      float[] bias,
      int biasOffset,
      Image y) {
    if (y.pixels() == 0 || y.c() == 0) {
      return;
    }
    Plan plan =
        new Plan(
            x,
            kernelH,
            kernelW,
            strideH,
            strideW,
            padH,
            padW,
            circularH,
            circularW,
            weights,
            weightsOffset,
            y);
    int padded = MicroKernel.paddedColumns(y.c());
    float[] start = Buffers.floats(padded);
    Arrays.fill(start, 0, padded, 0);
    if (bias != null) {
      System.arraycopy(bias, biasOffset, start, 0, y.c());
    }
    int panels = padded / NR;
    int bands = (y.h() + plan.bandRows - 1) / plan.bandRows;
    int groups = Math.clamp((2 * Parallel.threads() - 1) / (y.n() * bands) + 1, 1, panels);
    if (Parallel.threads() == 1) {
      groups = 1;
    }
    int perGroup = (panels + groups - 1) / groups;
    int tasks = (panels + perGroup - 1) / perGroup;
    Parallel.run(
        y.n() * bands * tasks,
        task -> {
          int first = task % tasks * perGroup;
          int band = task / tasks % bands;
          int n = task / tasks / bands;
          plan.band(n, band * plan.bandRows, first, Math.min(perGroup, panels - first), start);
        });
    Buffers.give(start);
  }

  /** One call's sizes. */
  private static final class Plan {
    final Image x;
    final int kernelH;
    final int strideH;
    final int strideW;
    final int padH;
    final int padW;
    final boolean circularH;
    final boolean circularW;
    final float[] weights;
    final int weightsOffset;
    final Image y;
    final int run; // values of one kernel row of a window
    final int depth; // values of a window
    final int cols; // pixels of a row of the band
    final int rows; // rows of a product: output pixels of a row, padded
    final int bandRows; // output rows of a band
    final boolean narrow; // whether there are few output channels
    final boolean unrolled; // whether windows are copied out

    Plan(
        Image x,
        int kernelH,
        int kernelW,
        int strideH,
        int strideW,
        int padH,
        int padW,
        boolean circularH,
        boolean circularW,
        float[] weights,
        int weightsOffset,
        Image y) {
      this.x = x;
      this.kernelH = kernelH;
      this.strideH = strideH;
      this.strideW = strideW;
      this.padH = padH;
      this.padW = padW;
      this.circularH = circularH;
      this.circularW = circularW;
      this.weights = weights;
      this.weightsOffset = weightsOffset;
      this.y = y;
      run = kernelW * x.c();
      depth = kernelH * run;
      cols = (y.w() - 1) * strideW + kernelW;
      rows = MicroKernel.paddedRows(y.w());
      narrow = NarrowKernel.suits(y.c(), kernelH, run);
      unrolled = !narrow && unrolled(kernelH, run);
      int perRow = Math.max(1, strideH * cols * x.c() + (unrolled ? rows * depth : 0));
      int most = Math.clamp(BAND_FLOATS / perRow, 1, y.h());
      int bands = (y.h() + most - 1) / most;
      bandRows = (y.h() + bands - 1) / bands;
    }

    void band(int n, int top, int firstPanel, int panels, float[] start) {
      int count = Math.min(bandRows, y.h() - top);
      if (count <= 0) {
        return;
      }
      int inRows = (count - 1) * strideH + kernelH;
      // Surplus rows of a product reach up to four pixels beyond the last row of the band.
      float[] source = Buffers.floats((inRows * cols + 4 * strideW) * x.c());
      float[] windows = Buffers.floats(unrolled ? count * rows * depth : 0);
      float[] edge = Buffers.floats(rows * NR);
      float[] part = Buffers.floats(rows * NR);
      float[] sums = Buffers.floats(narrow ? y.w() * W : 0);
      try {
        Window.copy(
            x,
            n,
            top * strideH - padH,
            -padW,
            inRows,
            cols,
            circularH,
            circularW,
            source,
            0,
            x.c());
        if (narrow) {
          for (int r = 0; r < count; r++) {
            narrowRow(n, top + r, r, source, start, sums);
          }
          return;
        }
        if (unrolled) {
          copyWindows(source, count, windows);
        }
        for (int p = firstPanel; p < firstPanel + panels; p++) {
          for (int r = 0; r < count; r++) {
            row(n, top + r, r, p, unrolled ? windows : source, start, edge, part);
          }
        }
      } finally {
        Buffers.give(source);
        Buffers.give(windows);
        Buffers.give(edge);
        Buffers.give(part);
        Buffers.give(sums);
      }
    }

    private void narrowRow(int n, int h, int r, float[] source, float[] start, float[] sums) {
      for (int o = 0; o < y.c(); o++) {
        Arrays.fill(sums, 0, y.w() * W, 0);
        for (int i = 0; i < kernelH; i++) {
          int from = (r * strideH + i) * cols * x.c();
          int w = weightsOffset + o * depth + i * run;
          NarrowKernel.add(y.w(), source, from, strideW * x.c(), run, weights, w, sums);
        }
        NarrowKernel.finish(y.w(), sums, start[o], y.data(), y.at(n, h, 0) + o, y.strideW());
      }
    }

    private void copyWindows(float[] source, int count, float[] windows) {
      for (int r = 0; r < count; r++) {
        for (int w = 0; w < y.w(); w++) {
          int from = (r * strideH * cols + w * strideW) * x.c();
          int to = (r * rows + w) * depth;
          for (int i = 0; i < kernelH; i++) {
            int s = from + i * cols * x.c();
            int t = to + i * run;
            for (int k = 0; k < run; k++) {
              windows[t + k] = source[s + k];
            }
          }
        }
      }
    }

    /** One output row for one panel of output channels. */
    private void row(
        int n, int h, int r, int panel, float[] a, float[] start, float[] edge, float[] part) {
      int column = panel * NR;
      int columns = MicroKernel.paddedColumns(y.c());
      int width = Math.min(NR, y.c() - column);
      boolean whole = width == NR && rows == y.w();
      int to = y.at(n, h, 0) + column;
      float[] c = whole ? y.data() : edge;
      int co = whole ? to : 0;
      int cr = whole ? y.strideW() : NR;
      int segments = unrolled ? 1 : kernelH;
      int length = unrolled ? depth : run;
      int step = unrolled ? depth : strideW * x.c();
      int depthPart = Gemm.depth(length);
      for (int i = 0; i < segments; i++) {
        int ao = unrolled ? r * rows * depth : (r * strideH + i) * cols * x.c();
        for (int k = 0; k < length; k += depthPart) {
          int count = Math.min(depthPart, length - k);
          int b = weightsOffset + (i * length + k) * columns + column * count;
          if (i == 0 && k == 0) {
            MicroKernel.rows(rows, a, ao, step, count, weights, b, start, column, c, co, cr);
          } else {
            MicroKernel.rows(rows, a, ao + k, step, count, weights, b, ZEROS, 0, part, 0, NR);
            MicroKernel.add(rows, part, c, co, cr);
          }
        }
      }
      if (!whole) {
        StridedCopy.rows(edge, 0, NR, width, y.w(), y.data(), to, y.strideW());
      }
    }
  }
}
