package io.perflow.tensor.cpu.norm;

import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.cpu.vector.Simd;
import java.util.Arrays;
import java.util.function.IntConsumer;

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
    boolean dense = shape.pixelStride() == shape.channels() && yStride == shape.channels();
    Forward pass = new Forward(shape, x, xOff, silu, y, yOff, yStride, repeat(shape, dense));
    pass.statistics(eps, mean, meanOff, rstd, rstdOff);
    float[] ab = Buffers.floats(2 * shape.n() * shape.channels());
    try {
      coefficients(shape, affine, mean, meanOff, rstd, rstdOff, ab);
      pass.ab = ab;
      Parallel.run(shape.tasks(), pass);
    } finally {
      Buffers.give(ab);
    }
  }

  /** The two passes over x: moments first, and when the coefficients are known the result. */
  private static final class Forward implements IntConsumer, Stretch {
    private final GroupNormShape shape;
    private final float[] x;
    private final int xOff;
    private final boolean silu;
    private final float[] y;
    private final int yOff;
    private final int yStride;
    private final int repeat;
    private double[] parts;
    private float[] ab;

    Forward(
        GroupNormShape shape,
        float[] x,
        int xOff,
        boolean silu,
        float[] y,
        int yOff,
        int yStride,
        int repeat) {
      this.shape = shape;
      this.x = x;
      this.xOff = xOff;
      this.silu = silu;
      this.y = y;
      this.yOff = yOff;
      this.yStride = yStride;
      this.repeat = repeat;
    }

    /** Mean and rstd of every sample and group. */
    void statistics(float eps, float[] mean, int meanOff, float[] rstd, int rstdOff) {
      int units = shape.isChannelsFirst() ? 1 : shape.groups();
      parts = Buffers.doubles(Math.max(1, shape.slabs() * shape.blocks() * units * 2));
      try {
        Parallel.run(shape.tasks(), this);
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

    @Override
    public void accept(int task) {
      if (ab == null) {
        taskMoments(shape, x, xOff, task, parts);
      } else {
        stretches(shape, task, repeat, 2, ab, this);
      }
    }

    @Override
    public void run(int slab, int first, float[] table, int step, int count) {
      int i = xOff + shape.at(slab, first, shape.pixelStride());
      int o = yOff + shape.at(slab, first, yStride);
      if (silu) {
        GroupNormLoops.affineSilu(x, i, table, step, y, o, count);
      } else {
        GroupNormLoops.affine(x, i, table, step, y, o, count);
      }
    }
  }

  /**
   * With {@code a = rstd weight (1 + scale)} the pre-activation is {@code x a + b}: a (n,
   * channels), then b.
   */
  private static void coefficients(
      GroupNormShape shape,
      Affine affine,
      float[] mean,
      int meanOff,
      float[] rstd,
      int rstdOff,
      float[] ab) {
    int size = shape.n() * shape.channels();
    for (int s = 0; s < shape.n(); s++) {
      for (int c = 0; c < shape.channels(); c++) {
        int group = s * shape.groups() + c / shape.width();
        double gain = affine.gain(s, c);
        double slope = rstd[rstdOff + group] * affine.weight(c) * gain;
        double base = affine.bias(c) * gain + affine.shift(s, c);
        ab[s * shape.channels() + c] = (float) slope;
        ab[size + s * shape.channels() + c] = (float) (base - mean[meanOff + group] * slope);
      }
    }
  }

  // ---- statistics

  private static void taskMoments(
      GroupNormShape shape, float[] x, int xOff, int task, double[] parts) {
    int cols = shape.isChannelsFirst() ? FOLD : shape.channels();
    float[] shift = Buffers.floats(cols);
    float[] sum = Buffers.floats(cols);
    float[] sq = Buffers.floats(cols);
    try {
      int blocks = shape.blocks();
      for (int u = shape.firstOf(task); u < shape.firstOf(task + 1); u++) {
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

  // ---- walking

  /** What to do with {@code count} contiguous elements from pixel {@code first} of a slab on. */
  private interface Stretch {
    void run(int slab, int first, float[] tables, int step, int count);
  }

  /**
   * Walks all blocks in stretches of contiguous elements, with tables, {@code step} apart, that
   * hold, element by element, the channel's entry of {@code kinds} coefficients (n, channels).
   */
  private static void eachStretch(
      GroupNormShape shape, boolean dense, int kinds, float[] coefficients, Stretch stretch) {
    int repeat = repeat(shape, dense);
    Parallel.run(shape.tasks(), t -> stretches(shape, t, repeat, kinds, coefficients, stretch));
  }

  /** Pixels of a stretch at most: as many as the tables repeat the channels. */
  private static int repeat(GroupNormShape shape, boolean dense) {
    int cols = shape.cols();
    return shape.isChannelsFirst() || dense
        ? Math.clamp((TABLE + cols - 1) / cols, 1, Math.max(1, shape.pixels()))
        : 1;
  }

  /** The stretches of one task, of at most {@code repeat} pixels each. */
  private static void stretches(
      GroupNormShape shape,
      int task,
      int repeat,
      int kinds,
      float[] coefficients,
      Stretch stretch) {
    int blocks = shape.blocks();
    int cols = shape.cols();
    int size = shape.n() * shape.channels();
    int step = repeat * cols + Simd.W; // a loop reads to the next whole vector
    int from = shape.firstOf(task);
    int to = shape.firstOf(task + 1);
    float[] tables = Buffers.floats(kinds * step);
    try {
      for (int u = from; u < to; u++) {
        int slab = u / blocks;
        if (u == from || u % blocks == 0) {
          for (int i = 0; i < kinds; i++) {
            spread(coefficients, i * size + slab * cols, cols, repeat, tables, i * step);
          }
        }
        int first = u % blocks * shape.blockPixels();
        int end = first + shape.pixelsOf(u % blocks);
        for (int p = first; p < end; p += repeat) {
          stretch.run(slab, p, tables, step, Math.min(repeat, end - p) * cols);
        }
      }
    } finally {
      Buffers.give(tables);
    }
  }

  private static void spread(float[] from, int off, int cols, int repeat, float[] table, int to) {
    if (cols == 1) {
      Arrays.fill(table, to, to + repeat, from[off]);
    } else {
      for (int r = 0; r < repeat; r++) {
        System.arraycopy(from, off, table, to + r * cols, cols);
      }
    }
  }

  // ---- gradient

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
        coefficients(shape, affine, mean, meanOff, rstd, rstdOff, grad.pqr);
        boolean dense =
            shape.pixelStride() == shape.channels()
                && dyStride == shape.channels()
                && dxStride == shape.channels();
        eachStretch(
            shape,
            dense,
            2,
            grad.pqr,
            (slab, first, table, step, count) -> {
              int i = xOff + shape.at(slab, first, shape.pixelStride());
              int j = dyOff + shape.at(slab, first, dyStride);
              int o = dxOff + shape.at(slab, first, dxStride);
              GroupNormLoops.siluGrad(x, i, table, step, dy, j, dx, o, count);
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
          3,
          grad.pqr,
          (slab, first, table, step, count) -> {
            int i = xOff + shape.at(slab, first, shape.pixelStride());
            int j = duOff + shape.at(slab, first, duStride);
            int o = dxOff + shape.at(slab, first, dxStride);
            GroupNormLoops.inputGrad(x, i, du, j, table, step, dx, o, count);
          });
    } finally {
      grad.close();
    }
  }
}
