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
   * @param mean out, (n, groups)
   * @param rstd out, (n, groups)
   */
  static void forward(
      GroupNormShape shape,
      Channels x,
      Affine affine,
      boolean silu,
      float eps,
      Channels y,
      float[] mean,
      float[] rstd) {
    Forward pass = new Forward(shape, silu, y, x);
    pass.statistics(eps, mean, rstd);
    float[] ab = Buffers.floats(2 * shape.n() * shape.channels());
    try {
      coefficients(shape, affine, mean, 0, rstd, 0, ab);
      pass.ab = ab;
      Parallel.run(shape.tasks(), pass);
    } finally {
      Buffers.give(ab);
    }
  }

  /**
   * The first half of the forward pass.
   *
   * @param x inputs whose channels are normalised as if they were joined; one where channels come
   *     first
   */
  static void statistics(
      GroupNormShape shape, Channels[] x, float eps, float[] mean, float[] rstd) {
    new Forward(shape, false, null, x).statistics(eps, mean, rstd);
  }

  /** The two passes over x: moments first, and when the coefficients are known the result. */
  private static final class Forward implements IntConsumer, Stretch {
    private final GroupNormShape shape;
    private final Channels[] x;
    private final boolean silu;
    private final Channels y;
    private double[] parts;
    private float[] ab;

    Forward(GroupNormShape shape, boolean silu, Channels y, Channels... x) {
      this.shape = shape;
      this.x = x;
      this.silu = silu;
      this.y = y;
    }

    /** Mean and rstd of every sample and group. */
    void statistics(float eps, float[] mean, float[] rstd) {
      int units = shape.isChannelsFirst() ? 1 : shape.groups();
      parts = Buffers.doubles(Math.max(1, shape.slabs() * shape.blocks() * units * 2));
      try {
        Parallel.run(shape.tasks(), this);
        for (int s = 0; s < shape.n(); s++) {
          for (int g = 0; g < shape.groups(); g++) {
            int i = s * shape.groups() + g;
            join(shape, s, g, parts, eps, mean, i, rstd, i);
          }
        }
      } finally {
        Buffers.give(parts);
      }
    }

    @Override
    public void accept(int task) {
      if (ab == null) {
        taskMoments(shape, x, task, parts);
      } else {
        stretches(shape, task, 0, x[0], y, 2, ab, this);
      }
    }

    @Override
    public void run(int part, int slab, int first, float[] table, int step, int count) {
      int i = x[0].at(shape, slab, first);
      int o = y.at(shape, slab, first);
      if (silu) {
        GroupNormLoops.affineSilu(x[0].data(), i, table, step, y.data(), o, count);
      } else {
        GroupNormLoops.affine(x[0].data(), i, table, step, y.data(), o, count);
      }
    }
  }

  /**
   * With {@code a = rstd weight (1 + scale)} the pre-activation is {@code x a + b}: a (n,
   * channels), then b.
   */
  static void coefficients(
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

  private static void taskMoments(GroupNormShape shape, Channels[] x, int task, double[] parts) {
    int cols = shape.isChannelsFirst() ? FOLD : shape.channels();
    float[] shift = Buffers.floats(cols);
    float[] sum = Buffers.floats(cols);
    float[] sq = Buffers.floats(cols);
    try {
      int blocks = shape.blocks();
      for (int u = shape.firstOf(task); u < shape.firstOf(task + 1); u++) {
        int first = u % blocks * shape.blockPixels();
        int pixels = shape.pixelsOf(u % blocks);
        if (shape.isChannelsFirst()) {
          float[] run = x[0].data();
          int i = x[0].at(shape, u / blocks, first);
          Moments all = new Moments();
          int rows = pixels / FOLD;
          if (rows > 0) {
            GroupNormLoops.moments(run, i, FOLD, rows, FOLD, shift, sum, sq, 0);
            all.addColumns(rows, 0, FOLD, shift, sum, sq);
          }
          int rest = pixels - rows * FOLD;
          GroupNormLoops.moments(run, i + rows * FOLD, FOLD, 1, rest, shift, sum, sq, 0);
          all.addColumns(1, 0, rest, shift, sum, sq);
          all.store(parts, 2 * u);
        } else {
          for (Channels part : x) {
            int i = part.at(shape, u / blocks, first);
            GroupNormLoops.moments(
                part.data(), i, part.stride(), pixels, part.count(), shift, sum, sq, part.first());
          }
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
    void run(int part, int slab, int first, float[] tables, int step, int count);
  }

  /** All parts by {@link #stretches}. */
  private static void eachStretch(
      GroupNormShape shape,
      Channels[] from,
      Channels[] to,
      int kinds,
      float[] coefficients,
      Stretch stretch) {
    Parallel.run(
        shape.tasks(),
        task -> {
          for (int part = 0; part < from.length; part++) {
            stretches(shape, task, part, from[part], to[part], kinds, coefficients, stretch);
          }
        });
  }

  /**
   * The blocks of one task in stretches of contiguous elements of a part, with tables, {@code step}
   * apart, that hold, element by element, the channel's entry of {@code kinds} coefficients (n,
   * channels). Where the pixels of both arrays lie side by side, a stretch has as many of them as
   * the tables repeat the channels.
   */
  private static void stretches(
      GroupNormShape shape,
      int task,
      int part,
      Channels from,
      Channels to,
      int kinds,
      float[] coefficients,
      Stretch stretch) {
    int cols = shape.isChannelsFirst() ? 1 : from.count();
    boolean dense = shape.isChannelsFirst() || from.isDense() && to.isDense();
    int most = Math.max(1, shape.pixels());
    int repeat = dense ? Math.clamp((TABLE + cols - 1) / cols, 1, most) : 1;
    int blocks = shape.blocks();
    int size = shape.n() * shape.channels();
    int step = repeat * cols + Simd.W; // a loop reads to the next whole vector
    int start = shape.firstOf(task);
    float[] tables = Buffers.floats(kinds * step);
    try {
      for (int u = start; u < shape.firstOf(task + 1); u++) {
        int slab = u / blocks;
        if (u == start || u % blocks == 0) {
          for (int i = 0; i < kinds; i++) {
            int at = i * size + slab * shape.cols() + from.first();
            spread(coefficients, at, cols, repeat, tables, i * step);
          }
        }
        int first = u % blocks * shape.blockPixels();
        int end = first + shape.pixelsOf(u % blocks);
        for (int p = first; p < end; p += repeat) {
          stretch.run(part, slab, p, tables, step, Math.min(repeat, end - p) * cols);
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
   * @param x as of {@link #statistics}
   * @param dy gradients of what became of each of them
   * @param dx gradients of x, other arrays; may be dy
   * @param dweight (channels)
   * @param dbias (channels)
   * @param dscale (n, channels)
   * @param dshift (n, channels)
   */
  static void backward(
      GroupNormShape shape,
      Channels[] x,
      Affine affine,
      boolean silu,
      float[] mean,
      int meanOff,
      float[] rstd,
      int rstdOff,
      Channels[] dy,
      Channels[] dx,
      float[] dweight,
      float[] dbias,
      float[] dscale,
      float[] dshift) {
    GroupNormGrad grad = new GroupNormGrad(shape, affine, mean, meanOff, rstd, rstdOff);
    try {
      if (silu) {
        coefficients(shape, affine, mean, meanOff, rstd, rstdOff, grad.pqr);
        eachStretch(
            shape,
            x,
            dy,
            2,
            grad.pqr,
            (part, slab, first, table, step, count) -> {
              Channels from = x[part];
              Channels to = dx[part];
              int i = from.at(shape, slab, first);
              int j = dy[part].at(shape, slab, first);
              int o = to.at(shape, slab, first);
              GroupNormLoops.siluGrad(
                  from.data(), i, table, step, dy[part].data(), j, to.data(), o, count);
            });
      }
      Channels[] du = silu ? dx : dy;
      grad.sums(x, du);
      grad.parameters(dweight, dbias, dscale, dshift);
      grad.inputCoefficients();
      eachStretch(
          shape,
          x,
          du,
          3,
          grad.pqr,
          (part, slab, first, table, step, count) -> {
            Channels from = x[part];
            Channels to = dx[part];
            int i = from.at(shape, slab, first);
            int j = du[part].at(shape, slab, first);
            int o = to.at(shape, slab, first);
            GroupNormLoops.inputGrad(
                from.data(), i, du[part].data(), j, table, step, to.data(), o, count);
          });
    } finally {
      grad.close();
    }
  }
}
