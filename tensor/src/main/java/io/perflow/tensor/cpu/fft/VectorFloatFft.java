package io.perflow.tensor.cpu.fft;

import static io.perflow.tensor.cpu.vector.Simd.F;

import io.perflow.tensor.cpu.fft.FftPlan.Pass;
import io.perflow.tensor.cpu.fft.FftPlan.Table;
import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.cpu.vector.FloatTranspose;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;

/**
 * The loops of the Fourier transforms on the Vector API, for floats. Those over single columns are
 * plain.
 */
final class VectorFloatFft extends FftKernel<float[]> {
  private static final int W = F.length();

  // One row of factors 1 for the last passes of those radices that have no method without factors.
  private static final float[] ONES = ones();

  @Override
  int lanes() {
    return W;
  }

  @Override
  int bytes() {
    return Float.BYTES;
  }

  @Override
  float[] take(int length) {
    return Buffers.floats(length);
  }

  @Override
  void give(float[] array) {
    Buffers.give(array);
  }

  @Override
  void pass(
      Pass pass,
      boolean twiddled,
      int count,
      int width,
      Planes<float[]> x,
      int xStep,
      int xLeg,
      Planes<float[]> y,
      int yStep,
      int yLeg) {
    int r = pass.radix();
    float[] tw = twiddled ? pass.twiddles().floats : ONES;
    int twStep = twiddled ? 3 * (r - 1) : 0;
    float[] in = x.data();
    float[] out = y.data();
    int xr = x.re();
    int xi = x.im();
    int yr = y.re();
    int yi = y.im();
    switch (r) {
      case 2 ->
          FloatButterflies.radix2(
              count, width, in, xr, xi, xStep, xLeg, out, yr, yi, yStep, yLeg, tw, twStep);
      case 3 ->
          FloatButterflies.radix3(
              count, width, in, xr, xi, xStep, xLeg, out, yr, yi, yStep, yLeg, tw, twStep);
      case 5 ->
          FloatButterflies.radix5(
              count, width, in, xr, xi, xStep, xLeg, out, yr, yi, yStep, yLeg, tw, twStep);
      case 7 ->
          FloatButterflies.radix7(
              count, width, in, xr, xi, xStep, xLeg, out, yr, yi, yStep, yLeg, tw, twStep);
      case 4 -> {
        if (twiddled) {
          FloatButterflies.radix4(
              count, width, in, xr, xi, xStep, xLeg, out, yr, yi, yStep, yLeg, tw, twStep);
        } else {
          FloatButterflies.last4(count, width, in, xr, xi, xStep, xLeg, out, yr, yi, yStep, yLeg);
        }
      }
      case 8 -> {
        if (twiddled) {
          FloatButterflies.radix8(
              count, width, in, xr, xi, xStep, xLeg, out, yr, yi, yStep, yLeg, tw, twStep);
        } else {
          FloatButterflies.last8(count, width, in, xr, xi, xStep, xLeg, out, yr, yi, yStep, yLeg);
        }
      }
      default -> throw new AssertionError("no butterfly of radix " + r);
    }
  }

  @Override
  void rotate(Table table, int rows, int cols, Planes<float[]> x, Planes<float[]> y) {
    float[] in = x.data();
    float[] out = y.data();
    int whole = F.loopBound(cols);
    for (int p = 0; p < rows; p++) {
      float wr = table.floats[3 * p];
      float wi = table.floats[3 * p + 1];
      int xr = x.re() + p * x.stride();
      int xi = x.im() + p * x.stride();
      int yr = y.re() + p * y.stride();
      int yi = y.im() + p * y.stride();
      for (int c = 0; c < whole; c += W) {
        var re = FloatVector.fromArray(F, in, xr + c);
        var im = FloatVector.fromArray(F, in, xi + c);
        re.mul(wr).sub(im.mul(wi)).intoArray(out, yr + c);
        re.mul(wi).add(im.mul(wr)).intoArray(out, yi + c);
      }
      for (int c = whole; c < cols; c++) {
        float re = in[xr + c];
        float im = in[xi + c];
        out[yr + c] = re * wr - im * wi;
        out[yi + c] = re * wi + im * wr;
      }
    }
  }

  @Override
  void untangle(Table roots, int m, int cols, Planes<float[]> z, double edge, double interior) {
    float[] a = z.data();
    float[] table = roots.floats;
    float first = (float) edge;
    float half = (float) (0.5 * interior);
    for (int c = 0; c < cols; c += W) {
      int re = z.re() + c;
      int im = z.im() + c;
      var re0 = FloatVector.fromArray(F, a, re);
      var im0 = FloatVector.fromArray(F, a, im);
      re0.add(im0).mul(first).intoArray(a, re);
      re0.sub(im0).mul(first).intoArray(a, im);
      for (int k = 1; 2 * k <= m; k++) {
        int low = k * z.stride();
        int high = (m - k) * z.stride();
        var lr = FloatVector.fromArray(F, a, re + low).mul(half);
        var li = FloatVector.fromArray(F, a, im + low).mul(half);
        var hr = FloatVector.fromArray(F, a, re + high).mul(half);
        var hi = FloatVector.fromArray(F, a, im + high).mul(half);
        var er = lr.add(hr);
        var ei = li.sub(hi);
        var or = li.add(hi);
        var oi = hr.sub(lr);
        var wr = FloatVector.broadcast(F, table[3 * k]);
        var pr = or.fma(wr, oi.mul(table[3 * k + 2]));
        var pi = oi.fma(wr, or.mul(table[3 * k + 1]));
        er.add(pr).intoArray(a, re + low);
        ei.add(pi).intoArray(a, im + low);
        er.sub(pr).intoArray(a, re + high);
        pi.sub(ei).intoArray(a, im + high);
      }
    }
  }

  @Override
  void entangle(Table roots, int m, int cols, Planes<float[]> z, double edge, double interior) {
    float[] a = z.data();
    float[] table = roots.floats;
    float first = (float) edge;
    float factor = (float) interior;
    for (int c = 0; c < cols; c += W) {
      int re = z.re() + c;
      int im = z.im() + c;
      var re0 = FloatVector.fromArray(F, a, re).mul(first);
      var im0 = FloatVector.fromArray(F, a, im).mul(first);
      re0.add(im0).intoArray(a, re);
      re0.sub(im0).intoArray(a, im);
      for (int k = 1; 2 * k <= m; k++) {
        int low = k * z.stride();
        int high = (m - k) * z.stride();
        var lr = FloatVector.fromArray(F, a, re + low).mul(factor);
        var li = FloatVector.fromArray(F, a, im + low).mul(factor);
        var hr = FloatVector.fromArray(F, a, re + high).mul(factor);
        var hi = FloatVector.fromArray(F, a, im + high).mul(factor);
        var er = lr.add(hr);
        var ei = li.sub(hi);
        var dr = lr.sub(hr);
        var di = li.add(hi);
        var wr = FloatVector.broadcast(F, table[3 * k]);
        var or = dr.fma(wr, di.mul(table[3 * k + 1])); // conjugate root
        var oi = di.fma(wr, dr.mul(table[3 * k + 2]));
        er.sub(oi).intoArray(a, re + low);
        ei.add(or).intoArray(a, im + low);
        er.add(oi).intoArray(a, re + high);
        or.sub(ei).intoArray(a, im + high);
      }
    }
  }

  @Override
  void transpose(
      int rows,
      int cols,
      float[] src,
      int srcOffset,
      int srcStride,
      float[] dst,
      int dstOffset,
      int dstStride) {
    FloatTranspose.transpose(rows, cols, src, srcOffset, srcStride, dst, dstOffset, dstStride);
  }

  @Override
  void add(int cols, float[] src, int srcOffset, float[] dst, int dstOffset) {
    int whole = F.loopBound(cols);
    for (int j = 0; j < whole; j += W) {
      FloatVector.fromArray(F, dst, dstOffset + j)
          .add(FloatVector.fromArray(F, src, srcOffset + j))
          .intoArray(dst, dstOffset + j);
    }
    for (int j = whole; j < cols; j++) {
      dst[dstOffset + j] += src[srcOffset + j];
    }
  }

  @Override
  void copy(
      int rows,
      int cols,
      double factor,
      float[] src,
      int srcOffset,
      int srcStride,
      float[] dst,
      int dstOffset,
      int dstStride) {
    float f = (float) factor;
    int whole = F.loopBound(cols);
    for (int i = 0; i < rows; i++) {
      int at = srcOffset + i * srcStride;
      int to = dstOffset + i * dstStride;
      for (int j = 0; j < whole; j += W) {
        FloatVector.fromArray(F, src, at + j).mul(f).intoArray(dst, to + j);
      }
      for (int j = whole; j < cols; j++) {
        dst[to + j] = f * src[at + j];
      }
    }
  }

  @Override
  void clear(int rows, int cols, float[] dst, int dstOffset, int dstStride) {
    for (int i = 0; i < rows; i++) {
      int at = dstOffset + i * dstStride;
      Arrays.fill(dst, at, at + cols, 0);
    }
  }

  @Override
  void splitEdges(int rows, int m, Planes<float[]> y) {
    float[] a = y.data();
    for (int k = 0; 2 * k <= rows; k++) {
      int low = k * y.stride();
      int high = (k == 0 ? 0 : rows - k) * y.stride();
      double lr = a[y.re() + low];
      double li = a[y.im() + low];
      double hr = a[y.re() + high];
      double hi = a[y.im() + high];
      a[y.re() + low] = a[y.re() + high] = (float) (0.5 * (lr + hr));
      a[y.im() + low] = (float) (0.5 * (li - hi));
      a[y.im() + high] = (float) (0.5 * (hi - li));
      a[y.re() + low + m] = a[y.re() + high + m] = (float) (0.5 * (li + hi));
      a[y.im() + low + m] = (float) (0.5 * (hr - lr));
      a[y.im() + high + m] = (float) (0.5 * (lr - hr));
    }
  }

  @Override
  void joinEdges(int rows, int m, Planes<float[]> x, Planes<float[]> y) {
    float[] in = x.data();
    float[] out = y.data();
    for (int k = 0; k < rows; k++) {
      int low = k * x.stride();
      int high = (k == 0 ? 0 : rows - k) * x.stride();
      double ar = 0.5 * (in[x.re() + low] + in[x.re() + high]);
      double ai = 0.5 * (in[x.im() + low] - in[x.im() + high]);
      double br = 0.5 * (in[x.re() + low + m] + in[x.re() + high + m]);
      double bi = 0.5 * (in[x.im() + low + m] - in[x.im() + high + m]);
      out[y.re() + k * y.stride()] = (float) (ar - bi);
      out[y.im() + k * y.stride()] = (float) (ai + br);
    }
  }

  private static float[] ones() {
    float[] ones = new float[3 * 7];
    for (int i = 0; i < ones.length; i += 3) {
      ones[i] = 1;
    }
    return ones;
  }
}
