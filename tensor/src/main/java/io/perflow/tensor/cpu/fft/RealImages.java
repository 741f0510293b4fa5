package io.perflow.tensor.cpu.fft;

import io.perflow.tensor.cpu.loop.Parallel;

/**
 * Real transforms over the last two axes: real images (rows, cols) to half spectra (rows, cols / 2
 * + 1) and back.
 *
 * <p>Forward takes the rows first, whose half spectra are real data's and half the size, then the
 * columns; inverse goes the other way, as NumPy does, which matters for spectra that no real image
 * has. For an even number of columns the spectra between the two steps are packed: X[0] and X[n/2]
 * of a row share one complex slot, so that columns / 2 columns are transformed and not one more,
 * which would cost a whole vector. {@link FftKernel#splitEdges} and {@link FftKernel#joinEdges}
 * make that exact.
 *
 * <p>Many images: one task per image, which stays in cache. Few images: tasks are tiles of rows,
 * then blocks of columns. The arithmetic is the same.
 */
final class RealImages<A> {
  private static final int MANY_IMAGES = 8;
  private static final int SMALL_IMAGE = 64 * 64;

  // Rows of the intermediate spectrum are kept off multiples of large powers of two, where the
  // lines of a column would compete for a few sets of the cache.
  private static final int PAD_BYTES = 32;

  private final FftKernel<A> kernel;
  private final RealFftPlan plan;
  private final ComplexColumns<A> columns;
  private final int height;
  private final int width;
  private final int bins; // columns between the two steps
  private final int half; // columns of a half spectrum
  private final boolean packed;
  private final int stride;

  RealImages(FftKernel<A> kernel, int height, int width) {
    this.kernel = kernel;
    this.height = height;
    this.width = width;
    plan = RealFftPlan.of(width);
    columns = new ComplexColumns<>(kernel, height);
    packed = plan.even();
    half = width / 2 + 1;
    bins = packed ? width / 2 : half;
    stride = bins + PAD_BYTES / kernel.bytes();
  }

  /** Images to half spectra; see {@link RealRows} for the two factors. */
  void forward(A src, int offset, Planes<A> spectra, int images, double edge, double interior) {
    inTwoSteps(
        images,
        (image, mid, from, to) -> {
          int start = offset + (image * height + from) * width;
          try (RealRows<A> rows = RealRows.ofTiles(kernel, plan)) {
            Planes<A> out = mid.from(from * stride);
            rows.forwardRows(src, start, to - from, out, true, edge, interior);
          }
        },
        (image, mid, from, to) ->
            columnsForward(mid, spectra.from(image * height * half), from, to),
        true);
  }

  /** Half spectra to images, unnormalised. */
  void inverse(Planes<A> spectra, A dst, int offset, int images, double edge, double interior) {
    inTwoSteps(
        images,
        (image, mid, from, to) -> {
          int start = offset + (image * height + from) * width;
          try (RealRows<A> rows = RealRows.ofTiles(kernel, plan)) {
            Planes<A> in = mid.from(from * stride);
            rows.inverseRows(in, true, dst, start, to - from, edge, interior);
          }
        },
        (image, mid, from, to) ->
            columnsInverse(spectra.from(image * height * half), mid, from, to),
        false);
  }

  /** Columns from … to - 1, in packed numbering, from mid to the spectrum of the image. */
  private void columnsForward(Planes<A> mid, Planes<A> out, int from, int to) {
    A work = columns.workspace(to - from);
    try {
      columns.columns(false, mid.from(from), out.from(from), to - from, work);
    } finally {
      kernel.give(work);
    }
    if (packed && from == 0) {
      kernel.splitEdges(height, bins, out);
    }
  }

  private void columnsInverse(Planes<A> in, Planes<A> mid, int from, int to) {
    int cols = to - from;
    A work = columns.workspace(cols);
    try {
      Planes<A> block = in.from(from);
      if (packed && from == 0) { // by way of mid, where columns 0 and n/2 are joined
        kernel.copyBoth(height, cols, in, mid);
        kernel.joinEdges(height, bins, in, mid);
        block = mid;
      }
      columns.columns(true, block, mid.from(from), cols, work);
    } finally {
      kernel.give(work);
    }
  }

  /** Part of the work on one image: its rows or columns from … to - 1. */
  private interface Step<A> {
    void run(int image, Planes<A> mid, int from, int to);
  }

  private void inTwoSteps(int images, Step<A> rows, Step<A> cols, boolean rowsFirst) {
    if (images >= MANY_IMAGES || height * width <= SMALL_IMAGE) {
      Parallel.run(images, image -> wholeImage(image, rows, cols, rowsFirst));
      return;
    }
    A mid = kernel.take(2 * height * stride * images);
    try {
      if (rowsFirst) {
        rowTiles(images, mid, rows);
      }
      columnBlocks(images, mid, cols);
      if (!rowsFirst) {
        rowTiles(images, mid, rows);
      }
    } finally {
      kernel.give(mid);
    }
  }

  private void wholeImage(int image, Step<A> rows, Step<A> cols, boolean rowsFirst) {
    A work = kernel.take(2 * height * stride);
    try {
      Planes<A> mid = midOf(work, 0);
      if (rowsFirst) {
        rows.run(image, mid, 0, height);
      }
      for (int b = 0; b < columns.blocks(bins); b++) {
        cols.run(image, mid, columns.start(bins, b), columns.start(bins, b + 1));
      }
      if (!rowsFirst) {
        rows.run(image, mid, 0, height);
      }
    } finally {
      kernel.give(work);
    }
  }

  private void rowTiles(int images, A mid, Step<A> rows) {
    int tile = RealRows.tileRows(kernel, width);
    int tiles = (height + tile - 1) / tile;
    Parallel.run(
        images * tiles,
        task -> {
          int image = task / tiles;
          int from = task % tiles * tile;
          rows.run(image, midOf(mid, image), from, Math.min(from + tile, height));
        });
  }

  private void columnBlocks(int images, A mid, Step<A> cols) {
    int blocks = columns.blocks(bins);
    Parallel.run(
        images * blocks,
        task -> {
          int image = task / blocks;
          int b = task % blocks;
          int from = columns.start(bins, b);
          cols.run(image, midOf(mid, image), from, columns.start(bins, b + 1));
        });
  }

  private Planes<A> midOf(A mid, int image) {
    int plane = height * stride;
    return new Planes<>(mid, 2 * image * plane, (2 * image + 1) * plane, stride);
  }
}
