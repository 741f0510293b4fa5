package io.perflow.tensor.cpu.pool;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Pool2dSpec;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.cpu.elementwise.Elementwise;
import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.memory.FloatStorage;
import io.perflow.tensor.cpu.memory.Fresh;
import io.perflow.tensor.cpu.memory.StridedCopy;
import java.util.Arrays;

/**
 * Pooling and up-sampling of F32 images that lie channels last. The inner loops run over the
 * channels of a pixel and carry no dependence, so that the compiler vectorizes them by itself.
 */
public final class SimdPooling extends ScalarPooling {
  @Override
  public Tensor[] maxPool2d(Tensor x, Pool2dSpec spec) {
    if (!FloatStorage.holds(x)) {
      return super.maxPool2d(x, spec);
    }
    Tensor in = pixels(x);
    Shape s = x.shape();
    Shape out = Shape.of(s.dim(0), s.dim(1), spec.outH(s.dim(2)), spec.outW(s.dim(3)));
    Tensor y = images(x, out);
    Tensor positions = images(x, out);
    float[] source = FloatStorage.data(in);
    float[] best = FloatStorage.data(y);
    float[] at = FloatStorage.data(positions);
    int c = s.dim(1);
    forEachPixel(
        out,
        (n, oh, ow, to) -> {
          Arrays.fill(best, to, to + c, Float.NEGATIVE_INFINITY);
          Arrays.fill(
              at, to, to + c, (float) (oh * spec.strideH() * s.dim(3) + ow * spec.strideW()));
          for (int i = 0; i < spec.sizeH() * spec.sizeW(); i++) {
            int h = oh * spec.strideH() + i / spec.sizeW();
            int w = ow * spec.strideW() + i % spec.sizeW();
            int pixel = h * s.dim(3) + w;
            int from = in.layout().offset() + (n * s.dim(2) * s.dim(3) + pixel) * c;
            for (int k = 0; k < c; k++) {
              float value = source[from + k];
              // A NaN beats everything but an earlier NaN.
              if (value > best[to + k] || Float.isNaN(value) && !Float.isNaN(best[to + k])) {
                best[to + k] = value;
                at[to + k] = pixel;
              }
            }
          }
        });
    return new Tensor[] {y, positions};
  }

  @Override
  public Tensor maxPool2dBackward(Tensor dy, Tensor positions, Shape inputShape) {
    if (!FloatStorage.holds(dy)) {
      return super.maxPool2dBackward(dy, positions, inputShape);
    }
    Tensor g = pixels(dy);
    Tensor p = pixels(positions);
    Tensor dx = images(dy, inputShape);
    float[] grad = FloatStorage.data(g);
    float[] at = FloatStorage.data(p);
    float[] target = FloatStorage.data(dx);
    int c = inputShape.dim(1);
    int plane = inputShape.dim(2) * inputShape.dim(3) * c;
    int pooled = dy.dim(2) * dy.dim(3) * c;
    Parallel.run( // windows overlap within an image, never between images
        inputShape.dim(0),
        n -> {
          Arrays.fill(target, n * plane, (n + 1) * plane, 0f);
          for (int i = n * pooled; i < (n + 1) * pooled; i++) {
            int pixel = (int) at[p.layout().offset() + i];
            target[n * plane + pixel * c + i % c] += grad[g.layout().offset() + i];
          }
        });
    return dx;
  }

  @Override
  public Tensor avgPool2d(Tensor x, Pool2dSpec spec) {
    if (!FloatStorage.holds(x)) {
      return super.avgPool2d(x, spec);
    }
    Tensor in = pixels(x);
    Shape s = x.shape();
    Shape out = Shape.of(s.dim(0), s.dim(1), spec.outH(s.dim(2)), spec.outW(s.dim(3)));
    Tensor y = images(x, out);
    float[] source = FloatStorage.data(in);
    float[] target = FloatStorage.data(y);
    int c = s.dim(1);
    float share = 1f / (spec.sizeH() * spec.sizeW());
    forEachPixel(
        out,
        (n, oh, ow, to) -> {
          for (int i = 0; i < spec.sizeH() * spec.sizeW(); i++) {
            int h = oh * spec.strideH() + i / spec.sizeW();
            int w = ow * spec.strideW() + i % spec.sizeW();
            int from = in.layout().offset() + ((n * s.dim(2) + h) * s.dim(3) + w) * c;
            Elementwise.axpby(share, source, from, i == 0 ? 0 : 1, target, to, c);
          }
        });
    return y;
  }

  @Override
  public Tensor avgPool2dBackward(Tensor dy, Pool2dSpec spec, Shape inputShape) {
    if (!FloatStorage.holds(dy)) {
      return super.avgPool2dBackward(dy, spec, inputShape);
    }
    Tensor g = pixels(dy);
    Tensor dx = images(dy, inputShape);
    float[] grad = FloatStorage.data(g);
    float[] target = FloatStorage.data(dx);
    int c = inputShape.dim(1);
    int h = inputShape.dim(2);
    int w = inputShape.dim(3);
    float share = 1f / (spec.sizeH() * spec.sizeW());
    Parallel.run(
        inputShape.dim(0),
        n -> {
          Arrays.fill(target, n * h * w * c, (n + 1) * h * w * c, 0f);
          for (int oh = 0; oh < dy.dim(2); oh++) {
            for (int ow = 0; ow < dy.dim(3); ow++) {
              int from = g.layout().offset() + ((n * dy.dim(2) + oh) * dy.dim(3) + ow) * c;
              for (int i = 0; i < spec.sizeH() * spec.sizeW(); i++) {
                int row = oh * spec.strideH() + i / spec.sizeW();
                int col = ow * spec.strideW() + i % spec.sizeW();
                Elementwise.axpby(share, grad, from, 1, target, ((n * h + row) * w + col) * c, c);
              }
            }
          }
        });
    return dx;
  }

  @FunctionalInterface
  private interface Pixel {
    void run(int n, int h, int w, int offset);
  }

  private static void forEachPixel(Shape shape, Pixel pixel) {
    int c = shape.dim(1);
    int h = shape.dim(2);
    int w = shape.dim(3);
    Parallel.run(
        shape.dim(0) * h,
        line -> {
          for (int i = 0; i < w; i++) {
            pixel.run(line / h, line % h, i, (line * w + i) * c);
          }
        });
  }

  @Override
  public Tensor upsampleNearest(Tensor x, int factor) {
    if (!FloatStorage.holds(x)) {
      return super.upsampleNearest(x, factor);
    }
    Tensor in = pixels(x);
    Shape s = x.shape();
    int h = s.dim(2);
    int w = s.dim(3);
    int c = s.dim(1);
    Tensor y = images(x, Shape.of(s.dim(0), c, h * factor, w * factor));
    float[] source = FloatStorage.data(in);
    float[] target = FloatStorage.data(y);
    int row = w * factor * c;
    Parallel.run(
        s.dim(0) * h,
        line -> {
          int from = in.layout().offset() + line * w * c;
          int to = line * factor * row;
          for (int i = 0; i < w * factor; i++) {
            System.arraycopy(source, from + i / factor * c, target, to + i * c, c);
          }
          for (int r = 1; r < factor; r++) {
            System.arraycopy(target, to, target, to + r * row, row);
          }
        });
    return y;
  }

  @Override
  public Tensor upsampleNearestBackward(Tensor dy, int factor) {
    if (!FloatStorage.holds(dy)) {
      return super.upsampleNearestBackward(dy, factor);
    }
    Tensor in = pixels(dy);
    Shape s = dy.shape();
    int h = s.dim(2) / factor;
    int w = s.dim(3) / factor;
    int c = s.dim(1);
    Tensor dx = images(dy, Shape.of(s.dim(0), c, h, w));
    float[] source = FloatStorage.data(in);
    float[] target = FloatStorage.data(dx);
    int row = w * factor * c;
    Parallel.run(
        s.dim(0) * h,
        line -> {
          int to = line * w * c;
          for (int r = 0; r < factor; r++) {
            int from = in.layout().offset() + (line * factor + r) * row;
            for (int i = 0; i < w * factor; i++) {
              boolean first = r == 0 && i % factor == 0;
              Elementwise.axpby(
                  1, source, from + i * c, first ? 0 : 1, target, to + i / factor * c, c);
            }
          }
        });
    return dx;
  }

  /** Returns an image that lies channels last without gaps. */
  private static Tensor pixels(Tensor x) {
    return x.layout().isChannelsLast() ? x : StridedCopy.of(x, Layout.channelsLast(x.shape()));
  }

  private static Tensor images(Tensor like, Shape shape) {
    return Fresh.like(like, Layout.channelsLast(shape));
  }
}
