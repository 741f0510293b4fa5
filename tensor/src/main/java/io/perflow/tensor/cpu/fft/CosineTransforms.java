package io.perflow.tensor.cpu.fft;

import io.perflow.tensor.cpu.loop.Parallel;

/**
 * Cosine transforms of types II and III and the sine transform of type I, each by one real Fourier
 * transform over blocks of columns.
 *
 * <p>Type II reorders the n samples to v = (x[0], x[2], x[4] …, x[5], x[3], x[1]); with V the
 * Fourier transform of v, y[k] - i y[n - k] = 2 exp(-pi i k / 2n) V[k]. Type III runs this
 * backwards (J. Makhoul, A fast cosine transform in one and two dimensions, 1980). The sine
 * transform is the Fourier transform of the odd extension (0, x[0] …, x[n-1], 0, -x[n-1] …, -x[0]).
 */
final class CosineTransforms<A> {
  private static final double SQRT2 = Math.sqrt(2);

  private final FftKernel<A> kernel;

  CosineTransforms(FftKernel<A> kernel) {
    this.kernel = kernel;
  }

  /** Type II; {@code edge} is the scale of y[0]. */
  void dct2(
      A src,
      int srcOffset,
      A dst,
      int dstOffset,
      int outer,
      int n,
      int inner,
      double edge,
      double scale) {
    blocks(
        n,
        src,
        srcOffset,
        dst,
        dstOffset,
        outer,
        n,
        inner,
        (rows, x, y, cols) -> {
          int width = rows.cols();
          A v = rows.data();
          copy(n - n / 2, cols, 1, x.row(0, 2), new Strip<>(v, 0, width));
          copy(n / 2, cols, 1, x.row(1, 2), new Strip<>(v, (n - 1) * width, -width));
          rows.forward(1, 1);
          Planes<A> z = rows.spectrum();
          Strip<A> re = new Strip<>(v, z.re(), width);
          Strip<A> im = new Strip<>(v, z.im(), width);
          int bins = rows.bins();
          if (n % 2 == 0) { // before the rotation, which mixes the two edges that share row 0
            copy(1, cols, SQRT2 * scale, im, y.row(n / 2, 1));
            kernel.clear(1, width, v, z.im(), width);
          }
          kernel.rotate(RealFftPlan.of(n).quarters, bins, width, z, z);
          copy(1, cols, 2 * edge, re, y.row(0, 1));
          copy(bins - 1, cols, 2 * scale, re.row(1, 1), y.row(1, 1));
          copy(bins - 1, cols, -2 * scale, im.row(1, 1), y.row(n - 1, -1));
        });
  }

  /** Type III; {@code edge} is the scale of x[0]. */
  void dct3(
      A src,
      int srcOffset,
      A dst,
      int dstOffset,
      int outer,
      int n,
      int inner,
      double edge,
      double scale) {
    blocks(
        n,
        src,
        srcOffset,
        dst,
        dstOffset,
        outer,
        n,
        inner,
        (rows, x, y, cols) -> {
          int width = rows.cols();
          A v = rows.data();
          Planes<A> z = rows.spectrum();
          Strip<A> re = new Strip<>(v, z.re(), width);
          Strip<A> im = new Strip<>(v, z.im(), width);
          int bins = rows.bins();
          copy(1, cols, edge, x, re);
          kernel.clear(1, width, v, z.im(), width);
          copy(bins - 1, cols, scale, x.row(1, 1), re.row(1, 1));
          copy(bins - 1, cols, -scale, x.row(n - 1, -1), im.row(1, 1));
          // between swapped planes a factor acts as its conjugate
          kernel.rotate(RealFftPlan.of(n).quarters, bins, width, z.swapped(), z.swapped());
          if (n % 2 == 0) {
            copy(1, cols, SQRT2 * scale, x.row(n / 2, 1), im);
          }
          rows.inverse(1, 1);
          copy(n - n / 2, cols, 1, new Strip<>(v, 0, width), y.row(0, 2));
          copy(n / 2, cols, 1, new Strip<>(v, (n - 1) * width, -width), y.row(1, 2));
        });
  }

  /** Sine transform of type I. */
  void dst1(A src, int srcOffset, A dst, int dstOffset, int outer, int n, int inner, double scale) {
    int length = 2 * (n + 1);
    blocks(
        length,
        src,
        srcOffset,
        dst,
        dstOffset,
        outer,
        n,
        inner,
        (rows, x, y, cols) -> {
          int width = rows.cols();
          Strip<A> v = new Strip<>(rows.data(), 0, width);
          kernel.clear(1, width, v.data(), 0, width);
          kernel.clear(1, width, v.data(), (n + 1) * width, width);
          copy(n, cols, 1, x, v.row(1, 1));
          copy(n, cols, -1, x, v.row(length - 1, -1));
          rows.forward(1, 1);
          Strip<A> im = new Strip<>(v.data(), rows.spectrum().im(), width);
          copy(n, cols, -scale, im.row(1, 1), y);
        });
  }

  /** Rows of real numbers: element c of row p at {@code data[offset + p * stride + c]}. */
  private record Strip<A>(A data, int offset, int stride) {
    /** The rows p, p + step, p + 2 step … */
    Strip<A> row(int p, int step) {
      return new Strip<>(data, offset + p * stride, step * stride);
    }
  }

  private void copy(int rows, int cols, double factor, Strip<A> x, Strip<A> y) {
    kernel.copy(
        rows, cols, factor, x.data(), x.offset(), x.stride(), y.data(), y.offset(), y.stride());
  }

  /** Transforms {@code cols} columns of n rows each from x to y, which may be the same. */
  private interface Body<A> {
    void run(RealRows<A> rows, Strip<A> x, Strip<A> y, int cols);
  }

  /** Runs the body over blocks of columns; contiguous signals are transposed to columns first. */
  private void blocks(
      int length,
      A src,
      int srcOffset,
      A dst,
      int dstOffset,
      int outer,
      int n,
      int inner,
      Body<A> body) {
    RealFftPlan plan = RealFftPlan.of(length);
    int width = RealRows.tileRows(kernel, length);
    int lines = inner == 1 ? outer : inner;
    int blocks = (lines + width - 1) / width;
    Parallel.run(
        inner == 1 ? blocks : outer * blocks,
        task -> {
          int from = task % blocks * width;
          int cols = Math.min(width, lines - from);
          try (RealRows<A> rows = new RealRows<>(kernel, plan, width)) {
            if (inner == 1) {
              int at = from * n;
              contiguous(rows, src, srcOffset + at, dst, dstOffset + at, n, cols, body);
            } else {
              int at = task / blocks * n * inner + from;
              body.run(
                  rows,
                  new Strip<>(src, srcOffset + at, inner),
                  new Strip<>(dst, dstOffset + at, inner),
                  cols);
            }
          }
        });
  }

  private void contiguous(
      RealRows<A> rows, A src, int srcOffset, A dst, int dstOffset, int n, int cols, Body<A> body) {
    A tile = kernel.take(n * rows.cols());
    try {
      kernel.transpose(cols, n, src, srcOffset, n, tile, 0, rows.cols());
      Strip<A> strip = new Strip<>(tile, 0, rows.cols());
      body.run(rows, strip, strip, cols);
      kernel.transpose(n, cols, tile, 0, rows.cols(), dst, dstOffset, n);
    } finally {
      kernel.give(tile);
    }
  }
}
