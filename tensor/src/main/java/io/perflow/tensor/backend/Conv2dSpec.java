package io.perflow.tensor.backend;

/**
 * How a 2-D convolution steps and pads: strides, symmetric padding counts, what the padding holds
 * per axis, and the number of channel groups. Out = floor((in + 2 pad - kernel) / stride) + 1.
 */
public record Conv2dSpec(
    int strideH, int strideW, int padH, int padW, Padding paddingH, Padding paddingW, int groups) {

  /** Refuses what no convolution can have. */
  public Conv2dSpec {
    if (strideH < 1 || strideW < 1 || padH < 0 || padW < 0 || groups < 1) {
      throw new IllegalArgumentException(
          "[conv2d] stride %d x %d and groups %d must be at least 1, padding %d x %d at least 0"
              .formatted(strideH, strideW, groups, padH, padW));
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
    return Math.floorDiv(inH + 2 * padH - kernelH, strideH) + 1;
  }

  /** Width of the result. */
  public int outW(int inW, int kernelW) {
    return Math.floorDiv(inW + 2 * padW - kernelW, strideW) + 1;
  }
}
