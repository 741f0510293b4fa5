package io.perflow.tensor.cpu;

import java.util.Arrays;

/**
 * Group normalisation (Wu and He, 2018) with everything that follows it in a U-Net block.
 *
 * <p>{@code y = act(((x - mean) rstd weight + bias) (1 + scale) + shift)}, with the mean and {@code
 * rstd = 1 / sqrt(variance + eps)} over the pixels and channels of a group, act the identity or
 * SiLU. Scale and shift are those of a feature-wise modulation (Perez et al., FiLM, 2018).
 *
 * <p>Statistics: moments about its own mean for every block of pixels and every channel in float,
 * joined in double (Chan, Golub and LeVeque, 1983). Blocks are fixed by the shape, so the result
 * has the same bits for any number of threads.
 */
final class GroupNorm {
  /** Elements of the tables that repeat the channels, at least. */
  private static final int TABLE = 512;

  /** Elements of one task, about. */
  private static final int TASK = 1 << 14;

  /** Columns into which the run of one channel is folded where channels come first. */
  static final int FOLD = 64;

  private GroupNorm() {}

  /**
   * Forward pass.
   *
   * @param x input at {@code xOff}
   * @param y output at {@code yOff}; its pixel stride counts where channels come last; may be x
   * @param mean out, (n, groups)
   * @param rstd out, (n, groups)
   */
  static void forward(
      GroupNormShape shape,
      float[] x,
      int xOff,
      Affine affine,
      boolean silu,
      float eps,
      float[] y,
      int yOff,
      int yStride,
      float[] mean,
      int meanOff,
      float[] rstd,
      int rstdOff) {
    statistics(shape, x, xOff, eps, mean, meanOff, rstd, rstdOff);
    int size = shape.n() * shape.channels();
    float[] a = Buffers.floats(size);
    float[] b = Buffers.floats(size);
    try {
      coefficients(shape, affine, mean, meanOff, rstd, rstdOff, a, b);
      boolean dense = shape.pixelStride() == shape.channels() && yStride == shape.channels();
      eachStretch(
          shape,
          dense,
          new float[][] {a, b},
          (slab, first, tables, count) -> {
            int i = xOff + shape.at(slab, first, shape.pixelStride());
            int o = yOff + shape.at(slab, first, yStride);
            if (silu) {
              GroupNormLoops.affineSilu(x, i, tables[0], tables[1], y, o, count);
            } else {
              GroupNormLoops.affine(x, i, tables[0], tables[1], y, o, count);
            }
          });
    } finally {
      Buffers.give(a);
      Buffers.give(b);
    }
  }

  /** With {@code a = rstd weight (1 + scale)}: the pre-activation is {@code x a + b}. */
  private static void coefficients(
      GroupNormShape shape,
      Affine affine,
      float[] mean,
      int meanOff,
      float[] rstd,
      int rstdOff,
      float[] a,
      float[] b) {
    for (int s = 0; s < shape.n(); s++) {
      for (int c = 0; c < shape.channels(); c++) {
        int group = s * shape.groups() + c / shape.width();
        double gain = affine.gain(s, c);
        double slope = rstd[rstdOff + group] * affine.weight(c) * gain;
        double base = affine.bias(c) * gain + affine.shift(s, c);
        a[s * shape.channels() + c] = (float) slope;
        b[s * shape.channels() + c] = (float) (base - mean[meanOff + group] * slope);
      }
    }
  }

  // ---- statistics
  // --------------------------------------------------------------------------------

  /** Mean and rstd of every sample and group. */
  private static void statistics(
      GroupNormShape shape,
      float[] x,
      int xOff,
      float eps,
      float[] mean,
      int meanOff,
      float[] rstd,
      int rstdOff) {
    int blocks = shape.blocks();
    int units = shape.isChannelsFirst() ? 1 : shape.groups();
    double[] parts = Buffers.doubles(Math.max(1, shape.slabs() * blocks * units * 2));
    try {
      eachTask(shape, (from, to) -> taskMoments(shape, x, xOff, from, to, parts));
      for (int s = 0; s < shape.n(); s++) {
        for (int g = 0; g < shape.groups(); g++) {
          int i = s * shape.groups() + g;
          join(shape, s, g, parts, eps, mean, meanOff + i, rstd, rstdOff + i);
        }
      }
    } finally {
      Buffers.give(parts);
    }
  }

  private static void taskMoments(
      GroupNormShape shape, float[] x, int xOff, int from, int to, double[] parts) {
    int cols = shape.isChannelsFirst() ? FOLD : shape.channels();
    float[] shift = Buffers.floats(cols);
    float[] sum = Buffers.floats(cols);
    float[] sq = Buffers.floats(cols);
    try {
      int blocks = shape.blocks();
      for (int u = from; u < to; u++) {
        int first = u % blocks * shape.blockPixels();
        int pixels = shape.pixelsOf(u % blocks);
        int i = xOff + shape.at(u / blocks, first, shape.pixelStride());
        if (shape.isChannelsFirst()) {
          Moments all = new Moments();
          int rows = pixels / FOLD;
          if (rows > 0) {
            GroupNormLoops.moments(x, i, FOLD, rows, FOLD, shift, sum, sq);
            all.addColumns(rows, 0, FOLD, shift, sum, sq);
          }
          int rest = pixels - rows * FOLD;
          GroupNormLoops.moments(x, i + rows * FOLD, FOLD, 1, rest, shift, sum, sq);
          all.addColumns(1, 0, rest, shift, sum, sq);
          all.store(parts, 2 * u);
        } else {
          GroupNormLoops.moments(x, i, shape.pixelStride(), pixels, cols, shift, sum, sq);
          for (int g = 0; g < shape.groups(); g++) {
            Moments group = new Moments();
            group.addColumns(pixels, g * shape.width(), shape.width(), shift, sum, sq);
            group.store(parts, 2 * (u * shape.groups() + g));
          }
        }
      }
    } finally {
      Buffers.give(shift);
      Buffers.give(sum);
      Buffers.give(sq);
    }
  }

  /** Joins the blocks of one group in their order. */
  private static void join(
      GroupNormShape shape,
      int s,
      int g,
      double[] parts,
      float eps,
      float[] mean,
      int meanAt,
      float[] rstd,
      int rstdAt) {
    int blocks = shape.blocks();
    Moments all = new Moments();
    if (shape.isChannelsFirst()) {
      int first = s * shape.channels() + g * shape.width();
      for (int slab = first; slab < first + shape.width(); slab++) {
        for (int b = 0; b < blocks; b++) {
          int i = 2 * (slab * blocks + b);
          all.add(shape.pixelsOf(b), parts[i], parts[i + 1]);
        }
      }
    } else {
      for (int b = 0; b < blocks; b++) {
        int i = 2 * ((s * blocks + b) * shape.groups() + g);
        all.add((double) shape.pixelsOf(b) * shape.width(), parts[i], parts[i + 1]);
      }
    }
    mean[meanAt] = (float) all.mean;
    rstd[rstdAt] = (float) (1 / Math.sqrt(all.squares / all.count + eps));
  }

  /** Count, mean and sum of squared deviations, joined exactly but for rounding in double. */
  private static final class Moments {
    private double count;
    private double mean;
    private double squares;

    void add(double n, double m, double sq) {
      if (n > 0) {
        double total = count + n;
        double delta = m - mean;
        squares += sq + delta * delta * (count / total * n);
        mean += delta * (n / total);
        count = total;
      }
    }

    /** Columns of {@code rows} elements given by a shift and the moments about it. */
    void addColumns(int rows, int first, int cols, float[] shift, float[] sum, float[] sq) {
      double inverse = 1.0 / rows;
      double center = cols == 0 ? 0 : shift[first];
      double deviations = 0;
      double spread = 0;
      double inner = 0;
      for (int c = first; c < first + cols; c++) {
        double off = sum[c] * inverse;
        double d = shift[c] + off - center;
        deviations += d;
        spread += d * d;
        inner += sq[c] - sum[c] * off;
      }
      if (cols > 0) {
        double m = deviations / cols;
        add((double) rows * cols, center + m, inner + rows * (spread - deviations * m));
      }
    }

    void store(double[] parts, int to) {
      parts[to] = mean;
      parts[to + 1] = squares;
    }
  }

  // ---- walking
  // -----------------------------------------------------------------------------------

  /** What to do with {@code count} contiguous elements from pixel {@code first} of a slab on. */
  private interface Stretch {
    void run(int slab, int first, float[][] tables, int count);
  }

  /**
   * Walks all blocks in stretches of contiguous elements, with tables that hold, element by
   * element, the channel's entry of the coefficients (n, channels).
   */
  private static void eachStretch(
      GroupNormShape shape, boolean dense, float[][] coefficients, Stretch stretch) {
    int cols = shape.cols();
    int repeat =
        shape.isChannelsFirst() || dense
            ? Math.clamp((TABLE + cols - 1) / cols, 1, Math.max(1, shape.pixels()))
            : 1;
    eachTask(
        shape,
        (from, to) -> {
          float[][] tables = new float[coefficients.length][];
          for (int i = 0; i < tables.length; i++) {
            tables[i] = Buffers.floats(repeat * cols + Simd.W);
          }
          try {
            int blocks = shape.blocks();
            for (int u = from; u < to; u++) {
              int slab = u / blocks;
              if (u == from || u % blocks == 0) {
                for (int i = 0; i < tables.length; i++) {
                  spread(coefficients[i], slab * cols, cols, repeat, tables[i]);
                }
              }
              int first = u % blocks * shape.blockPixels();
              int end = first + shape.pixelsOf(u % blocks);
              for (int p = first; p < end; p += repeat) {
                stretch.run(slab, p, tables, Math.min(repeat, end - p) * cols);
              }
            }
          } finally {
            for (float[] table : tables) {
              Buffers.give(table);
            }
          }
        });
  }

  /** Units of work [from, to), a unit being one block of one slab. */
  interface Units {
    void run(int from, int to);
  }

  /** Cuts all blocks of all slabs into tasks of several small blocks or one large one. */
  static void eachTask(GroupNormShape shape, Units units) {
    int all = shape.slabs() * shape.blocks();
    int size = Math.max(1, Math.min(shape.pixels(), shape.blockPixels()) * shape.cols());
    int perTask = Math.max(1, TASK / size);
    Parallel.run(
        (all + perTask - 1) / perTask,
        t -> units.run(t * perTask, Math.min(all, (t + 1) * perTask)));
  }

  private static void spread(float[] from, int off, int cols, int repeat, float[] table) {
    if (cols == 1) {
      Arrays.fill(table, 0, repeat, from[off]);
    } else {
      for (int r = 0; r < repeat; r++) {
        System.arraycopy(from, off, table, r * cols, cols);
      }
    }
  }

  // ---- gradient
  // ----------------------------------------------------------------------------------

  /**
   * Gradients with respect to the input and all parameters; any of the parameter gradients may be
   * null.
   *
   * <p>With du the gradient at the pre-activation, xhat the normalised input and h = du weight (1 +
   * scale): {@code dx = rstd (h - mean(h) - xhat mean(h xhat))} over each group; all else follows
   * from the sums of du and of du xhat per sample and channel. The first pass leaves du in dx.
   *
   * @param dx gradient of x, not x itself; may be dy at the same offset and stride
   * @param dweight (channels)
   * @param dbias (channels)
   * @param dscale (n, channels)
   * @param dshift (n, channels)
   */
  static void backward(
      GroupNormShape shape,
      float[] x,
      int xOff,
      Affine affine,
      boolean silu,
      float[] mean,
      int meanOff,
      float[] rstd,
      int rstdOff,
      float[] dy,
      int dyOff,
      int dyStride,
      float[] dx,
      int dxOff,
      int dxStride,
      float[] dweight,
      int dweightOff,
      float[] dbias,
      int dbiasOff,
      float[] dscale,
      int dscaleOff,
      float[] dshift,
      int dshiftOff) {
    GroupNormGrad grad = new GroupNormGrad(shape, affine, mean, meanOff, rstd, rstdOff);
    try {
      float[] du = silu ? dx : dy;
      int duOff = silu ? dxOff : dyOff;
      int duStride = silu ? dxStride : dyStride;
      if (silu) {
        coefficients(shape, affine, mean, meanOff, rstd, rstdOff, grad.p, grad.q);
        boolean dense =
            shape.pixelStride() == shape.channels()
                && dyStride == shape.channels()
                && dxStride == shape.channels();
        eachStretch(
            shape,
            dense,
            new float[][] {grad.p, grad.q},
            (slab, first, tables, count) -> {
              int i = xOff + shape.at(slab, first, shape.pixelStride());
              int j = dyOff + shape.at(slab, first, dyStride);
              int o = dxOff + shape.at(slab, first, dxStride);
              GroupNormLoops.siluGrad(x, i, tables[0], tables[1], dy, j, dx, o, count);
            });
      }
      grad.sums(x, xOff, du, duOff, duStride);
      grad.parameters(dweight, dweightOff, dbias, dbiasOff, dscale, dscaleOff, dshift, dshiftOff);
      grad.inputCoefficients();
      boolean dense =
          shape.pixelStride() == shape.channels()
              && duStride == shape.channels()
              && dxStride == shape.channels();
      eachStretch(
          shape,
          dense,
          new float[][] {grad.p, grad.q, grad.r},
          (slab, first, tables, count) -> {
            int i = xOff + shape.at(slab, first, shape.pixelStride());
            int j = duOff + shape.at(slab, first, duStride);
            int o = dxOff + shape.at(slab, first, dxStride);
            GroupNormLoops.inputGrad(x, i, du, j, tables[0], tables[1], tables[2], dx, o, count);
          });
    } finally {
      grad.close();
    }
  }
}
