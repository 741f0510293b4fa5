package io.perflow.tensor.cpu.fft;

import io.perflow.tensor.cpu.fft.FftPlan.Pass;
import io.perflow.tensor.cpu.fft.FftPlan.Table;
import io.perflow.tensor.cpu.memory.Buffers;

/** The loops of the Fourier transforms in plain Java: the definition of the result. */
final class ScalarDoubleFft extends FftKernel<double[]> {
  /** Rows (cos, sin) of 2 pi k / r at [r][2k], for the radices of a plan. */
  private static final double[][] ROOTS = new double[9][];

  static {
    for (int r = 2; r < ROOTS.length; r++) {
      ROOTS[r] = new double[2 * r];
      for (int k = 0; k < r; k++) {
        ROOTS[r][2 * k] = Roots.cos(k, r);
        ROOTS[r][2 * k + 1] = Roots.sin(k, r);
      }
    }
  }

  @Override
  int lanes() {
    return 1;
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
    double[] table = pass.twiddles().doubles;
    for (int i = 0; i < count; i++) {
      for (int l = 0; l < r; l++) {
        boolean turned = twiddled && l > 0;
        int row = 3 * (i * (r - 1) + l - 1);
        double wr = turned ? table[row] : 1;
        double wi = turned ? table[row + 1] : 0;
        leg(r, l, width, x, i * xStep, xLeg, y, i * yStep + l * yLeg, wr, wi);
      }
    }
  }

  /** Output l of a butterfly of radix r, times (wr, wi): the sum as it is defined. */
  private static void leg(
      int r,
      int l,
      int width,
      Planes<double[]> x,
      int at,
      int xLeg,
      Planes<double[]> y,
      int to,
      double wr,
      double wi) {
    double[] roots = ROOTS[r];
    double[] in = x.data();
    double[] out = y.data();
    for (int c = 0; c < width; c++) {
      double re = 0;
      double im = 0;
      for (int q = 0; q < r; q++) {
        int k = 2 * (q * l % r);
        double xr = in[x.re() + at + q * xLeg + c];
        double xi = in[x.im() + at + q * xLeg + c];
        re += xr * roots[k] + xi * roots[k + 1];
        im += xi * roots[k] - xr * roots[k + 1];
      }
      out[y.re() + to + c] = re * wr - im * wi;
      out[y.im() + to + c] = re * wi + im * wr;
    }
  }

  @Override
  void rotate(Table table, int rows, int cols, Planes<double[]> x, Planes<double[]> y) {
    double[] in = x.data();
    double[] out = y.data();
    for (int p = 0; p < rows; p++) {
      double wr = table.doubles[3 * p];
      double wi = table.doubles[3 * p + 1];
      for (int c = 0; c < cols; c++) {
        double re = in[x.re() + p * x.stride() + c];
        double im = in[x.im() + p * x.stride() + c];
        out[y.re() + p * y.stride() + c] = re * wr - im * wi;
        out[y.im() + p * y.stride() + c] = re * wi + im * wr;
      }
    }
  }

  @Override
  void untangle(Table roots, int m, int cols, Planes<double[]> z, double edge, double interior) {
    double[] a = z.data();
    double half = 0.5 * interior;
    for (int c = 0; c < cols; c++) {
      double re0 = a[z.re() + c];
      double im0 = a[z.im() + c];
      a[z.re() + c] = edge * (re0 + im0);
      a[z.im() + c] = edge * (re0 - im0);
      for (int k = 1; 2 * k <= m; k++) {
        int low = k * z.stride() + c;
        int high = (m - k) * z.stride() + c;
        double er = half * (a[z.re() + low] + a[z.re() + high]);
        double ei = half * (a[z.im() + low] - a[z.im() + high]);
        double or = half * (a[z.im() + low] + a[z.im() + high]);
        double oi = half * (a[z.re() + high] - a[z.re() + low]);
        double wr = roots.doubles[3 * k];
        double wi = roots.doubles[3 * k + 1];
        double pr = or * wr - oi * wi;
        double pi = or * wi + oi * wr;
        a[z.re() + low] = er + pr;
        a[z.im() + low] = ei + pi;
        a[z.re() + high] = er - pr;
        a[z.im() + high] = pi - ei;
      }
    }
  }

  @Override
  void entangle(Table roots, int m, int cols, Planes<double[]> z, double edge, double interior) {
    double[] a = z.data();
    for (int c = 0; c < cols; c++) {
      double first = edge * a[z.re() + c];
      double last = edge * a[z.im() + c];
      a[z.re() + c] = first + last;
      a[z.im() + c] = first - last;
      for (int k = 1; 2 * k <= m; k++) {
        int low = k * z.stride() + c;
        int high = (m - k) * z.stride() + c;
        double er = interior * (a[z.re() + low] + a[z.re() + high]);
        double ei = interior * (a[z.im() + low] - a[z.im() + high]);
        double dr = interior * (a[z.re() + low] - a[z.re() + high]);
        double di = interior * (a[z.im() + low] + a[z.im() + high]);
        double wr = roots.doubles[3 * k];
        double wi = roots.doubles[3 * k + 2]; // conjugate root
        double or = dr * wr - di * wi;
        double oi = dr * wi + di * wr;
        a[z.re() + low] = er - oi;
        a[z.im() + low] = ei + or;
        a[z.re() + high] = er + oi;
        a[z.im() + high] = or - ei;
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
    for (int j = 0; j < cols; j++) {
      for (int i = 0; i < rows; i++) {
        dst[dstOffset + j * dstStride + i] = src[srcOffset + i * srcStride + j];
      }
    }
  }

  @Override
  void add(int cols, double[] src, int srcOffset, double[] dst, int dstOffset) {
    for (int j = 0; j < cols; j++) {
      dst[dstOffset + j] += src[srcOffset + j];
    }
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
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < cols; j++) {
        dst[dstOffset + i * dstStride + j] = factor * src[srcOffset + i * srcStride + j];
      }
    }
  }

  @Override
  void clear(int rows, int cols, double[] dst, int dstOffset, int dstStride) {
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < cols; j++) {
        dst[dstOffset + i * dstStride + j] = 0;
      }
    }
  }

  @Override
  void splitEdges(int rows, int m, Planes<double[]> y) {
    double[] a = y.data();
    for (int k = 0; 2 * k <= rows; k++) {
      int low = k * y.stride();
      int high = (k == 0 ? 0 : rows - k) * y.stride();
      double lr = a[y.re() + low];
      double li = a[y.im() + low];
      double hr = a[y.re() + high];
      double hi = a[y.im() + high];
      a[y.re() + low] = a[y.re() + high] = 0.5 * (lr + hr);
      a[y.im() + low] = 0.5 * (li - hi);
      a[y.im() + high] = 0.5 * (hi - li);
      a[y.re() + low + m] = a[y.re() + high + m] = 0.5 * (li + hi);
      a[y.im() + low + m] = 0.5 * (hr - lr);
      a[y.im() + high + m] = 0.5 * (lr - hr);
    }
  }

  @Override
  void joinEdges(int rows, int m, Planes<double[]> x, Planes<double[]> y) {
    double[] in = x.data();
    double[] out = y.data();
    for (int k = 0; k < rows; k++) {
      int low = k * x.stride();
      int high = (k == 0 ? 0 : rows - k) * x.stride();
      double ar = 0.5 * (in[x.re() + low] + in[x.re() + high]);
      double ai = 0.5 * (in[x.im() + low] - in[x.im() + high]);
      double br = 0.5 * (in[x.re() + low + m] + in[x.re() + high + m]);
      double bi = 0.5 * (in[x.im() + low + m] - in[x.im() + high + m]);
      out[y.re() + k * y.stride()] = ar - bi;
      out[y.im() + k * y.stride()] = ai + br;
    }
  }
}
