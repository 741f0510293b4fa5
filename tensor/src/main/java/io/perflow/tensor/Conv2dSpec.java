package io.perflow.tensor;

/**
 * How a 2-D convolution steps and pads: strides, symmetric padding counts, what the padding holds
 * per axis, and the number of channel groups. Out = floor((in + 2 pad - kernel) / stride) + 1.
 */
public record Conv2dSpec(
    int strideH, int strideW, int padH, int padW, Padding paddingH, Padding paddingW, int groups) {
  // far beyond any use, and small enough that sizes computed from it stay in range
  private static final int LARGEST_PADDING = 1 << 20;

  /** Refuses what no convolution can have. */
  public Conv2dSpec {
    if (strideH < 1 || strideW < 1 || groups < 1) {
      throw new IllegalArgumentException(
          "[conv2d] stride %d x %d and groups %d must be at least 1"
              .formatted(strideH, strideW, groups));
    }
    if (padH < 0 || padW < 0 || padH > LARGEST_PADDING || padW > LARGEST_PADDING) {
      throw new IllegalArgumentException(
          "[conv2d] padding %d x %d must lie between 0 and %d"
              .formatted(padH, padW, LARGEST_PADDING));
    }
  }

  /** The same stride and zero padding on both axes. */
  public static Conv2dSpec of(int stride, int pad) {
    return new Conv2dSpec(stride, stride, pad, pad, Padding.ZEROS, Padding.ZEROS, 1);
  }

  /** This with other paddings. */
  public Conv2dSpec padding(Padding h, Padding w) {
    return new Conv2dSpec(strideH, strideW, padH, padW, h, w, groups);
  }

  /** This with other groups. */
  public Conv2dSpec groups(int count) {
    return new Conv2dSpec(strideH, strideW, padH, padW, paddingH, paddingW, count);
  }

  /** Height of the result. */
  public int outH(int inH, int kernelH) {
    return Math.toIntExact(Math.floorDiv(inH + 2L * padH - kernelH, strideH) + 1);
  }

  /** Width of the result. */
  public int outW(int inW, int kernelW) {
    return Math.toIntExact(Math.floorDiv(inW + 2L * padW - kernelW, strideW) + 1);
  }
}
