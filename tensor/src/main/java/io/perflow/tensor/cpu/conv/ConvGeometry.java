package io.perflow.tensor.cpu.conv;

/**
 * How a convolution walks over an image: kernel size, stride, padding on either side (zeros, or the
 * opposite edge for an axis that is periodic), and the number of channel groups.
 *
 * <p>Along each axis the output has {@code floor((size + 2 pad - kernel) / stride) + 1} positions.
 */
record ConvGeometry(
    int kernelH,
    int kernelW,
    int strideH,
    int strideW,
    int padH,
    int padW,
    boolean circularH,
    boolean circularW,
    int groups) {

  int outH(int h) {
    return (h + 2 * padH - kernelH) / strideH + 1;
  }

  int outW(int w) {
    return (w + 2 * padW - kernelW) / strideW + 1;
  }

  int taps() {
    return kernelH * kernelW;
  }

  boolean unitStride() {
    return strideH == 1 && strideW == 1;
  }

  /** A 1x1 kernel that reads each pixel once: the convolution is one matrix product. */
  boolean pointwise() {
    return kernelH == 1 && kernelW == 1 && unitStride() && padH == 0 && padW == 0;
  }
}
