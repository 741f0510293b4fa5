package io.perflow.tensor.cpu.fft;

import io.perflow.tensor.cpu.loop.Parallel;

/**
 * Discrete Fourier transforms of any length, complex and real, over one to three axes, and the
 * cosine and sine transforms built on them.
 *
 * <p>Complex data are planar: two dense planes of the same shape, given by the offsets of their
 * first elements. Forward is X[k] = sum over j of x[j] exp(-2 pi i j k / n), inverse has the other
 * sign; neither divides by n: {@code scale} multiplies the result and carries the caller's
 * normalisation. Source and destination must not overlap, except that {@link #fft} and {@link
 * #fftn} also work in place. Results do not depend on the number of threads.
 *
 * <p><b>Adjoints</b> are with respect to the plain sum of products over all real and imaginary
 * entries. That of the complex transform is the transform of the other direction with the same
 * scale.
 *
 * @param <A> {@code float[]} or {@code double[]}
 */
final class Fft<A> {
  private static final Fft<double[]> SCALAR_DOUBLES = new Fft<>(new ScalarDoubleFft());

  // Elements that make a task worth handing to another thread.
  private static final int TASK_ELEMENTS = 16 * 1024;

  private final FftKernel<A> kernel;

  private Fft(FftKernel<A> kernel) {
    this.kernel = kernel;
  }

  /** On the Vector API, for floats. */
  static Fft<float[]> vectorFloats() {
    return VectorFloats.INSTANCE;
  }

  /** On the Vector API, for doubles. */
  static Fft<double[]> vectorDoubles() {
    return VectorDoubles.INSTANCE;
  }

  /** In plain Java, for doubles. */
  static Fft<double[]> scalarDoubles() {
    return SCALAR_DOUBLES;
  }

  // Holders, so that without the vector module the classes that need it are never loaded.
  private static final class VectorFloats {
    static final Fft<float[]> INSTANCE = new Fft<>(new VectorFloatFft());
  }

  private static final class VectorDoubles {
    static final Fft<double[]> INSTANCE = new Fft<>(new VectorDoubleFft());
  }

  /** Complex transform over the middle axis of (outer, n, inner). */
  void fft(
      boolean inverse,
      A src,
      int srcRe,
      int srcIm,
      A dst,
      int dstRe,
      int dstIm,
      int outer,
      int n,
      int inner,
      double scale) {
    if (outer == 0 || inner == 0) {
      return;
    }
    Planes<A> x = new Planes<>(src, srcRe, srcIm, inner == 1 ? n : inner);
    Planes<A> y = new Planes<>(dst, dstRe, dstIm, inner == 1 ? n : inner);
    ComplexColumns<A> columns = new ComplexColumns<>(kernel, n);
    if (inner == 1) {
      rows(columns, inverse, x, y, outer, n, scale);
    } else {
      columns(columns, inverse, x, y, outer, n, inner, scale);
    }
  }

  private void rows(
      ComplexColumns<A> columns,
      boolean inverse,
      Planes<A> x,
      Planes<A> y,
      int rows,
      int n,
      double scale) {
    int tile = columns.tileRows();
    int chunk = tile * Math.max(1, TASK_ELEMENTS / Math.max(1, tile * n));
    Parallel.run(
        (rows + chunk - 1) / chunk,
        task -> {
          int from = task * chunk;
          int count = Math.min(chunk, rows - from);
          columns.rows(inverse, x.from(from * n), y.from(from * n), count, scale);
        });
  }

  private void columns(
      ComplexColumns<A> columns,
      boolean inverse,
      Planes<A> x,
      Planes<A> y,
      int outer,
      int n,
      int inner,
      double scale) {
    int blocks = columns.blocks(inner);
    Parallel.run(
        outer * blocks,
        task -> {
          int from = columns.start(inner, task % blocks);
          int cols = columns.start(inner, task % blocks + 1) - from;
          int at = task / blocks * n * inner + from;
          A work = columns.workspace(cols);
          try {
            columns.columns(inverse, x.from(at), y.from(at), cols, work);
          } finally {
            kernel.give(work);
          }
          columns.scale(y.from(at), n, cols, scale);
        });
  }

  /** Complex transform over the last one to three axes of (batch, sizes …). */
  void fftn(
      boolean inverse,
      A src,
      int srcRe,
      int srcIm,
      A dst,
      int dstRe,
      int dstIm,
      int batch,
      int[] sizes,
      double scale) {
    int axes = sizes.length;
    int width = sizes[axes - 1];
    if (axes == 1) {
      fft(inverse, src, srcRe, srcIm, dst, dstRe, dstIm, batch, width, 1, scale);
      return;
    }
    int height = sizes[axes - 2];
    int depth = axes == 3 ? sizes[0] : 1;
    int area = height * width;
    ComplexColumns<A> rows = new ComplexColumns<>(kernel, width);
    ComplexColumns<A> columns = new ComplexColumns<>(kernel, height);
    Planes<A> x = new Planes<>(src, srcRe, srcIm, width);
    Planes<A> y = new Planes<>(dst, dstRe, dstIm, width);
    if (batch * depth > 1) {
      Parallel.run(
          batch * depth,
          image -> {
            Planes<A> to = y.from(image * area);
            rows.rows(inverse, x.from(image * area), to, height, scale);
            columns.allBlocks(inverse, to, to, width);
          });
    } else if (batch == 1) {
      rows(rows, inverse, x, y, height, width, scale);
      columns(columns, inverse, y, y, 1, height, width, 1);
    }
    if (depth > 1) {
      fft(inverse, dst, dstRe, dstIm, dst, dstRe, dstIm, batch, depth, area, 1);
    }
  }

  /**
   * Real transform over the last one to three axes: (batch, …, n) to planar (batch, …, n / 2 + 1).
   */
  void rfft(
      A src, int srcOffset, A dst, int dstRe, int dstIm, int batch, int[] sizes, double scale) {
    forward(src, srcOffset, dst, dstRe, dstIm, batch, sizes, scale, scale);
  }

  /**
   * Adjoint of {@link #irfft} with the same sizes and scale.
   *
   * <p>irfft adds each bin between the edges twice, as itself and as the conjugate of its mirror
   * image, and each edge once: x = scale * Re(sum over k of c[k] X[k] exp(2 pi i j k / n)) with c =
   * 1 for k = 0 and k = n / 2, else 2. Hence its adjoint is scale * c[k] * rfft(x)[k]. For several
   * axes k is the index of the last one.
   */
  void irfftAdjoint(
      A src, int srcOffset, A dst, int dstRe, int dstIm, int batch, int[] sizes, double scale) {
    forward(src, srcOffset, dst, dstRe, dstIm, batch, sizes, scale, 2 * scale);
  }

  /**
   * Inverse real transform over the last one to three axes: planar (batch, …, n / 2 + 1) to (batch,
   * …, n), n being the last of {@code sizes}. The leading axes are inverted first; then, as in
   * NumPy, the imaginary parts of bin 0 and, for even n, of bin n / 2 are ignored.
   */
  void irfft(
      A src, int srcRe, int srcIm, A dst, int dstOffset, int batch, int[] sizes, double scale) {
    inverse(src, srcRe, srcIm, dst, dstOffset, batch, sizes, scale, scale);
  }

  /**
   * Adjoint of {@link #rfft} with the same sizes and scale: scale * Re(sum over the half spectrum
   * of y[k] exp(2 pi i j k / n)), which is irfft of y with the bins between the edges halved.
   */
  void rfftAdjoint(
      A src, int srcRe, int srcIm, A dst, int dstOffset, int batch, int[] sizes, double scale) {
    inverse(src, srcRe, srcIm, dst, dstOffset, batch, sizes, scale, 0.5 * scale);
  }

  private void forward(
      A src,
      int offset,
      A dst,
      int re,
      int im,
      int batch,
      int[] sizes,
      double edge,
      double interior) {
    int axes = sizes.length;
    int n = sizes[axes - 1];
    int half = n / 2 + 1;
    Planes<A> y = new Planes<>(dst, re, im, half);
    if (axes == 1) {
      RealFftPlan plan = RealFftPlan.of(n);
      rowTasks(
          batch,
          n,
          (from, count) -> {
            try (RealRows<A> rows = RealRows.ofTiles(kernel, plan)) {
              Planes<A> out = y.from(from * half);
              rows.forwardRows(src, offset + from * n, count, out, false, edge, interior);
            }
          });
      return;
    }
    int height = sizes[axes - 2];
    int depth = axes == 3 ? sizes[0] : 1;
    RealImages<A> images = new RealImages<>(kernel, height, n);
    images.forward(src, offset, y, batch * depth, edge, interior);
    if (depth > 1) {
      fft(false, dst, re, im, dst, re, im, batch, depth, height * half, 1);
    }
  }

  private void inverse(
      A src,
      int re,
      int im,
      A dst,
      int offset,
      int batch,
      int[] sizes,
      double edge,
      double interior) {
    int axes = sizes.length;
    int n = sizes[axes - 1];
    int half = n / 2 + 1;
    Planes<A> x = new Planes<>(src, re, im, half);
    if (axes == 1) {
      RealFftPlan plan = RealFftPlan.of(n);
      rowTasks(
          batch,
          n,
          (from, count) -> {
            try (RealRows<A> rows = RealRows.ofTiles(kernel, plan)) {
              Planes<A> in = x.from(from * half);
              rows.inverseRows(in, false, dst, offset + from * n, count, edge, interior);
            }
          });
      return;
    }
    int height = sizes[axes - 2];
    int depth = axes == 3 ? sizes[0] : 1;
    RealImages<A> images = new RealImages<>(kernel, height, n);
    if (depth == 1) {
      images.inverse(x, dst, offset, batch, edge, interior);
      return;
    }
    int plane = batch * depth * height * half;
    A mid = kernel.take(2 * plane);
    try {
      fft(true, src, re, im, mid, 0, plane, batch, depth, height * half, 1);
      Planes<A> inner = new Planes<>(mid, 0, plane, half);
      images.inverse(inner, dst, offset, batch * depth, edge, interior);
    } finally {
      kernel.give(mid);
    }
  }

  /** Rows from … from + count - 1. */
  private interface RowTask {
    void run(int from, int count);
  }

  private void rowTasks(int rows, int n, RowTask body) {
    int tile = RealRows.tileRows(kernel, n);
    int chunk = tile * Math.max(1, TASK_ELEMENTS / (tile * n));
    Parallel.run(
        (rows + chunk - 1) / chunk,
        task -> body.run(task * chunk, Math.min(chunk, rows - task * chunk)));
  }

  /**
   * Cosine transform of type II over the middle axis of (outer, n, inner): y[k] = 2 scale * sum
   * over j of x[j] cos(pi k (2j + 1) / 2n).
   *
   * <p>The orthonormal form is this with scale 1 / sqrt(2n) and entry 0 further divided by sqrt(2).
   */
  void dct2(A src, int srcOffset, A dst, int dstOffset, int outer, int n, int inner, double scale) {
    cosines().dct2(src, srcOffset, dst, dstOffset, outer, n, inner, scale, scale);
  }

  /**
   * Cosine transform of type III over the middle axis: y[j] = scale * (x[0] + 2 sum over k &gt; 0
   * of x[k] cos(pi k (2j + 1) / 2n)). Type III of type II is 2n times the identity.
   *
   * <p>The orthonormal form is this with scale 1 / sqrt(2n) and entry 0 of the input first
   * multiplied by sqrt(2).
   */
  void dct3(A src, int srcOffset, A dst, int dstOffset, int outer, int n, int inner, double scale) {
    cosines().dct3(src, srcOffset, dst, dstOffset, outer, n, inner, scale, scale);
  }

  /**
   * Adjoint of {@link #dct2}. As matrices type III is the transpose of type II with column 0
   * halved: C3 = C2' D, D = diag(1/2, 1, 1, …). So C2' = C3 D⁻¹: double entry 0, then type III.
   */
  void dct2Adjoint(
      A src, int srcOffset, A dst, int dstOffset, int outer, int n, int inner, double scale) {
    cosines().dct3(src, srcOffset, dst, dstOffset, outer, n, inner, 2 * scale, scale);
  }

  /** Adjoint of {@link #dct3}: C3' = D C2, type II and then entry 0 halved. */
  void dct3Adjoint(
      A src, int srcOffset, A dst, int dstOffset, int outer, int n, int inner, double scale) {
    cosines().dct2(src, srcOffset, dst, dstOffset, outer, n, inner, 0.5 * scale, scale);
  }

  /**
   * Sine transform of type I over the middle axis: y[k] = 2 scale * sum over j of x[j] sin(pi (j +
   * 1)(k + 1) / (n + 1)). Symmetric, so its own adjoint; twice gives 2(n + 1) times the identity,
   * and scale 1 / sqrt(2(n + 1)) is the orthonormal form.
   */
  void dst1(A src, int srcOffset, A dst, int dstOffset, int outer, int n, int inner, double scale) {
    cosines().dst1(src, srcOffset, dst, dstOffset, outer, n, inner, scale);
  }

  private CosineTransforms<A> cosines() {
    return new CosineTransforms<>(kernel);
  }
}
