package io.perflow.tensor.cpu.conv;

import static io.perflow.tensor.cpu.vector.Simd.F;
import static io.perflow.tensor.cpu.vector.Simd.V;
import static io.perflow.tensor.cpu.vector.Simd.W;

import io.perflow.tensor.cpu.gemm.MicroKernel;
import jdk.incubator.vector.FloatVector;

/**
 * Convolution to few channels, as the last of a network: sums run along the channels of the input
 * and not, as in a product of matrices, along those of the output, of which most of a block would
 * be empty. With one output channel this takes a tenth of the time.
 */
final class NarrowKernel {
  private NarrowKernel() {}

  /** Whether so few outputs are computed here, from runs of so many values in a kernel row. */
  static boolean suits(int outs, int kernelH, int run) {
    return outs * 4 <= MicroKernel.NR && kernelH > 1 && run >= 2 * W;
  }

  /**
   * Adds one kernel row of one output to the sums of a row of pixels.
   *
   * @param a window i begins at {@code ao + i * step} and has {@code run} values
   * @param w weights from {@code wo} on
   * @param sums W partial sums for each of {@code count} pixels
   */
  static void add(
      int count, float[] a, int ao, int step, int run, float[] w, int wo, float[] sums) {
    int whole = run - run % W;
    int i = 0;
    for (; i + 4 <= count; i += 4) {
      four(a, ao + i * step, step, whole, w, wo, sums, i * W);
    }
    for (; i < count; i++) {
      one(a, ao + i * step, whole, w, wo, sums, i * W);
    }
    for (i = 0; whole < run && i < count; i++) { // tail
      for (int k = whole; k < run; k++) {
        sums[i * W] = Math.fma(a[ao + i * step + k], w[wo + k], sums[i * W]);
      }
    }
  }

  private static void four(
      float[] a, int ao, int step, int run, float[] w, int wo, float[] sums, int to) {
    FloatVector s0 = FloatVector.fromArray(F, sums, to);
    FloatVector s1 = FloatVector.fromArray(F, sums, to + W);
    FloatVector s2 = FloatVector.fromArray(F, sums, to + 2 * W);
    FloatVector s3 = FloatVector.fromArray(F, sums, to + 3 * W);
    int a1 = ao + step;
    int a2 = a1 + step;
    int a3 = a2 + step;
    for (int k = 0; k < run; k += W) {
      FloatVector v = V.cast(FloatVector.fromArray(F, w, wo + k));
      s0 = v.fma(FloatVector.fromArray(F, a, ao + k), s0);
      s1 = v.fma(FloatVector.fromArray(F, a, a1 + k), s1);
      s2 = v.fma(FloatVector.fromArray(F, a, a2 + k), s2);
      s3 = v.fma(FloatVector.fromArray(F, a, a3 + k), s3);
    }
    V.cast(s0).intoArray(sums, to);
    V.cast(s1).intoArray(sums, to + W);
    V.cast(s2).intoArray(sums, to + 2 * W);
    V.cast(s3).intoArray(sums, to + 3 * W);
  }

  private static void one(float[] a, int ao, int run, float[] w, int wo, float[] sums, int to) {
    FloatVector s = FloatVector.fromArray(F, sums, to);
    for (int k = 0; k < run; k += W) {
      s = V.cast(FloatVector.fromArray(F, w, wo + k)).fma(FloatVector.fromArray(F, a, ao + k), s);
    }
    V.cast(s).intoArray(sums, to);
  }

  /** y[i * step] = start + the sum of the W partial sums of pixel i, first to last. */
  static void finish(int count, float[] sums, float start, float[] y, int to, int step) {
    for (int i = 0; i < count; i++) {
      float sum = 0;
      for (int lane = 0; lane < W; lane++) {
        sum += sums[i * W + lane];
      }
      y[to + i * step] = start + sum;
    }
  }
}
