package io.perflow.tensor.cpu.conv;

import io.perflow.tensor.cpu.gemm.Gemm;
import io.perflow.tensor.cpu.gemm.Matrix;
import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.cpu.memory.FloatStorage;

/**
 * The weights of a convolution in the order its kernels read them, for one direction: forward, or
 * back to the input (which is also the transposed convolution). It does not depend on the size of
 * the image and stays valid as long as the weights do not change.
 *
 * <p>Back to the input a convolution of stride s falls apart into s x s correlations of stride 1,
 * one for each residue (a, b) of (row + padH, column + padW) modulo s, and each with every s-th tap
 * only.
 */
final class PackedFilter implements FloatStorage.Derived {
  // Below this many channels, transforms cost more than the multiplications they save.
  private static final int MIN_WINOGRAD_CHANNELS = 8;

  final ConvGeometry geometry;
  final int outC;
  final int inC;
  final boolean backward;
  final boolean winograd;
  private final int groupLength;
  private final Winograd.Weights[] groups; // of Winograd, else empty
  private float[] data; // direct: group by group, phase by phase

  private PackedFilter(
      ConvGeometry geometry,
      int outC,
      int inC,
      float[] w,
      int wOffset,
      boolean exact,
      boolean backward) {
    this.geometry = geometry;
    this.outC = outC;
    this.inC = inC;
    this.backward = backward;
    int g = geometry.groups();
    winograd = !exact && suitsWinograd(geometry, outC / g, inC / g);
    int from = backward ? outC / g : inC / g;
    int to = backward ? inC / g : outC / g;
    groups = new Winograd.Weights[winograd ? g : 0];
    groupLength = winograd ? 0 : Gemm.packedLength(geometry.taps() * from, to);
    int size = outC / g * (inC / g) * geometry.taps();
    if (winograd) {
      for (int i = 0; i < g; i++) {
        int outStep = inC / g * 9;
        groups[i] =
            Winograd.pack(
                to,
                from,
                w,
                wOffset + i * size,
                backward ? 9 : outStep,
                backward ? outStep : 9,
                backward);
      }
    } else {
      data = Buffers.floats(g * groupLength);
      for (int i = 0; i < g; i++) {
        packDirect(w, wOffset + i * size, i * groupLength);
      }
    }
  }

  /**
   * Packs weights for {@link Convolution#forward}.
   *
   * @param inC input channels over all groups
   * @param w weights (outC, inC / groups, kernelH, kernelW), contiguous from {@code wOffset} on
   * @param exact whether to sum directly, never by Winograd's algorithm
   */
  static PackedFilter forward(
      ConvGeometry geometry, int outC, int inC, float[] w, int wOffset, boolean exact) {
    return new PackedFilter(geometry, outC, inC, w, wOffset, exact, false);
  }

  /** Packs weights for {@link Convolution#backwardInput}; arguments as for {@link #forward}. */
  static PackedFilter backwardInput(
      ConvGeometry geometry, int outC, int inC, float[] w, int wOffset, boolean exact) {
    return new PackedFilter(geometry, outC, inC, w, wOffset, exact, true);
  }

  static boolean suitsWinograd(ConvGeometry g, int outC, int inC) {
    return g.unitStride() && suitsWinograd(g.kernelH(), g.kernelW(), outC, inC);
  }

  /** The same for a convolution of stride 1. */
  static boolean suitsWinograd(int kernelH, int kernelW, int outC, int inC) {
    return kernelH == 3
        && kernelW == 3
        && outC >= MIN_WINOGRAD_CHANNELS
        && inC >= MIN_WINOGRAD_CHANNELS;
  }

  /**
   * Whether {@link Convolution#backwardInput} can give the gradient of pixels that appear {@code
   * factor} times along both axes.
   */
  boolean sums(int factor) {
    return winograd && factor == 2 && geometry.padH() == 1 && geometry.padW() == 1;
  }

  @Override
  public void release() {
    if (winograd) {
      for (int i = 0; i < groups.length; i++) {
        Buffers.give(groups[i].data());
        groups[i] = null;
      }
    } else {
      Buffers.give(data);
      data = null;
    }
  }

  /** Winograd's weights of a group. */
  Winograd.Weights group(int group) {
    return groups[group];
  }

  float[] data() {
    return data;
  }

  int groupOffset(int group) {
    return group * groupLength;
  }

  /** Taps of one axis that belong to residue {@code phase}: phase, phase + stride … */
  static int phaseTaps(int kernel, int stride, int phase) {
    return phase < kernel ? (kernel - phase - 1) / stride + 1 : 0;
  }

  /** Position in {@link #data} of the weights of a residue within its group. */
  int phaseOffset(int phaseH, int phaseW) {
    int before = 0;
    for (int a = 0; a < phaseH; a++) {
      before += phaseTaps(geometry.kernelH(), geometry.strideH(), a) * geometry.kernelW();
    }
    int rows = phaseTaps(geometry.kernelH(), geometry.strideH(), phaseH);
    for (int b = 0; b < phaseW; b++) {
      before += rows * phaseTaps(geometry.kernelW(), geometry.strideW(), b);
    }
    int g = geometry.groups();
    return before * Gemm.packedLength(outC / g, inC / g);
  }

  private void packDirect(float[] w, int from, int to) {
    int g = geometry.groups();
    int outs = outC / g;
    int ins = inC / g;
    int kh = geometry.kernelH();
    int kw = geometry.kernelW();
    int taps = kh * kw;
    float[] ordered = Buffers.floats(outs * ins * taps);
    try {
      if (!backward) {
        // (kernelH * kernelW * ins, outs): its transpose is OHWI.
        Parallel.run(
            outs, o -> reorder(w, from + o * ins * taps, ins, taps, ordered, o * ins * taps));
        DirectConvolution.pack(
            new Matrix(ordered, 0, taps * ins, outs, 1, taps * ins), kh, data, to);
        return;
      }
      for (int a = 0; a < Math.min(geometry.strideH(), kh); a++) {
        for (int b = 0; b < Math.min(geometry.strideW(), kw); b++) {
          int rows = phaseTaps(kh, geometry.strideH(), a);
          int cols = phaseTaps(kw, geometry.strideW(), b);
          packPhase(w, from, a, b, rows, cols, ordered);
          DirectConvolution.pack(
              Matrix.dense(ordered, 0, rows * cols * outs, ins),
              rows,
              data,
              to + phaseOffset(a, b));
        }
      }
    } finally {
      Buffers.give(ordered);
    }
  }

  /** (ins, taps) to (taps, ins). */
  private static void reorder(float[] w, int from, int ins, int taps, float[] ordered, int to) {
    for (int t = 0; t < taps; t++) {
      for (int i = 0; i < ins; i++) {
        ordered[to + t * ins + i] = w[from + i * taps + t];
      }
    }
  }

  /** The taps of one residue, in reverse order, as (rows * cols * outs, ins). */
  private void packPhase(float[] w, int from, int a, int b, int rows, int cols, float[] ordered) {
    int outs = outC / geometry.groups();
    int ins = inC / geometry.groups();
    int taps = geometry.taps();
    Parallel.run(
        rows * cols,
        t -> {
          int r = a + geometry.strideH() * (rows - 1 - t / cols);
          int s = b + geometry.strideW() * (cols - 1 - t % cols);
          int tap = r * geometry.kernelW() + s;
          for (int o = 0; o < outs; o++) {
            int source = from + o * ins * taps + tap;
            int target = (t * outs + o) * ins;
            for (int i = 0; i < ins; i++) {
              ordered[target + i] = w[source + i * taps];
            }
          }
        });
  }
}
