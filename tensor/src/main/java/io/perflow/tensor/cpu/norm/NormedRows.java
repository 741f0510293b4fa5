package io.perflow.tensor.cpu.norm;

import static io.perflow.tensor.cpu.vector.Simd.W;

import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.cpu.memory.FloatRows;

/**
 * Images side by side along their channels after a group norm and SiLU, made row by row when a
 * convolution reads them: they are never in memory as a whole.
 */
public final class NormedRows implements AutoCloseable {
  private final GroupNormShape shape;
  private final int height;
  private final int width;
  private final Channels[] x;
  private final float[] ab; // as in GroupNorm, and a vector to read beyond

  NormedRows(
      GroupNormShape shape,
      int height,
      int width,
      Channels[] x,
      Affine affine,
      FloatRows mean,
      FloatRows rstd) {
    this.shape = shape;
    this.height = height;
    this.width = width;
    this.x = x;
    ab = Buffers.floats(2 * shape.n() * shape.channels() + W);
    GroupNorm.coefficients(
        shape, affine, mean.data(), mean.offset(), rstd.data(), rstd.offset(), ab);
  }

  /** Channels of all images. */
  public int channels() {
    return shape.channels();
  }

  public int height() {
    return height;
  }

  public int width() {
    return width;
  }

  /**
   * Makes row h of sample n.
   *
   * @param to where its first pixel goes
   * @param step from pixel to pixel
   */
  public void make(int n, int h, float[] target, int to, int step) {
    int b = shape.n() * shape.channels();
    for (Channels part : x) {
      int from = part.at(shape, n, h * width);
      int a = n * shape.channels() + part.first();
      int whole = part.count() - part.count() % W;
      for (int c = 0; c < whole; c += W) {
        GroupNormLoops.columnSilu(
            part.data(),
            from + c,
            part.stride(),
            width,
            ab,
            a + c,
            b + a + c,
            target,
            to + part.first() + c,
            step);
      }
      if (whole < part.count()) {
        int lanes = part.count() - whole;
        int at = to + part.first() + whole;
        makeRest(part, lanes, from + whole, a + whole, b + a + whole, target, at, step);
      }
    }
  }

  /** The channels after the last whole vector. */
  private void makeRest(
      Channels part, int lanes, int from, int a, int b, float[] target, int to, int step) {
    float[] rest = Buffers.floats(width * W);
    for (int p = 0; p < width; p++) {
      System.arraycopy(part.data(), from + p * part.stride(), rest, p * W, lanes);
    }
    GroupNormLoops.columnSilu(rest, 0, W, width, ab, a, b, rest, 0, W);
    for (int p = 0; p < width; p++) {
      System.arraycopy(rest, p * W, target, to + p * step, lanes);
    }
    Buffers.give(rest);
  }

  @Override
  public void close() {
    Buffers.give(ab);
  }
}
