package io.perflow.tensor.cpu.conv;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;

/**
 * View of a batch of images (n, c, h, w) in channels-last order: pixel (n, h, w) starts at {@code
 * offset + n * strideN + h * strideH + w * strideW} and its {@code c} channels are neighbours. A
 * slice of the channels of a larger image is such a view too, with {@code strideW > c}.
 *
 * @param layout its stride along the channels is 1, or there is only one
 */
record Image(float[] data, Layout layout) {

  /** The view of a dense (n, h, w, c) array. */
  static Image dense(float[] data, int n, int h, int w, int c) {
    return new Image(data, Layout.channelsLast(Shape.of(n, c, h, w)));
  }

  int n() {
    return layout.shape().dim(0);
  }

  int c() {
    return layout.shape().dim(1);
  }

  int h() {
    return layout.shape().dim(2);
  }

  int w() {
    return layout.shape().dim(3);
  }

  int offset() {
    return layout.offset();
  }

  int strideN() {
    return layout.stride(0);
  }

  int strideH() {
    return layout.stride(2);
  }

  int strideW() {
    return layout.stride(3);
  }

  /** Position of channel 0 of pixel (n, h, w). */
  int at(int n, int h, int w) {
    return offset() + n * strideN() + h * strideH() + w * strideW();
  }

  /** The channels {@code from} to {@code from + count - 1} of the same pixels. */
  Image channels(int from, int count) {
    return count == c() ? this : new Image(data, layout.slice(1, from, count, 1));
  }

  int pixels() {
    return n() * h() * w();
  }

  /** Whether all pixels, over rows and images, are {@code strideW} apart: the image is a matrix. */
  boolean uniform() {
    return (h() <= 1 || strideH() == w() * strideW())
        && (n() <= 1 || strideN() == h() * w() * strideW());
  }
}
