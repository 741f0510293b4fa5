package io.perflow.tensor.cpu.fft;

import io.perflow.tensor.cpu.fft.FftPlan.Pass;
import io.perflow.tensor.cpu.fft.FftPlan.Table;

/**
 * The inner loops of the Fourier transforms for one kind of array ({@code float[]} or {@code
 * double[]}), and the transform of columns built from them.
 *
 * <p>All loops run over rows of independent columns, which is what makes them wide: a row of a
 * matrix for transforms over a leading axis, or one lane per signal after a transposition for
 * transforms over the last axis. Factors are per row, so they are scalars to the loops.
 */
abstract class FftKernel<A> {

  /** Least number of columns that the loops accept; more are best given in multiples of it. */
  abstract int lanes();

  /** Bytes of an element. */
  abstract int bytes();

  /** Scratch with undefined contents, to be given back. */
  abstract A take(int length);

  /** Gives scratch back. */
  abstract void give(A array);

  /**
   * Runs one pass. Leg q of butterfly i is read from row offset {@code i * xStep + q * xLeg}, leg l
   * is written to {@code i * yStep + l * yLeg}; offsets count elements, strides of x and y are not
   * used. The output is not over the input.
   *
   * @param count butterflies, each {@code width} elements wide
   * @param twiddled whether leg l of butterfly i is multiplied by the pass's factor (i, l)
   */
  abstract void pass(
      Pass pass,
      boolean twiddled,
      int count,
      int width,
      Planes<A> x,
      int xStep,
      int xLeg,
      Planes<A> y,
      int yStep,
      int yLeg);

  /** y[p, c] = x[p, c] * table[p] for {@code rows} rows, complex; x and y may be the same. */
  abstract void rotate(Table table, int rows, int cols, Planes<A> x, Planes<A> y);

  /**
   * Last step of a real transform of even length n = 2m, in place on rows 0 … m - 1.
   *
   * <p>From z = the transform of x[2j] + i x[2j + 1] follow the transforms of the even and the odd
   * samples, E[k] = (z[k] + conj z[m-k]) / 2 and O[k] = (z[k] - conj z[m-k]) / 2i, and from them
   * X[k] = E[k] + w^k O[k], w = exp(-2 pi i / n). Row 0 becomes (X[0], X[m]), two real numbers.
   *
   * @param roots (cos, -sin, sin) of 2 pi k / n in row k
   * @param edge factor of X[0] and X[m]
   * @param interior factor of all others
   */
  abstract void untangle(Table roots, int m, int cols, Planes<A> z, double edge, double interior);

  /**
   * First step of an inverse real transform of even length n = 2m, in place: undoes {@link
   * #untangle} up to a factor 2, so that the unnormalised inverse transform of length m follows.
   */
  abstract void entangle(Table roots, int m, int cols, Planes<A> z, double edge, double interior);

  /** {@code dst[dstOffset + j * dstStride + i] = src[srcOffset + i * srcStride + j]}. */
  abstract void transpose(
      int rows, int cols, A src, int srcOffset, int srcStride, A dst, int dstOffset, int dstStride);

  /** {@code dst[dstOffset + i * dstStride + j] = factor * src[srcOffset + i * srcStride + j]}. */
  abstract void copy(
      int rows,
      int cols,
      double factor,
      A src,
      int srcOffset,
      int srcStride,
      A dst,
      int dstOffset,
      int dstStride);

  /** {@code dst[dstOffset + j] += src[srcOffset + j]}. */
  abstract void add(int cols, A src, int srcOffset, A dst, int dstOffset);

  /** Sets rows of zeros. */
  abstract void clear(int rows, int cols, A dst, int dstOffset, int dstStride);

  /**
   * Separates two columns that were transformed as one. Column 0 of y holds the transform over
   * {@code rows} rows of a + i b with a and b real; column 0 becomes that of a, column m that of b.
   */
  abstract void splitEdges(int rows, int m, Planes<A> y);

  /**
   * Joins two columns so that one inverse transform serves both: column 0 of y becomes H(x[0]) + i
   * H(x[m]), H(a)[k] = (a[k] + conj a[-k]) / 2 being the part whose inverse transform is the real
   * part of that of a.
   */
  abstract void joinEdges(int rows, int m, Planes<A> x, Planes<A> y);

  /**
   * Forward transform of every column: rows 0 … n - 1 of x to rows 0 … n - 1 of y. The inverse is
   * the same between {@linkplain Planes#swapped swapped} planes. x and y may share memory, unless n
   * is 1.
   *
   * @param scratch at least {@link FftPlan#scratch} elements from {@code at} on
   */
  final void columns(FftPlan plan, Planes<A> x, Planes<A> y, int cols, A scratch, int at) {
    if (plan.rader != null) {
      rader(plan, x, y, cols, scratch, at);
      return;
    }
    if (plan.convolution != null) {
      convolve(plan, x, y, cols, scratch, at);
      return;
    }
    Pass[] passes = plan.passes;
    int size = plan.n * cols + FftPlan.GAP;
    Planes<A> even = new Planes<>(scratch, at, at + size, cols);
    Planes<A> odd = new Planes<>(scratch, at + 2 * size, at + 3 * size, cols);
    if (passes.length <= 1) { // through scratch, because x and y may be the same
      Planes<A> from = x;
      if (passes.length == 1) {
        pass(passes[0], false, 1, cols, x, 0, x.stride(), even, 0, cols);
        from = even;
      }
      if (from.data() != y.data() || from.re() != y.re()) {
        copyBoth(plan.n, cols, from, y);
      }
      return;
    }
    first(passes[0], x, even, cols);
    Planes<A> from = even;
    for (int i = 1; i < passes.length - 1; i++) {
      Planes<A> to = from == even ? odd : even;
      middle(passes[i], from, to, cols);
      from = to;
    }
    last(passes[passes.length - 1], from, y, cols);
  }

  private void first(Pass pass, Planes<A> x, Planes<A> y, int cols) {
    int r = pass.radix();
    pass(pass, true, pass.m(), cols, x, x.stride(), pass.m() * x.stride(), y, r * cols, cols);
  }

  private void middle(Pass pass, Planes<A> x, Planes<A> y, int cols) {
    int row = pass.s() * cols; // the t rows of a (q, p) pair are contiguous: one wide row
    pass(pass, true, pass.m(), row, x, row, pass.m() * row, y, pass.radix() * row, row);
  }

  private void last(Pass pass, Planes<A> x, Planes<A> y, int cols) {
    int s = pass.s();
    if (y.stride() == cols) {
      pass(pass, false, 1, s * cols, x, 0, s * cols, y, 0, s * cols);
    } else {
      pass(pass, false, s, cols, x, cols, s * cols, y, y.stride(), s * y.stride());
    }
  }

  private void convolve(FftPlan plan, Planes<A> x, Planes<A> y, int cols, A scratch, int at) {
    FftPlan inner = plan.convolution;
    int n = plan.n;
    int size = inner.n * cols;
    Planes<A> a = new Planes<>(scratch, at, at + size, cols);
    int rest = at + 2 * size;
    rotate(plan.chirp, n, cols, x, a);
    clear(inner.n - n, cols, scratch, a.re() + n * cols, cols);
    clear(inner.n - n, cols, scratch, a.im() + n * cols, cols);
    columns(inner, a, a, cols, scratch, rest);
    rotate(plan.chirpSpectrum, inner.n, cols, a, a);
    columns(inner, a.swapped(), a.swapped(), cols, scratch, rest);
    rotate(plan.chirp, n, cols, a, y);
  }

  // Sample 0 has no part in the convolution: it is added to all results, by way of the row of the
  // spectrum that is their mean. The same row before the product is the sum of all other samples.
  private void rader(FftPlan plan, Planes<A> x, Planes<A> y, int cols, A scratch, int at) {
    int length = plan.convolution.n;
    Planes<A> a = new Planes<>(scratch, at, at + (length + 2) * cols, cols);
    int rest = at + 2 * (length + 2) * cols;
    Planes<A> zeroth = a.from(length * cols);
    Planes<A> sum = a.from((length + 1) * cols);
    copyBoth(1, cols, x, zeroth);
    for (int p = 0; p < length; p++) {
      copyBoth(1, cols, x.from(plan.rader.sources()[p] * x.stride()), a.from(p * cols));
    }
    columns(plan.convolution, a, a, cols, scratch, rest);
    copyBoth(1, cols, zeroth, sum);
    addBoth(cols, a, sum);
    rotate(plan.rader.spectrum(), length, cols, a, a);
    addBoth(cols, zeroth, a);
    columns(plan.convolution, a.swapped(), a.swapped(), cols, scratch, rest);
    copyBoth(1, cols, sum, y);
    for (int q = 0; q < length; q++) {
      copyBoth(1, cols, a.from(q * cols), y.from(plan.rader.targets()[q] * y.stride()));
    }
  }

  private void addBoth(int cols, Planes<A> x, Planes<A> y) {
    add(cols, x.data(), x.re(), y.data(), y.re());
    add(cols, x.data(), x.im(), y.data(), y.im());
  }

  final void copyBoth(int rows, int cols, Planes<A> x, Planes<A> y) {
    copy(rows, cols, 1, x.data(), x.re(), x.stride(), y.data(), y.re(), y.stride());
    copy(rows, cols, 1, x.data(), x.im(), x.stride(), y.data(), y.im(), y.stride());
  }
}
