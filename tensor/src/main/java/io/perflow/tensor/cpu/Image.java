package io.perflow.tensor.cpu;

/**
 * View of a batch of images in channels-last order: pixel (n, h, w) starts at {@code offset + n *
 * strideN + h * strideH + w * strideW} and its {@code c} channels are neighbours. A slice of the
 * channels of a larger image is such a view too, with {@code strideW > c}.
 */
record Image(
    float[] data, int offset, int n, int h, int w, int c, int strideN, int strideH, int strideW) {

  /** The view of a dense (n, h, w, c) array. */
  static Image dense(float[] data, int offset, int n, int h, int w, int c) {
    return new Image(data, offset, n, h, w, c, h * w * c, w * c, c);
  }

  /** Position of channel 0 of pixel (n, h, w). */
  int at(int n, int h, int w) {
    return offset + n * strideN + h * strideH + w * strideW;
  }

  /** The channels {@code from} to {@code from + count - 1} of the same pixels. */
  Image channels(int from, int count) {
    return new Image(data, offset + from, n, h, w, count, strideN, strideH, strideW);
  }

  int pixels() {
    return n * h * w;
  }

  /** Whether all pixels, over rows and images, are {@code strideW} apart: the image is a matrix. */
  boolean uniform() {
    return (h <= 1 || strideH == w * strideW) && (n <= 1 || strideN == h * w * strideW);
  }
}
