package io.perflow.tensor.cpu.fft;

import static io.perflow.tensor.cpu.vector.Simd.D;

import io.perflow.tensor.cpu.fft.FftPlan.Pass;
import io.perflow.tensor.cpu.fft.FftPlan.Table;
import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.cpu.vector.DoubleTranspose;
import java.util.Arrays;
import jdk.incubator.vector.DoubleVector;

/** The loops of the Fourier transforms on the Vector API, for doubles. */
final class VectorDoubleFft extends FftKernel<double[]> {
  private static final int W = D.length();
  private static final ScalarDoubleFft SCALAR = new ScalarDoubleFft();

  // One row of factors 1 for the last passes of those radices that have no method without factors.
  private static final double[] ONES = ones();

  @Override
  int lanes() {
    return W;
  }

  @Override
  int bytes() {
    return Double.BYTES;
  }

  @Override
  double[] take(int length) {
    return Buffers.doubles(length);
  }

  @Override
  void give(double[] array) {
    Buffers.give(array);
  }

  @Override
  void pass(
      Pass pass,
      boolean twiddled,
      int count,
      int width,
      Planes<double[]> x,
      int xStep,
      int xLeg,
      Planes<double[]> y,
      int yStep,
      int yLeg) {
    int r = pass.radix();
    double[] tw = twiddled ? pass.twiddles().doubles : ONES;
    int twStep = twiddled ? 3 * (r - 1) : 0;
    double[] in = x.data();
    double[] out = y.data();
    int xr = x.re();
    int xi = x.im();
    int yr = y.re();
    int yi = y.im();
    switch (r) {
      case 2 ->
          DoubleButterflies.radix2(
              count, width, in, xr, xi, xStep, xLeg, out, yr, yi, yStep, yLeg, tw, twStep);
      case 3 ->
          DoubleButterflies.radix3(
              count, width, in, xr, xi, xStep, xLeg, out, yr, yi, yStep, yLeg, tw, twStep);
      case 5 ->
          DoubleButterflies.radix5(
              count, width, in, xr, xi, xStep, xLeg, out, yr, yi, yStep, yLeg, tw, twStep);
      case 7 ->
          DoubleButterflies.radix7(
              count, width, in, xr, xi, xStep, xLeg, out, yr, yi, yStep, yLeg, tw, twStep);
      case 4 -> {
        if (twiddled) {
          DoubleButterflies.radix4(
              count, width, in, xr, xi, xStep, xLeg, out, yr, yi, yStep, yLeg, tw, twStep);
        } else {
          DoubleButterflies.last4(count, width, in, xr, xi, xStep, xLeg, out, yr, yi, yStep, yLeg);
        }
      }
      case 8 -> {
        if (twiddled) {
          DoubleButterflies.radix8(
              count, width, in, xr, xi, xStep, xLeg, out, yr, yi, yStep, yLeg, tw, twStep);
        } else {
          DoubleButterflies.last8(count, width, in, xr, xi, xStep, xLeg, out, yr, yi, yStep, yLeg);
        }
      }
      default -> throw new AssertionError("no butterfly of radix " + r);
    }
  }

  @Override
  void rotate(Table table, int rows, int cols, Planes<double[]> x, Planes<double[]> y) {
    double[] in = x.data();
    double[] out = y.data();
    int whole = D.loopBound(cols);
    for (int p = 0; p < rows; p++) {
      double wr = table.doubles[3 * p];
      double wi = table.doubles[3 * p + 1];
      int xr = x.re() + p * x.stride();
      int xi = x.im() + p * x.stride();
      int yr = y.re() + p * y.stride();
      int yi = y.im() + p * y.stride();
      for (int c = 0; c < whole; c += W) {
        var re = DoubleVector.fromArray(D, in, xr + c);
        var im = DoubleVector.fromArray(D, in, xi + c);
        re.mul(wr).sub(im.mul(wi)).intoArray(out, yr + c);
        re.mul(wi).add(im.mul(wr)).intoArray(out, yi + c);
      }
      for (int c = whole; c < cols; c++) {
        double re = in[xr + c];
        double im = in[xi + c];
        out[yr + c] = re * wr - im * wi;
        out[yi + c] = re * wi + im * wr;
      }
    }
  }

  @Override
  void untangle(Table roots, int m, int cols, Planes<double[]> z, double edge, double interior) {
    double[] a = z.data();
    double[] table = roots.doubles;
    double first = edge;
    double half = (0.5 * interior);
    for (int c = 0; c < cols; c += W) {
      int re = z.re() + c;
      int im = z.im() + c;
      var re0 = DoubleVector.fromArray(D, a, re);
      var im0 = DoubleVector.fromArray(D, a, im);
      re0.add(im0).mul(first).intoArray(a, re);
      re0.sub(im0).mul(first).intoArray(a, im);
      for (int k = 1; 2 * k <= m; k++) {
        int low = k * z.stride();
        int high = (m - k) * z.stride();
        var lr = DoubleVector.fromArray(D, a, re + low).mul(half);
        var li = DoubleVector.fromArray(D, a, im + low).mul(half);
        var hr = DoubleVector.fromArray(D, a, re + high).mul(half);
        var hi = DoubleVector.fromArray(D, a, im + high).mul(half);
        var er = lr.add(hr);
        var ei = li.sub(hi);
        var or = li.add(hi);
        var oi = hr.sub(lr);
        var wr = DoubleVector.broadcast(D, table[3 * k]);
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
  void entangle(Table roots, int m, int cols, Planes<double[]> z, double edge, double interior) {
    double[] a = z.data();
    double[] table = roots.doubles;
    double first = edge;
    double factor = interior;
    for (int c = 0; c < cols; c += W) {
      int re = z.re() + c;
      int im = z.im() + c;
      var re0 = DoubleVector.fromArray(D, a, re).mul(first);
      var im0 = DoubleVector.fromArray(D, a, im).mul(first);
      re0.add(im0).intoArray(a, re);
      re0.sub(im0).intoArray(a, im);
      for (int k = 1; 2 * k <= m; k++) {
        int low = k * z.stride();
        int high = (m - k) * z.stride();
        var lr = DoubleVector.fromArray(D, a, re + low).mul(factor);
        var li = DoubleVector.fromArray(D, a, im + low).mul(factor);
        var hr = DoubleVector.fromArray(D, a, re + high).mul(factor);
        var hi = DoubleVector.fromArray(D, a, im + high).mul(factor);
        var er = lr.add(hr);
        var ei = li.sub(hi);
        var dr = lr.sub(hr);
        var di = li.add(hi);
        var wr = DoubleVector.broadcast(D, table[3 * k]);
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
      double[] src,
      int srcOffset,
      int srcStride,
      double[] dst,
      int dstOffset,
      int dstStride) {
    DoubleTranspose.transpose(rows, cols, src, srcOffset, srcStride, dst, dstOffset, dstStride);
  }

  @Override
  void copy(
      int rows,
      int cols,
      double factor,
      double[] src,
      int srcOffset,
      int srcStride,
      double[] dst,
      int dstOffset,
      int dstStride) {
    double f = factor;
    int whole = D.loopBound(cols);
    for (int i = 0; i < rows; i++) {
      int at = srcOffset + i * srcStride;
      int to = dstOffset + i * dstStride;
      for (int j = 0; j < whole; j += W) {
        DoubleVector.fromArray(D, src, at + j).mul(f).intoArray(dst, to + j);
      }
      for (int j = whole; j < cols; j++) {
        dst[to + j] = f * src[at + j];
      }
    }
  }

  @Override
  void clear(int rows, int cols, double[] dst, int dstOffset, int dstStride) {
    for (int i = 0; i < rows; i++) {
      int at = dstOffset + i * dstStride;
      Arrays.fill(dst, at, at + cols, 0);
    }
  }

  @Override
  void splitEdges(int rows, int m, Planes<double[]> y) {
    SCALAR.splitEdges(rows, m, y);
  }

  @Override
  void joinEdges(int rows, int m, Planes<double[]> x, Planes<double[]> y) {
    SCALAR.joinEdges(rows, m, x, y);
  }

  private static double[] ones() {
    double[] ones = new double[3 * 7];
    for (int i = 0; i < ones.length; i += 3) {
      ones[i] = 1;
    }
    return ones;
  }
}
