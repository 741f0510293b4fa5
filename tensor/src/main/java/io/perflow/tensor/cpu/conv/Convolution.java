package io.perflow.tensor.cpu.conv;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.cpu.gemm.Gemm;
import io.perflow.tensor.cpu.gemm.Matrix;
import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.memory.Buffers;
import java.util.Arrays;

/**
 * 2-D convolution of channels-last images and its two gradients.
 *
 * <pre>
 *   y[n][h][w][o] = bias[o]
 *       + sum over r, s, i of x[n][h * strideH + r - padH][w * strideW + s - padW][i] weight[o][i][r][s]
 * </pre>
 *
 * <p>3x3 kernels of stride 1 go through {@link Winograd}, 1x1 kernels of stride 1 through {@link
 * Gemm}, everything else through {@link DirectConvolution}. Results have the same bits for any
 * number of threads.
 */
final class Convolution {
  private Convolution() {}

  /**
   * y = conv(x, weight) + bias + addend.
   *
   * @param filter packed by {@link PackedFilter#forward}
   * @param bias one value per output channel, or null
   * @param addend an image like y, or null
   * @param y every element is written; shares no memory with x
   */
  static void forward(
      Image x, PackedFilter filter, float[] bias, int biasOffset, Image addend, Image y) {
    ConvGeometry g = filter.geometry;
    int ins = filter.inC / g.groups();
    int outs = filter.outC / g.groups();
    for (int i = 0; i < g.groups(); i++) {
      Image from = x.channels(i * ins, ins);
      Image to = y.channels(i * outs, outs);
      Image more = addend == null ? null : addend.channels(i * outs, outs);
      int biasAt = biasOffset + i * outs;
      if (to.pixels() == 0 || outs == 0) {
        continue;
      }
      if (filter.winograd) {
        TileSource tiles = new ImageTiles(from, g.padH(), g.padW(), g.circularH(), g.circularW());
        Winograd.correlate(tiles, filter.group(i), bias, biasAt, more, to);
        continue;
      }
      if (g.pointwise() && from.uniform() && to.uniform()) {
        pointwise(from, filter.data(), filter.groupOffset(i), bias, biasAt, to);
      } else {
        DirectConvolution.correlate(
            from,
            g.kernelH(),
            g.kernelW(),
            g.strideH(),
            g.strideW(),
            g.padH(),
            g.padW(),
            g.circularH(),
            g.circularW(),
            filter.data(),
            filter.groupOffset(i),
            bias,
            biasAt,
            to);
      }
      if (more != null) {
        Parallel.run(
            to.n() * to.h(), row -> to.add(more, row / to.h(), row % to.h(), 0, 1, to.w()));
      }
    }
  }

  /** y = x weights + bias for every pixel, where x may be several images side by side. */
  static void pointwise(
      Image[] x, float[] weights, int weightsOffset, float[] bias, int biasOffset, Image y) {
    Matrix[] a = new Matrix[x.length];
    for (int i = 0; i < x.length; i++) {
      a[i] = matrix(x[i]);
    }
    Gemm.multiplyPacked(a, weights, weightsOffset, bias, biasOffset, false, matrix(y));
  }

  private static void pointwise(
      Image x, float[] weights, int weightsOffset, float[] bias, int biasOffset, Image y) {
    pointwise(new Image[] {x}, weights, weightsOffset, bias, biasOffset, y);
  }

  private static Matrix matrix(Image x) {
    return new Matrix(x.data(), x.offset(), x.pixels(), x.c(), x.strideW(), 1);
  }

  /**
   * Gradient with respect to the input: the adjoint of {@link #forward}. With the roles of dx and
   * dy taken as output and input this is the transposed convolution, which may have a bias.
   *
   * @param filter packed by {@link PackedFilter#backwardInput}
   * @param bias one value per channel of dx, or null
   * @param dx every element is written; its height and width are those of the convolution's input.
   *     Its pixels may appear several times where {@link PackedFilter#sums} says so.
   */
  static void backwardInput(Image dy, PackedFilter filter, float[] bias, int biasOffset, Image dx) {
    ConvGeometry g = filter.geometry;
    int ins = filter.inC / g.groups();
    int outs = filter.outC / g.groups();
    if (dx.pixels() == 0) {
      return;
    }
    // Along a periodic axis the adjoint is again a periodic correlation when sizes agree; otherwise
    // the gradient of the padded input is computed and its margins are folded back.
    boolean foldH = g.circularH() && !same(g.kernelH(), g.strideH(), g.padH());
    boolean foldW = g.circularW() && !same(g.kernelW(), g.strideW(), g.padW());
    for (int i = 0; i < g.groups(); i++) {
      Image from = dy.channels(i * outs, outs);
      Image to = dx.channels(i * ins, ins);
      int biasAt = biasOffset + i * ins;
      if (ins == 0) {
        continue;
      }
      if (!foldH && !foldW) {
        adjoint(from, filter, i, g.padH(), g.padW(), bias, biasAt, to);
        continue;
      }
      int padH = foldH ? g.padH() : 0;
      int padW = foldW ? g.padW() : 0;
      int h = dx.h() + 2 * padH;
      int w = dx.w() + 2 * padW;
      float[] padded = Buffers.floats(dx.n() * h * w * ins);
      try {
        Image all = Image.dense(padded, dx.n(), h, w, ins);
        adjoint(from, filter, i, g.padH() - padH, g.padW() - padW, null, 0, all);
        fold(all, padH, padW, bias, biasAt, to);
      } finally {
        Buffers.give(padded);
      }
    }
  }

  private static boolean same(int kernel, int stride, int pad) {
    return stride == 1 && 2 * pad == kernel - 1;
  }

  private static void adjoint(
      Image dy,
      PackedFilter filter,
      int group,
      int padH,
      int padW,
      float[] bias,
      int biasOffset,
      Image dx) {
    ConvGeometry g = filter.geometry;
    boolean circularH = g.circularH() && same(g.kernelH(), g.strideH(), padH);
    boolean circularW = g.circularW() && same(g.kernelW(), g.strideW(), padW);
    if (filter.winograd) {
      TileSource tiles = new ImageTiles(dy, 2 - padH, 2 - padW, circularH, circularW);
      Winograd.correlate(tiles, filter.group(group), bias, biasOffset, null, dx);
      return;
    }
    for (int a = 0; a < g.strideH(); a++) {
      for (int b = 0; b < g.strideW(); b++) {
        phase(dy, filter, group, a, b, padH, padW, circularH, circularW, bias, biasOffset, dx);
      }
    }
  }

  /** The pixels (h, w) of dx with h + padH = a modulo strideH and w + padW = b modulo strideW. */
  private static void phase(
      Image dy,
      PackedFilter filter,
      int group,
      int a,
      int b,
      int padH,
      int padW,
      boolean circularH,
      boolean circularW,
      float[] bias,
      int biasOffset,
      Image dx) {
    ConvGeometry g = filter.geometry;
    int top = Math.floorMod(a - padH, g.strideH());
    int left = Math.floorMod(b - padW, g.strideW());
    int h = (dx.h() - top + g.strideH() - 1) / g.strideH();
    int w = (dx.w() - left + g.strideW() - 1) / g.strideW();
    if (h <= 0 || w <= 0) {
      return;
    }
    int rows = PackedFilter.phaseTaps(g.kernelH(), g.strideH(), a);
    int cols = PackedFilter.phaseTaps(g.kernelW(), g.strideW(), b);
    Image to =
        new Image(
            dx.data(),
            Layout.of(
                Shape.of(dx.n(), dx.c(), h, w),
                new int[] {dx.strideN(), 1, g.strideH() * dx.strideH(), g.strideW() * dx.strideW()},
                dx.at(0, top, left)));
    if (rows == 0 || cols == 0 || dy.c() == 0 || dy.pixels() == 0) {
      fill(to, bias, biasOffset);
      return;
    }
    int weights = filter.groupOffset(group) + filter.phaseOffset(a, b);
    int firstH = (top + padH - a) / g.strideH();
    int firstW = (left + padW - b) / g.strideW();
    if (rows == 1
        && cols == 1
        && firstH == 0
        && firstW == 0
        && h == dy.h()
        && w == dy.w()
        && dy.uniform()
        && to.uniform()) {
      pointwise(dy, filter.data(), weights, bias, biasOffset, to);
    } else {
      DirectConvolution.correlate(
          dy,
          rows,
          cols,
          1,
          1,
          rows - 1 - firstH,
          cols - 1 - firstW,
          circularH,
          circularW,
          filter.data(),
          weights,
          bias,
          biasOffset,
          to);
    }
  }

  private static void fill(Image y, float[] bias, int biasOffset) {
    for (int n = 0; n < y.n(); n++) {
      for (int h = 0; h < y.h(); h++) {
        for (int w = 0; w < y.w(); w++) {
          int to = y.at(n, h, w);
          if (bias == null) {
            Arrays.fill(y.data(), to, to + y.c(), 0);
          } else {
            System.arraycopy(bias, biasOffset, y.data(), to, y.c());
          }
        }
      }
    }
  }

  /** dx[h][w] = bias + the sum of padded[h'][w'] over h' = h + padH modulo the height, w' alike. */
  private static void fold(
      Image padded, int padH, int padW, float[] bias, int biasOffset, Image dx) {
    fill(dx, bias, biasOffset);
    Parallel.run(
        dx.n() * dx.h(),
        task -> {
          int n = task / dx.h();
          int h = task % dx.h();
          for (int y = (h + padH) % dx.h(); y < padded.h(); y += dx.h()) {
            for (int x = 0; x < padded.w(); x++) {
              int to = dx.at(n, h, Math.floorMod(x - padW, dx.w()));
              int from = padded.at(n, y, x);
              for (int c = 0; c < dx.c(); c++) {
                dx.data()[to + c] += padded.data()[from + c];
              }
            }
          }
        });
  }

  /** dx = bias + the sum over the repetitions of every pixel. */
  static void sumBlocks(Image dy, float[] bias, int biasOffset, Image dx) {
    fill(dx.single(), bias, biasOffset);
    Parallel.run(
        dx.n() * dx.single().h(),
        task -> {
          int n = task / dx.single().h();
          int top = task % dx.single().h() * dx.repeat();
          for (int h = top; h < top + dx.repeat(); h++) {
            for (int w = 0; w < dx.w(); w++) {
              int to = dx.at(n, h, w);
              int from = dy.at(n, h, w);
              for (int c = 0; c < dx.c(); c++) {
                dx.data()[to + c] += dy.data()[from + c];
              }
            }
          }
        });
  }

  /**
   * Gradient with respect to the weights.
   *
   * @param dw (outC, inC / groups, kernelH, kernelW), contiguous from {@code dwOffset} on;
   *     overwritten
   * @param exact whether to sum directly, never by Winograd's algorithm
   */
  static void backwardWeight(
      ConvGeometry g, Image x, Image dy, float[] dw, int dwOffset, boolean exact) {
    int ins = x.c() / g.groups();
    int outs = dy.c() / g.groups();
    int size = outs * ins * g.taps();
    if (dy.pixels() == 0) {
      Arrays.fill(dw, dwOffset, dwOffset + size * g.groups(), 0);
      return;
    }
    for (int i = 0; i < g.groups(); i++) {
      Image from = x.channels(i * ins, ins);
      Image to = dy.channels(i * outs, outs);
      if (!exact && PackedFilter.suitsWinograd(g, outs, ins)) {
        TileSource tiles = new ImageTiles(from, g.padH(), g.padW(), g.circularH(), g.circularW());
        WinogradGradient.compute(tiles, to, dw, dwOffset + i * size);
      } else {
        DirectWeightGradient.compute(g, from, to, dw, dwOffset + i * size);
      }
    }
  }
}
