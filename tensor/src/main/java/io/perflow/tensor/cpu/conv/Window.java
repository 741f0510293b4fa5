package io.perflow.tensor.cpu.conv;

import io.perflow.tensor.cpu.memory.StridedCopy;
import java.util.Arrays;

/**
 * Copies a rectangle of an image, reaching over its edges where the convolution pads: there it
 * reads zeros, or the opposite side along a periodic axis.
 */
final class Window {
  private Window() {}

  /**
   * Copies {@code rows} x {@code cols} pixels from (n, top, left) on, which may lie outside the
   * image.
   *
   * @param target pixel (r, c) starts at {@code to + (r * cols + c) * pixel}; when {@code pixel}
   *     exceeds the channels of the image, the rest of each pixel is left as it was
   */
  static void copy(
      Image x,
      int n,
      int top,
      int left,
      int rows,
      int cols,
      boolean circularH,
      boolean circularW,
      float[] target,
      int to,
      int pixel) {
    for (int r = 0; r < rows; r++) {
      int y = circularH ? Math.floorMod(top + r, x.h()) : top + r;
      int row = to + r * cols * pixel;
      if (y < 0 || y >= x.h()) {
        Arrays.fill(target, row, row + cols * pixel, 0);
      } else {
        copyRow(x, x.at(n, y, 0), left, cols, circularW, target, row, pixel);
      }
    }
  }

  private static void copyRow(
      Image x,
      int source,
      int left,
      int cols,
      boolean circular,
      float[] target,
      int to,
      int pixel) {
    int w = x.w();
    for (int c = 0, run; c < cols; c += run) {
      int at = circular ? Math.floorMod(left + c, w) : left + c;
      int place = to + c * pixel;
      if (at < 0 || at >= w) {
        run = Math.min(cols - c, at < 0 ? -at : cols);
        Arrays.fill(target, place, place + run * pixel, 0);
      } else {
        run = x.repeat() == 1 ? Math.min(cols - c, w - at) : 1;
        int from = source + at / x.repeat() * x.strideW();
        StridedCopy.rows(x.data(), from, x.strideW(), x.c(), run, target, place, pixel);
      }
    }
  }
}
