package io.perflow.tensor.cpu.conv;

import static io.perflow.tensor.cpu.conv.TransformedTiles.SIZE;
import static io.perflow.tensor.cpu.vector.Simd.W;

import io.perflow.tensor.cpu.conv.TransformedTiles.Order;
import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.cpu.memory.CacheLines;
import io.perflow.tensor.cpu.memory.StridedCopy;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Cuts images into the overlapping 6x6 tiles that yield 4x4 outputs each, and moves them into and
 * out of the Winograd domain, W channels at a time.
 *
 * <p>Tiles are numbered image by image, row by row. Tiles of one row share two of their six
 * columns, so a run of neighbours is transformed together: first all of its columns, then the rows
 * of each tile.
 */
final class WinogradTiles {
  /** Longest run; 34 columns of six vectors stay in the first-level cache. */
  private static final int RUN = 8;

  private static final int COLUMNS = 4 * RUN + 2;

  private static final int[] ALL = IntStream.range(0, SIZE).toArray();

  /** The elements of {@link WinogradTransform#inputTwice} in both directions. */
  private static final int[] TWICE =
      IntStream.of(ALL).filter(f -> f / 6 != 2 && f % 6 != 2).toArray();

  private final int tilesH;
  private final int tilesW;
  private final int images;

  /** The tiles of {@code images} outputs of size {@code h} x {@code w}. */
  WinogradTiles(int images, int h, int w) {
    this.images = images;
    this.tilesH = (h + 3) / 4;
    this.tilesW = (w + 3) / 4;
  }

  int count() {
    return images * tilesH * tilesW;
  }

  /**
   * Whether tiles of an image with these margins consist of pixels that appear twice, and the tiles
   * of the other image, or the sums of their pixels, need no element of row or column 2: 25 of 36
   * products remain.
   */
  static boolean twice(Image x, int padH, int padW) {
    return x.repeat() == 2 && padH == 1 && padW == 1;
  }

  /** The elements of a transformed tile that are not always zero. */
  static int[] elements(boolean twice) {
    return twice ? TWICE : ALL;
  }

  static int paddedChannels(int channels) {
    return (channels + W - 1) / W * W;
  }

  /**
   * Input tiles {@code first} … {@code first + count - 1} into the domain: B' d B.
   *
   * @param once the image of the pixels of x, each once
   * @param padH rows by which the first tile begins above the image; may be negative
   * @param v its tile {@code at + i} becomes tile {@code first + i}
   */
  void input(
      Image x,
      Image once,
      int padH,
      int padW,
      boolean circularH,
      boolean circularW,
      int first,
      int count,
      TransformedTiles v,
      int at) {
    float[] columns = CacheLines.floats(COLUMNS * 6 * W);
    int line = CacheLines.first(columns);
    float[] strip = Buffers.floats(6 * COLUMNS * paddedChannels(x.c()));
    try {
      for (int i = 0, run; i < count; i += run) {
        int tile = first + i;
        int column = tile % tilesW;
        int row = tile / tilesW % tilesH;
        int n = tile / (tilesW * tilesH);
        run = Math.min(Math.min(RUN, tilesW - column), count - i);
        int top = 4 * row - padH;
        int left = 4 * column - padW;
        int cols = 4 * run + 2;
        boolean inside = circularH || top >= 0 && top + 6 <= x.h();
        if (twice(x, padH, padW)) {
          inputTwice(
              once, n, row, column, run, circularH, circularW, strip, columns, line, v, at + i);
        } else if (x.c() % W == 0 && inside && x.repeat() == 1) {
          run(
              x.data(),
              x.at(n, 0, 0),
              top,
              x.h(),
              x.strideH(),
              left,
              x.w(),
              x.strideW(),
              circularW,
              x.c(),
              cols,
              columns,
              line,
              v,
              at + i);
        } else {
          int pixel = paddedChannels(x.c());
          Window.copy(x, n, top, left, 6, cols, circularH, circularW, strip, 0, pixel);
          run(
              strip,
              0,
              0,
              6,
              cols * pixel,
              0,
              cols,
              pixel,
              false,
              x.c(),
              cols,
              columns,
              line,
              v,
              at + i);
        }
      }
    } finally {
      Buffers.give(columns);
      Buffers.give(strip);
    }
  }

  /** Where rows of an image lie that are made when they are needed. */
  @FunctionalInterface
  interface Rows {
    /** The array of rows {@code top} … {@code top + 5} of image n. */
    float[] at(int n, int top);
  }

  /**
   * As the other, for rows that are made when they are needed: row r lies at {@code origin + r
   * modulo places * rowStep}, with its pixels {@code pixel} apart, a whole number of vectors.
   */
  void input(
      Rows rows,
      int origin,
      int places,
      int rowStep,
      int width,
      int pixel,
      int channels,
      int padH,
      int padW,
      boolean circularW,
      int first,
      int count,
      TransformedTiles v,
      int at) {
    float[] columns = CacheLines.floats(COLUMNS * 6 * W);
    int line = CacheLines.first(columns);
    for (int i = 0, run; i < count; i += run) {
      int tile = first + i;
      int column = tile % tilesW;
      int top = 4 * (tile / tilesW % tilesH) - padH;
      run = Math.min(Math.min(RUN, tilesW - column), count - i);
      run(
          rows.at(tile / (tilesW * tilesH), top),
          origin,
          top,
          places,
          rowStep,
          4 * column - padW,
          width,
          pixel,
          circularW,
          channels,
          4 * run + 2,
          columns,
          line,
          v,
          at + i);
    }
    Buffers.give(columns);
  }

  /**
   * All channels of a run of neighbouring tiles, six rows of {@code cols} pixels.
   *
   * <p>A method of its own, without the try block around its call: vectors inlined into that would
   * become objects on the heap.
   *
   * @param x pixel (row, column) at {@code origin + row * rowStep + column * pixelStep}
   * @param top first row, counted round the height h
   * @param left first column; beyond the width w are zeros, or on a circle the other end
   */
  private static void run(
      float[] x,
      int origin,
      int top,
      int h,
      int rowStep,
      int left,
      int w,
      int pixelStep,
      boolean circular,
      int channels,
      int cols,
      float[] columns,
      int line,
      TransformedTiles v,
      int at) {
    int r0 = origin + Math.floorMod(top, h) * rowStep;
    int r1 = origin + Math.floorMod(top + 1, h) * rowStep;
    int r2 = origin + Math.floorMod(top + 2, h) * rowStep;
    int r3 = origin + Math.floorMod(top + 3, h) * rowStep;
    int r4 = origin + Math.floorMod(top + 4, h) * rowStep;
    int r5 = origin + Math.floorMod(top + 5, h) * rowStep;
    for (int c = 0; c < channels; c += W) {
      for (int i = 0; i < cols; i++) {
        int column = left + i;
        boolean outside = column < 0 || column >= w;
        if (outside && !circular) {
          int from = line + i * 6 * W;
          Arrays.fill(columns, from, from + 6 * W, 0);
        } else {
          int p = c + (outside ? Math.floorMod(column, w) : column) * pixelStep;
          WinogradTransform.input(
              x, r0 + p, r1 + p, r2 + p, r3 + p, r4 + p, r5 + p, columns, line + i * 6 * W, W);
        }
      }
      Order order = v.order();
      inputRows(columns, line, cols / 4, v.data(), v.at(at, c), order.tile(), order.element());
    }
  }

  // As the general case, with half the pixels: tile t reads columns 2 t - 1 to 2 t + 2.
  private static void inputTwice(
      Image once,
      int n,
      int row,
      int column,
      int run,
      boolean circularH,
      boolean circularW,
      float[] strip,
      float[] columns,
      int line,
      TransformedTiles v,
      int at) {
    int top = 2 * row - 1;
    int left = 2 * column - 1;
    int cols = 2 * run + 2;
    boolean inside = top >= 0 && left >= 0 && top + 4 <= once.h() && left + cols <= once.w();
    if (once.c() % W == 0 && inside) {
      int origin = once.at(n, top, left);
      runTwice(
          once.data(), origin, once.strideH(), once.strideW(), once.c(), run, columns, line, v, at);
    } else {
      int pixel = paddedChannels(once.c());
      Window.copy(once, n, top, left, 4, cols, circularH, circularW, strip, 0, pixel);
      runTwice(strip, 0, cols * pixel, pixel, once.c(), run, columns, line, v, at);
    }
  }

  private static void runTwice(
      float[] x,
      int origin,
      int rowStep,
      int pixelStep,
      int channels,
      int run,
      float[] columns,
      int line,
      TransformedTiles v,
      int at) {
    for (int c = 0; c < channels; c += W) {
      for (int i = 0; i < 2 * run + 2; i++) {
        int p = origin + c + i * pixelStep;
        WinogradTransform.inputTwice(
            x, p, p + rowStep, p + 2 * rowStep, p + 3 * rowStep, columns, line + i * 6 * W, W);
      }
      int to = v.at(at, c);
      int tileStep = v.order().tile();
      int elementStep = v.order().element();
      for (int t = 0; t < run; t++) {
        for (int i = 0; i < 6; i += i == 1 ? 2 : 1) {
          int p = line + (t * 12 + i) * W;
          WinogradTransform.inputTwice(
              columns,
              p,
              p + 6 * W,
              p + 12 * W,
              p + 18 * W,
              v.data(),
              to + t * tileStep + 6 * i * elementStep,
              elementStep);
        }
      }
    }
  }

  private static void inputRows(
      float[] columns, int line, int run, float[] v, int to, int tileStep, int elementStep) {
    for (int t = 0; t < run; t++) {
      for (int i = 0; i < 6; i++) {
        int p = line + (t * 24 + i) * W;
        WinogradTransform.input(
            columns,
            p,
            p + 6 * W,
            p + 12 * W,
            p + 18 * W,
            p + 24 * W,
            p + 30 * W,
            v,
            to + t * tileStep + 6 * i * elementStep,
            elementStep);
      }
    }
  }

  /**
   * Tiles of products out of the domain into 4x4 blocks of the output: A' m A.
   *
   * @param m its tile i is tile {@code first + i}
   * @param channel the channel of m that is the first of y
   * @param twice whether m holds only {@link #elements} of an image with pixels that appear twice
   * @param y if its pixels appear twice, each of them becomes the sum of what belongs to it
   */
  void output(TransformedTiles m, int channel, int first, int count, boolean twice, Image y) {
    Image to = y.single();
    int side = 4 / y.repeat();
    float[] half = CacheLines.floats(24 * W);
    int line = CacheLines.first(half);
    float[] block = Buffers.floats(16 * W);
    try {
      for (int i = 0; i < count; i++) {
        int tile = first + i;
        int left = side * (tile % tilesW);
        int top = side * (tile / tilesW % tilesH);
        int rows = Math.min(side, to.h() - top);
        int cols = Math.min(side, to.w() - left);
        int at = to.at(tile / (tilesW * tilesH), top, left);
        int c = 0;
        if (rows == side && cols == side) {
          c = y.c() - y.c() % W;
          outputTile(
              m.data(),
              m.at(i, channel),
              m.order().element(),
              c,
              twice,
              side,
              half,
              line,
              y.data(),
              at,
              y.strideH(),
              y.strideW());
        }
        for (; c < y.c(); c += W) {
          outputTile(
              m.data(),
              m.at(i, channel + c),
              m.order().element(),
              W,
              twice,
              side,
              half,
              line,
              block,
              0,
              side * W,
              W);
          int channels = Math.min(W, y.c() - c);
          for (int r = 0; r < rows; r++) {
            int row = at + c + r * y.strideH();
            StridedCopy.rows(block, r * side * W, W, channels, cols, y.data(), row, y.strideW());
          }
        }
      }
    } finally {
      Buffers.give(half);
      Buffers.give(block);
    }
  }

  /** Adds to y the pixels of another image, tile by tile. */
  void add(Image more, int first, int count, Image y) {
    for (int i = 0, run; i < count; i += run) {
      int tile = first + i;
      int left = 4 * (tile % tilesW);
      int top = 4 * (tile / tilesW % tilesH);
      run = Math.min(tilesW - tile % tilesW, count - i);
      int rows = Math.min(4, y.h() - top);
      int cols = Math.min(4 * run, y.w() - left);
      y.add(more, tile / (tilesW * tilesH), top, left, rows, cols);
    }
  }

  private static void outputTile(
      float[] m,
      int from,
      int elementStep,
      int channels,
      boolean twice,
      int side,
      float[] half,
      int line,
      float[] y,
      int to,
      int strideH,
      int strideW) {
    if (side == 2) {
      outputSums(m, from, elementStep, channels, half, line, y, to, strideH, strideW);
    } else if (twice) {
      outputTwice(m, from, elementStep, channels, half, line, y, to, strideH, strideW);
    } else {
      outputAll(m, from, elementStep, channels, half, line, y, to, strideH, strideW);
    }
  }

  private static void outputAll(
      float[] m,
      int from,
      int elementStep,
      int channels,
      float[] half,
      int line,
      float[] y,
      int to,
      int strideH,
      int strideW) {
    for (int c = 0; c < channels; c += W) {
      for (int j = 0; j < 6; j++) {
        WinogradTransform.output(
            m, from + c + j * elementStep, 6 * elementStep, half, line + j * W, 6 * W);
      }
      for (int r = 0; r < 4; r++) {
        WinogradTransform.output(half, line + r * 6 * W, W, y, to + c + r * strideH, strideW);
      }
    }
  }

  private static void outputTwice(
      float[] m,
      int from,
      int elementStep,
      int channels,
      float[] half,
      int line,
      float[] y,
      int to,
      int strideH,
      int strideW) {
    for (int c = 0; c < channels; c += W) {
      for (int j = 0; j < 6; j += j == 1 ? 2 : 1) {
        WinogradTransform.outputTwice(
            m, from + c + j * elementStep, 6 * elementStep, half, line + j * W, 6 * W);
      }
      for (int r = 0; r < 4; r++) {
        WinogradTransform.outputTwice(half, line + r * 6 * W, W, y, to + c + r * strideH, strideW);
      }
    }
  }

  private static void outputSums(
      float[] m,
      int from,
      int elementStep,
      int channels,
      float[] half,
      int line,
      float[] y,
      int to,
      int strideH,
      int strideW) {
    for (int c = 0; c < channels; c += W) {
      for (int j = 0; j < 6; j += j == 1 ? 2 : 1) {
        WinogradTransform.outputSums(
            m, from + c + j * elementStep, 6 * elementStep, half, line + j * W, 6 * W);
      }
      for (int r = 0; r < 2; r++) {
        WinogradTransform.outputSums(half, line + r * 6 * W, W, y, to + c + r * strideH, strideW);
      }
    }
  }

  /**
   * 4x4 blocks of the output's gradient into the domain: A dy A'. Beyond the edges of dy its blocks
   * hold zeros.
   */
  void outputGradient(Image dy, int first, int count, TransformedTiles v, int at) {
    float[] half = CacheLines.floats(24 * W);
    int line = CacheLines.first(half);
    int pixel = paddedChannels(dy.c());
    float[] block = Buffers.floats(16 * pixel);
    try {
      for (int i = 0; i < count; i++) {
        int tile = first + i;
        int left = 4 * (tile % tilesW);
        int top = 4 * (tile / tilesW % tilesH);
        int n = tile / (tilesW * tilesH);
        float[] source = dy.data();
        int from = dy.at(n, top, left);
        int rowStep = dy.strideH();
        int pixelStep = dy.strideW();
        if (dy.c() % W != 0 || top + 4 > dy.h() || left + 4 > dy.w()) {
          Window.copy(dy, n, top, left, 4, 4, false, false, block, 0, pixel);
          source = block;
          from = 0;
          rowStep = 4 * pixel;
          pixelStep = pixel;
        }
        for (int c = 0; c < dy.c(); c += W) {
          outputGradientTile(
              source,
              from + c,
              rowStep,
              pixelStep,
              half,
              line,
              v.data(),
              v.at(at + i, c),
              v.order().element());
        }
      }
    } finally {
      Buffers.give(half);
      Buffers.give(block);
    }
  }

  private static void outputGradientTile(
      float[] dy,
      int from,
      int rowStep,
      int pixelStep,
      float[] half,
      int line,
      float[] v,
      int to,
      int elementStep) {
    for (int j = 0; j < 4; j++) {
      int p = from + j * pixelStep;
      WinogradTransform.outputTransposed(
          dy, p, p + rowStep, p + 2 * rowStep, p + 3 * rowStep, half, line + j * W, 4 * W);
    }
    for (int i = 0; i < 6; i++) {
      int p = line + i * 4 * W;
      WinogradTransform.outputTransposed(
          half, p, p + W, p + 2 * W, p + 3 * W, v, to + 6 * i * elementStep, elementStep);
    }
  }
}
