package io.perflow.tensor.cpu.pool;

import io.perflow.tensor.Pool2dSpec;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.PoolKernels;
import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.loop.Ranges;
import io.perflow.tensor.cpu.memory.Doubles;
import io.perflow.tensor.cpu.memory.Fresh;
import io.perflow.tensor.cpu.reduce.ScalarReductions;
import java.util.Arrays;

/** Pooling and up-sampling of images (n, c, h, w), one plane (h, w) at a time. */
public class ScalarPooling implements PoolKernels {
  private static int planes(Shape images) {
    return images.dim(0) * images.dim(1);
  }

  /**
   * Returns the largest of each window and its position h * w index; the first of equals, NaN above
   * all.
   */
  @Override
  public Tensor[] maxPool2d(Tensor x, Pool2dSpec spec) {
    int h = x.dim(2);
    int w = x.dim(3);
    int oh = spec.outH(h);
    int ow = spec.outW(w);
    Tensor y = Fresh.like(x, Shape.of(x.dim(0), x.dim(1), oh, ow));
    Tensor positions = Fresh.like(x, y.shape());
    try (Doubles xs = Doubles.of(x);
        Doubles ys = Doubles.into(y);
        Doubles ps = Doubles.into(positions)) {
      Parallel.run(
          planes(x.shape()),
          plane -> {
            for (int i = 0; i < oh * ow; i++) {
              int top = i / ow * spec.strideH();
              int left = i % ow * spec.strideW();
              int best = top * w + left;
              for (int r = top; r < top + spec.sizeH(); r++) {
                for (int c = left; c < left + spec.sizeW(); c++) {
                  double candidate = xs.data[plane * h * w + r * w + c];
                  if (ScalarReductions.beats(candidate, xs.data[plane * h * w + best])) {
                    best = r * w + c;
                  }
                }
              }
              ys.data[plane * oh * ow + i] = xs.data[plane * h * w + best];
              ps.data[plane * oh * ow + i] = best;
            }
          });
    }
    return new Tensor[] {y, positions};
  }

  /** Adds each gradient to the position that was largest in its window. */
  @Override
  public Tensor maxPool2dBackward(Tensor dy, Tensor positions, Shape inputShape) {
    Tensor dx = Fresh.like(dy, inputShape);
    int from = dy.dim(2) * dy.dim(3);
    int to = inputShape.dim(2) * inputShape.dim(3);
    try (Doubles dys = Doubles.of(dy);
        Doubles ps = Doubles.of(positions);
        Doubles dxs = Doubles.into(dx)) {
      Parallel.run(
          planes(inputShape),
          plane -> {
            Arrays.fill(dxs.data, plane * to, (plane + 1) * to, 0);
            for (int i = plane * from; i < (plane + 1) * from; i++) {
              dxs.data[plane * to + (int) ps.data[i]] += dys.data[i];
            }
          });
    }
    return dx;
  }

  /** Returns the mean of each window. */
  @Override
  public Tensor avgPool2d(Tensor x, Pool2dSpec spec) {
    int h = x.dim(2);
    int w = x.dim(3);
    int oh = spec.outH(h);
    int ow = spec.outW(w);
    Tensor y = Fresh.like(x, Shape.of(x.dim(0), x.dim(1), oh, ow));
    try (Doubles xs = Doubles.of(x);
        Doubles ys = Doubles.into(y)) {
      Parallel.run(
          planes(x.shape()),
          plane -> {
            for (int i = 0; i < oh * ow; i++) {
              int corner = plane * h * w + i / ow * spec.strideH() * w + i % ow * spec.strideW();
              double sum = blockSum(xs.data, corner, w, spec.sizeH(), spec.sizeW());
              ys.data[plane * oh * ow + i] = sum / (spec.sizeH() * spec.sizeW());
            }
          });
    }
    return y;
  }

  /** Spreads each gradient evenly over its window. */
  @Override
  public Tensor avgPool2dBackward(Tensor dy, Pool2dSpec spec, Shape inputShape) {
    Tensor dx = Fresh.like(dy, inputShape);
    int h = inputShape.dim(2);
    int w = inputShape.dim(3);
    int oh = dy.dim(2);
    int ow = dy.dim(3);
    try (Doubles dys = Doubles.of(dy);
        Doubles dxs = Doubles.into(dx)) {
      Parallel.run(
          planes(inputShape),
          plane -> {
            Arrays.fill(dxs.data, plane * h * w, (plane + 1) * h * w, 0);
            for (int i = 0; i < oh * ow; i++) {
              int corner = plane * h * w + i / ow * spec.strideH() * w + i % ow * spec.strideW();
              double share = dys.data[plane * oh * ow + i] / (spec.sizeH() * spec.sizeW());
              for (int r = 0; r < spec.sizeH(); r++) {
                for (int c = 0; c < spec.sizeW(); c++) {
                  dxs.data[corner + r * w + c] += share;
                }
              }
            }
          });
    }
    return dx;
  }

  private static double blockSum(double[] x, int corner, int w, int rows, int cols) {
    double sum = 0;
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < cols; c++) {
        sum += x[corner + r * w + c];
      }
    }
    return sum;
  }

  /** Repeats every pixel factor x factor times. */
  @Override
  public Tensor upsampleNearest(Tensor x, int factor) {
    int w = x.dim(3);
    int rows = planes(x.shape()) * x.dim(2);
    Shape wide = Shape.of(x.dim(0), x.dim(1), x.dim(2) * factor, w * factor);
    Tensor y = Fresh.like(x, wide);
    try (Doubles xs = Doubles.of(x);
        Doubles ys = Doubles.into(y)) {
      Ranges.run(
          rows * factor,
          (long) w * factor,
          (from, to) -> {
            for (int row = from; row < to; row++) {
              for (int c = 0; c < w * factor; c++) {
                ys.data[row * w * factor + c] = xs.data[row / factor * w + c / factor];
              }
            }
          });
    }
    return y;
  }

  /** Sums each factor x factor block. */
  @Override
  public Tensor upsampleNearestBackward(Tensor dy, int factor) {
    int h = dy.dim(2) / factor;
    int w = dy.dim(3) / factor;
    Tensor dx = Fresh.like(dy, Shape.of(dy.dim(0), dy.dim(1), h, w));
    try (Doubles dys = Doubles.of(dy);
        Doubles dxs = Doubles.into(dx)) {
      Ranges.run(
          planes(dy.shape()) * h,
          (long) w * factor * factor,
          (from, to) -> {
            for (int row = from; row < to; row++) {
              for (int c = 0; c < w; c++) {
                int corner = (row * factor * w + c) * factor;
                dxs.data[row * w + c] = blockSum(dys.data, corner, w * factor, factor, factor);
              }
            }
          });
    }
    return dx;
  }
}
