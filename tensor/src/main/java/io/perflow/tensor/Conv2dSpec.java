package io.perflow.tensor;

/**
 * The options of a 2-D convolution: strides, symmetric padding counts, what the padding holds per
 * axis, the number of channel groups, and how often every pixel of the input is repeated along both
 * axes before it is padded. Out = floor((in upsampling + 2 pad - kernel) / stride) + 1.
 */
public record Conv2dSpec(
    int strideH,
    int strideW,
    int padH,
    int padW,
    Padding paddingH,
    Padding paddingW,
    int groups,
    int upsampling) {
  // The limit is far beyond any use, and small enough that sizes computed from it stay in range.
  private static final int LARGEST_PADDING = 1 << 20;

  /** Checks the values. */
  public Conv2dSpec {
    if (strideH < 1 || strideW < 1 || groups < 1 || upsampling < 1) {
      throw new IllegalArgumentException(
          "[conv2d] stride %d x %d, groups %d and upsampling %d must be at least 1"
              .formatted(strideH, strideW, groups, upsampling));
    }
    if (padH < 0 || padW < 0 || padH > LARGEST_PADDING || padW > LARGEST_PADDING) {
      throw new IllegalArgumentException(
          "[conv2d] padding %d x %d must lie between 0 and %d"
              .formatted(padH, padW, LARGEST_PADDING));
    }
  }

  /** Returns the same stride and zero padding on both axes. */
  public static Conv2dSpec of(int stride, int pad) {
    return new Conv2dSpec(stride, stride, pad, pad, Padding.ZEROS, Padding.ZEROS, 1, 1);
  }

  /** Returns a copy with other paddings. */
  public Conv2dSpec padding(Padding h, Padding w) {
    return new Conv2dSpec(strideH, strideW, padH, padW, h, w, groups, upsampling);
  }

  /** Returns a copy with another number of channel groups. */
  public Conv2dSpec groups(int count) {
    return new Conv2dSpec(strideH, strideW, padH, padW, paddingH, paddingW, count, upsampling);
  }

  /**
   * Returns a copy that first repeats every pixel of the input {@code factor} x {@code factor}
   * times, the nearest-neighbour upsampling of a decoder. This is faster than writing the larger
   * image first.
   */
  public Conv2dSpec upsampling(int factor) {
    return new Conv2dSpec(strideH, strideW, padH, padW, paddingH, paddingW, groups, factor);
  }

  /** Returns the height of the result. */
  public int outH(int inH, int kernelH) {
    return Math.toIntExact(
        Math.floorDiv((long) inH * upsampling + 2L * padH - kernelH, strideH) + 1);
  }

  /** Returns the width of the result. */
  public int outW(int inW, int kernelW) {
    return Math.toIntExact(
        Math.floorDiv((long) inW * upsampling + 2L * padW - kernelW, strideW) + 1);
  }
}
