package io.perflow.tensor.cpu.norm;

import static io.perflow.tensor.cpu.norm.GroupNorm.FOLD;

import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.cpu.reduce.Reduce;
import java.util.Arrays;

/** Sums and coefficients between the two passes of the gradient of {@link GroupNorm}. */
final class GroupNormGrad implements AutoCloseable {
  /**
   * Coefficients, each (n, channels): of x and 1 in the first pass, p, q and r of du, x and 1 in
   * the second.
   */
  final float[] pqr;

  private final GroupNormShape shape;
  private final Affine affine;
  private final float[] mean;
  private final int meanOff;
  private final float[] rstd;
  private final int rstdOff;

  /** Per sample and channel: the sums of du and of du (x - mean). */
  private final double[] sum;

  private final double[] dot;

  GroupNormGrad(
      GroupNormShape shape, Affine affine, float[] mean, int meanOff, float[] rstd, int rstdOff) {
    this.shape = shape;
    this.affine = affine;
    this.mean = mean;
    this.meanOff = meanOff;
    this.rstd = rstd;
    this.rstdOff = rstdOff;
    int size = shape.n() * shape.channels();
    pqr = Buffers.floats(3 * size);
    sum = Buffers.doubles(size);
    dot = Buffers.doubles(size);
  }

  private int group(int sample, int c) {
    return sample * shape.groups() + c / shape.width();
  }

  /** Sums over pixels: blocks in float, joined in double in their order. */
  void sums(Channels[] x, Channels[] du) {
    int blocks = shape.blocks();
    int cols = shape.cols();
    float[] parts = Buffers.floats(Math.max(1, shape.slabs() * blocks * cols * 2));
    try {
      Parallel.run(
          shape.tasks(),
          task -> {
            for (int u = shape.firstOf(task); u < shape.firstOf(task + 1); u++) {
              blockSums(u / blocks, u % blocks, x, du, parts, u * cols * 2);
            }
          });
      for (int slab = 0; slab < shape.slabs(); slab++) {
        for (int c = 0; c < cols; c++) {
          double s = 0;
          double d = 0;
          for (int b = 0; b < blocks; b++) {
            int at = (slab * blocks + b) * cols * 2 + c;
            s += parts[at];
            d += parts[at + cols];
          }
          sum[slab * cols + c] = s;
          dot[slab * cols + c] = d;
        }
      }
    } finally {
      Buffers.give(parts);
    }
  }

  private void blockSums(int slab, int block, Channels[] x, Channels[] du, float[] parts, int to) {
    int first = block * shape.blockPixels();
    int pixels = shape.pixelsOf(block);
    int cols = shape.isChannelsFirst() ? FOLD : shape.channels();
    float[] means = Buffers.floats(cols);
    float[] s = Buffers.floats(cols);
    float[] d = Buffers.floats(cols);
    try {
      if (shape.isChannelsFirst()) {
        float[] a = x[0].data();
        float[] b = du[0].data();
        int i = x[0].at(shape, slab, first);
        int j = du[0].at(shape, slab, first);
        int at = meanOff + group(slab / shape.channels(), slab % shape.channels());
        Arrays.fill(means, 0, FOLD, mean[at]);
        int rows = pixels / FOLD;
        int rest = pixels - rows * FOLD;
        GroupNormLoops.products(a, i, FOLD, b, j, FOLD, rows, FOLD, means, s, d, 0);
        parts[to] = (float) Reduce.sum(s, 0, FOLD);
        parts[to + 1] = (float) Reduce.sum(d, 0, FOLD);
        int skip = rows * FOLD;
        GroupNormLoops.products(a, i + skip, FOLD, b, j + skip, FOLD, 1, rest, means, s, d, 0);
        parts[to] += (float) Reduce.sum(s, 0, rest);
        parts[to + 1] += (float) Reduce.sum(d, 0, rest);
      } else {
        for (int c = 0; c < cols; c++) {
          means[c] = mean[meanOff + group(slab, c)];
        }
        for (int p = 0; p < x.length; p++) {
          int i = x[p].at(shape, slab, first);
          int j = du[p].at(shape, slab, first);
          GroupNormLoops.products(
              x[p].data(),
              i,
              x[p].stride(),
              du[p].data(),
              j,
              du[p].stride(),
              pixels,
              x[p].count(),
              means,
              s,
              d,
              x[p].first());
        }
        System.arraycopy(s, 0, parts, to, cols);
        System.arraycopy(d, 0, parts, to + cols, cols);
      }
    } finally {
      Buffers.give(means);
      Buffers.give(s);
      Buffers.give(d);
    }
  }

  /** Gradients of weight, bias, scale and shift; those that are null are left out. */
  void parameters(float[] dweight, float[] dbias, float[] dscale, float[] dshift) {
    for (int c = 0; c < shape.channels(); c++) {
      double w = 0;
      double b = 0;
      for (int s = 0; s < shape.n(); s++) {
        int i = s * shape.channels() + c;
        double total = sum[i];
        double product = dot[i] * rstd[rstdOff + group(s, c)]; // sum of du xhat
        w += affine.gain(s, c) * product;
        b += affine.gain(s, c) * total;
        if (dscale != null) {
          dscale[i] = (float) (affine.weight(c) * product + affine.bias(c) * total);
        }
        if (dshift != null) {
          dshift[i] = (float) total;
        }
      }
      if (dweight != null) {
        dweight[c] = (float) w;
      }
      if (dbias != null) {
        dbias[c] = (float) b;
      }
    }
  }

  /** Coefficients of {@code dx = du p + x q + r}. */
  void inputCoefficients() {
    double count = (double) shape.pixels() * shape.width();
    int size = shape.n() * shape.channels();
    for (int s = 0; s < shape.n(); s++) {
      for (int g = 0; g < shape.groups(); g++) {
        double scale = rstd[rstdOff + s * shape.groups() + g];
        double center = mean[meanOff + s * shape.groups() + g];
        int first = s * shape.channels() + g * shape.width();
        double meanH = 0;
        double meanHx = 0;
        for (int c = 0; c < shape.width(); c++) {
          int channel = g * shape.width() + c;
          double gain = affine.weight(channel) * affine.gain(s, channel);
          meanH += gain * sum[first + c];
          meanHx += gain * dot[first + c] * scale;
        }
        double slope = -scale * scale * meanHx / count;
        for (int c = 0; c < shape.width(); c++) {
          int channel = g * shape.width() + c;
          double gain = affine.weight(channel) * affine.gain(s, channel);
          pqr[first + c] = (float) (scale * gain);
          pqr[size + first + c] = (float) slope;
          pqr[2 * size + first + c] = (float) (-scale * meanH / count - center * slope);
        }
      }
    }
  }

  @Override
  public void close() {
    Buffers.give(pqr);
    Buffers.give(sum);
    Buffers.give(dot);
  }
}
