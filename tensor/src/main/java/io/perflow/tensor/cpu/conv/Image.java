package io.perflow.tensor.cpu.conv;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.cpu.elementwise.Elementwise;

/**
 * View of a batch of images (n, c, h, w) in channels-last order: pixel (n, h, w) starts at {@code
 * offset + n * strideN + h * strideH + w * strideW} and its {@code c} channels are neighbours. A
 * slice of the channels of a larger image is such a view too, with {@code strideW > c}.
 *
 * @param layout its stride along the channels is 1, or there is only one
 * @param repeat how often every pixel appears along both axes: height, width and {@link #at} are
 *     those of the larger image; strides are those of the pixels that there are
 */
record Image(float[] data, Layout layout, int repeat) {
  Image(float[] data, Layout layout) {
    this(data, layout, 1);
  }

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
    return layout.shape().dim(2) * repeat;
  }

  int w() {
    return layout.shape().dim(3) * repeat;
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

  /** The image of the pixels that there are, each once. */
  Image single() {
    return repeat == 1 ? this : new Image(data, layout);
  }

  /** Position of channel 0 of pixel (n, h, w). */
  int at(int n, int h, int w) {
    return offset() + n * strideN() + h / repeat * strideH() + w / repeat * strideW();
  }

  /** The channels {@code from} to {@code from + count - 1} of the same pixels. */
  Image channels(int from, int count) {
    return count == c() ? this : new Image(data, layout.slice(1, from, count, 1), repeat);
  }

  /** Adds the pixels of another image of the same size in a rectangle. */
  void add(Image more, int n, int top, int left, int rows, int cols) {
    boolean dense = strideW() == c() && more.strideW() == c();
    int run = dense ? cols : 1;
    for (int h = top; h < top + rows; h++) {
      for (int w = left; w < left + cols; w += run) {
        Elementwise.axpby(1, more.data, more.at(n, h, w), 1, data, at(n, h, w), run * c());
      }
    }
  }

  int pixels() {
    return n() * h() * w();
  }

  /** Whether all pixels, over rows and images, are {@code strideW} apart: the image is a matrix. */
  boolean uniform() {
    return repeat == 1
        && (h() <= 1 || strideH() == w() * strideW())
        && (n() <= 1 || strideN() == h() * w() * strideW());
  }
}
