package io.perflow.tensor;

import io.perflow.tensor.op.AvgPool2d;
import io.perflow.tensor.op.Conv2d;
import io.perflow.tensor.op.Conv2dBackwardInput;
import io.perflow.tensor.op.MaxPool2d;
import io.perflow.tensor.op.UpsampleNearest;

/** Operations on images (n, c, h, w). */
public final class Images {
  private Images() {}

  /**
   * Convolves images with weights (out, in / groups, kh, kw) and adds a bias (out), which may be
   * null.
   */
  public static Tensor conv2d(Tensor x, Tensor weight, Tensor bias, Conv2dSpec spec) {
    Conv2d op = new Conv2d(spec);
    return bias == null ? op.apply(x, weight) : op.apply(x, weight, bias);
  }

  /**
   * Applies the transposed convolution with weights (in, out / groups, kh, kw) and a bias, which
   * may be null.
   */
  public static Tensor convTranspose2d(Tensor x, Tensor weight, Tensor bias, Conv2dSpec spec) {
    return Conv2dBackwardInput.transposed(x, weight, bias, spec);
  }

  /** Returns the largest of each window. */
  public static Tensor maxPool2d(Tensor x, Pool2dSpec spec) {
    return new MaxPool2d(spec).apply(x);
  }

  /** Returns the mean of each window. */
  public static Tensor avgPool2d(Tensor x, Pool2dSpec spec) {
    return new AvgPool2d(spec).apply(x);
  }

  /** Repeats every pixel factor x factor times. */
  public static Tensor upsampleNearest(Tensor x, int factor) {
    return new UpsampleNearest(factor).apply(x);
  }

  /** Moves channels to space: (n, c r^2, h, w) becomes (n, c, h r, w r). */
  public static Tensor pixelShuffle(Tensor x, int r) {
    Check.rank("pixel_shuffle", "input", x, 4);
    Check.that(
        r >= 1 && r < 1 << 15 && x.dim(1) % (r * r) == 0,
        "pixel_shuffle",
        "input %s has %d channels, not a multiple of %d x %d",
        x.shape(),
        x.dim(1),
        r,
        r);
    if (r == 1) {
      return x;
    }
    int n = x.dim(0);
    int c = x.dim(1) / (r * r);
    int h = x.dim(2);
    int w = x.dim(3);
    return x.reshape(n, c, r, r, h, w).permute(0, 1, 4, 2, 5, 3).reshape(n, c, h * r, w * r);
  }

  /** Moves space to channels: (n, c, h r, w r) becomes (n, c r^2, h, w). */
  public static Tensor pixelUnshuffle(Tensor x, int r) {
    Check.rank("pixel_unshuffle", "input", x, 4);
    Check.that(
        r >= 1 && r < 1 << 15 && x.dim(2) % r == 0 && x.dim(3) % r == 0,
        "pixel_unshuffle",
        "input %s has %d x %d pixels, not multiples of %d",
        x.shape(),
        x.dim(2),
        x.dim(3),
        r);
    if (r == 1) {
      return x;
    }
    int n = x.dim(0);
    int c = x.dim(1);
    int h = x.dim(2) / r;
    int w = x.dim(3) / r;
    return x.reshape(n, c, h, r, w, r)
        .permute(0, 1, 3, 5, 2, 4)
        .reshape(n, Check.extent("pixel_unshuffle", (long) c * r * r), h, w);
  }
}
