package io.perflow.tensor.cpu.fft;

/**
 * Real transforms of length n over {@code cols} columns, and over contiguous rows, a tile of which
 * is transposed so that each row becomes a column.
 *
 * <p>An even n gives a <em>packed</em> half spectrum of n / 2 complex numbers: X[0] and X[n/2] are
 * real and share slot 0 as real and imaginary part. An odd n gives (n + 1) / 2 numbers, X[0] with
 * imaginary part zero. Forward and inverse take two factors, one for the edges X[0] and X[n/2] and
 * one for the bins between, because the adjoints differ from the transforms in just that.
 *
 * <p>Not thread safe: one object per task, with its own workspace; {@link #close} gives it back.
 */
final class RealRows<A> implements AutoCloseable {
  // A tile of rows and the scratch of the passes stay within a first-level cache. Wide tiles share
  // the loads of factors and the bounds checks of a butterfly.
  private static final int TILE_BYTES = 32 * 1024;
  private static final int MAX_VECTORS = 8;

  private final FftKernel<A> kernel;
  private final RealFftPlan plan;
  private final int n;
  private final int cols;
  private final A work;
  private final Planes<A> x; // (m, cols), the real block as complex numbers
  private final Planes<A> z; // (m, cols), in the same memory
  private final int scratch;

  /** For blocks of {@code cols} columns, a multiple of the kernel's lanes. */
  RealRows(FftKernel<A> kernel, RealFftPlan plan, int cols) {
    this.kernel = kernel;
    this.plan = plan;
    this.cols = cols;
    n = plan.n;
    int plane = plan.m * cols + (plan.m == 1 ? 0 : FftPlan.GAP);
    scratch = 2 * plane;
    work = kernel.take(scratch + plan.complex.scratch(cols));
    z = new Planes<>(work, 0, plane, cols);
    x = plan.even() ? new Planes<>(work, 0, cols, 2 * cols) : z;
  }

  /** For tiles of rows; the number of rows in a tile follows from n. */
  static <A> RealRows<A> ofTiles(FftKernel<A> kernel, RealFftPlan plan) {
    return new RealRows<>(kernel, plan, tileRows(kernel, plan.n));
  }

  /** Rows in a tile: a power of two of vectors, as many as fit the cache. */
  static int tileRows(FftKernel<?> kernel, int n) {
    long vector = 2L * n * kernel.lanes() * kernel.bytes(); // data and scratch
    int vectors = Math.clamp(TILE_BYTES / vector, 1, MAX_VECTORS);
    return kernel.lanes() * Integer.highestOneBit(vectors);
  }

  /** The real block (n, cols), dense: input of {@link #forward}, output of {@link #inverse}. */
  A data() {
    return work;
  }

  /** Columns of a block. */
  int cols() {
    return cols;
  }

  /** Number of spectrum rows: n / 2 packed, or (n + 1) / 2. */
  int bins() {
    return plan.even() ? n / 2 : (n + 1) / 2;
  }

  /** The spectrum block (bins, cols), dense. */
  Planes<A> spectrum() {
    return z;
  }

  /** Real block to spectrum block, which takes its place. */
  void forward(double edge, double interior) {
    if (plan.even()) {
      kernel.columns(plan.complex, x, z, cols, work, scratch);
      kernel.untangle(plan.roots, plan.m, cols, z, edge, interior);
      return;
    }
    kernel.clear(n, cols, work, z.im(), cols);
    kernel.columns(plan.complex, z, z, cols, work, scratch);
    scaleOdd(edge, interior);
  }

  /** Spectrum block to real block, which takes its place; unnormalised. */
  void inverse(double edge, double interior) {
    if (plan.even()) {
      kernel.entangle(plan.roots, plan.m, cols, z, edge, interior);
    } else {
      scaleOdd(edge, interior);
      int last = (n - 1) * cols; // X[n - k] = conj X[k]: row 1 upwards, row n - 1 downwards
      int re = z.re();
      int im = z.im();
      kernel.copy(bins() - 1, cols, 1, work, re + cols, cols, work, re + last, -cols);
      kernel.copy(bins() - 1, cols, -1, work, im + cols, cols, work, im + last, -cols);
    }
    kernel.columns(plan.complex, z.swapped(), x.swapped(), cols, work, scratch);
  }

  private void scaleOdd(double edge, double interior) {
    int re = z.re();
    int im = z.im();
    kernel.clear(1, cols, work, im, cols);
    kernel.copy(1, cols, edge, work, re, cols, work, re, cols);
    int rest = bins() - 1;
    kernel.copy(rest, cols, interior, work, re + cols, cols, work, re + cols, cols);
    kernel.copy(rest, cols, interior, work, im + cols, cols, work, im + cols, cols);
  }

  /**
   * Forward over contiguous rows.
   *
   * @param x first of {@code rows} real rows of length n
   * @param y their spectra, one row each: packed, or spread out to n / 2 + 1 bins
   */
  void forwardRows(
      A x, int offset, int rows, Planes<A> y, boolean packed, double edge, double interior) {
    for (int r = 0; r < rows; r += cols) {
      int count = Math.min(cols, rows - r);
      kernel.transpose(count, n, x, offset + r * n, n, work, 0, cols);
      forward(edge, interior);
      Planes<A> out = y.from(r * y.stride());
      A data = out.data();
      kernel.transpose(bins(), count, work, z.re(), cols, data, out.re(), out.stride());
      kernel.transpose(bins(), count, work, z.im(), cols, data, out.im(), out.stride());
      if (plan.even() && !packed) {
        int m = plan.m;
        kernel.transpose(1, count, work, z.im(), cols, data, out.re() + m, out.stride());
        kernel.clear(count, 1, data, out.im(), out.stride());
        kernel.clear(count, 1, data, out.im() + m, out.stride());
      }
    }
  }

  /** Inverse over rows: spectra in the form that {@link #forwardRows} writes, to real rows. */
  void inverseRows(
      Planes<A> x, boolean packed, A y, int offset, int rows, double edge, double interior) {
    for (int r = 0; r < rows; r += cols) {
      int count = Math.min(cols, rows - r);
      Planes<A> in = x.from(r * x.stride());
      A data = in.data();
      kernel.transpose(count, bins(), data, in.re(), in.stride(), work, z.re(), cols);
      kernel.transpose(count, bins(), data, in.im(), in.stride(), work, z.im(), cols);
      if (plan.even() && !packed) {
        kernel.transpose(count, 1, data, in.re() + plan.m, in.stride(), work, z.im(), cols);
      }
      inverse(edge, interior);
      kernel.transpose(n, count, work, 0, cols, y, offset + r * n, n);
    }
  }

  @Override
  public void close() {
    kernel.give(work);
  }
}
