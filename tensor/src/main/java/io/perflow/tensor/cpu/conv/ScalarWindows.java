package io.perflow.tensor.cpu.conv;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Padding;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.cpu.gemm.ScalarGemm;
import io.perflow.tensor.cpu.loop.Ranges;
import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.cpu.memory.Doubles;

/**
 * The sizes of one convolution, and its sums over single planes of padded images. It is the
 * arithmetic of {@link ScalarConvolution}.
 */
final class ScalarWindows {
  // x (n, in, h, w), padded (n, in, ph, pw), weight (out, inPer, kh, kw), y (n, out, oh, ow);
  // output channel o reads the inPer input channels of its group from firstIn(o) on
  private final Conv2dSpec spec;
  final int n;
  final int in;
  final int h;
  final int w;
  final int ph;
  final int pw;
  final int out;
  final int inPer;
  final int outPer;
  final int kh;
  final int kw;
  final int oh;
  final int ow;

  ScalarWindows(Shape x, Shape weight, Conv2dSpec spec) {
    this.spec = spec;
    n = x.dim(0);
    in = x.dim(1);
    h = x.dim(2);
    w = x.dim(3);
    ph = h * spec.upsampling() + 2 * spec.padH();
    pw = w * spec.upsampling() + 2 * spec.padW();
    out = weight.dim(0);
    inPer = weight.dim(1);
    outPer = out / spec.groups();
    kh = weight.dim(2);
    kw = weight.dim(3);
    oh = spec.outH(h, kh);
    ow = spec.outW(w, kw);
  }

  void forwardPlane(int plane, double[] p, double[] weight, double[] y) {
    int o = plane % out;
    for (int i = 0; i < inPer; i++) {
      int image = plane / out * in + firstIn(o) + i;
      for (int uv = 0; uv < kh * kw; uv++) {
        double factor = weight[(o * inPer + i) * kh * kw + uv];
        for (int r = 0; r < oh; r++) {
          int from = tapRow(image, r, uv);
          int to = (plane * oh + r) * ow;
          if (spec.strideW() == 1) { // apart, so that the compiler uses vectors
            ScalarGemm.addScaled(factor, p, from, y, to, ow);
          } else {
            for (int c = 0; c < ow; c++) {
              y[to + c] += factor * p[from + c * spec.strideW()];
            }
          }
        }
      }
    }
  }

  void backwardPlane(int image, double[] dy, double[] weight, double[] p) {
    int group = image % in / inPer;
    int i = image % in % inPer;
    for (int o = group * outPer; o < (group + 1) * outPer; o++) {
      int plane = image / in * out + o;
      for (int uv = 0; uv < kh * kw; uv++) {
        double factor = weight[(o * inPer + i) * kh * kw + uv];
        for (int r = 0; r < oh; r++) {
          int from = (plane * oh + r) * ow;
          int to = tapRow(0, r, uv);
          if (spec.strideW() == 1) {
            ScalarGemm.addScaled(factor, dy, from, p, to, ow);
          } else {
            for (int c = 0; c < ow; c++) {
              p[to + c * spec.strideW()] += factor * dy[from + c];
            }
          }
        }
      }
    }
  }

  double tapSum(int filter, int uv, double[] p, double[] dy) {
    int o = filter / inPer;
    double sum = 0;
    for (int b = 0; b < n; b++) {
      int image = b * in + firstIn(o) + filter % inPer;
      for (int r = 0; r < oh; r++) {
        int read = tapRow(image, r, uv);
        int at = ((b * out + o) * oh + r) * ow;
        for (int c = 0; c < ow; c++) {
          sum += p[read + c * spec.strideW()] * dy[at + c];
        }
      }
    }
    return sum;
  }

  private int firstIn(int o) {
    return o / outPer * inPer;
  }

  /** Where output row r begins to read a padded plane for kernel entry uv = u kw + v. */
  private int tapRow(int plane, int r, int uv) {
    return (plane * ph + r * spec.strideH() + uv / kw) * pw + uv % kw;
  }

  /** x with its padding, (n, in, ph, pw), in a recycled array. */
  double[] pad(Tensor x) {
    double[] p = Buffers.doubles(Shape.of(n, in, ph, pw).size());
    try (Doubles xs = Doubles.of(x)) {
      Ranges.run(
          n * in,
          (long) ph * pw,
          (from, to) -> {
            for (int row = from * ph; row < to * ph; row++) {
              int r = source(row % ph - spec.padH(), h, spec.paddingH());
              for (int col = 0; col < pw; col++) {
                int c = source(col - spec.padW(), w, spec.paddingW());
                p[row * pw + col] = r < 0 || c < 0 ? 0 : xs.data[(row / ph * h + r) * w + c];
              }
            }
          });
    }
    return p;
  }

  /** Adjoint of {@link #pad} for one plane: adds p (ph, pw) to dx (h, w) at {@code at}. */
  void addUnpadded(double[] p, double[] dx, int at) {
    for (int row = 0; row < ph; row++) {
      int r = source(row - spec.padH(), h, spec.paddingH());
      for (int col = 0; col < pw; col++) {
        int c = source(col - spec.padW(), w, spec.paddingW());
        if (r >= 0 && c >= 0) {
          dx[at + r * w + c] += p[row * pw + col];
        }
      }
    }
  }

  /** The entry that stands at position i of an upsampled and padded axis, or -1 for a zero. */
  private int source(int i, int extent, Padding padding) {
    int large = extent * spec.upsampling();
    if (i >= 0 && i < large) {
      return i / spec.upsampling();
    }
    return padding == Padding.CIRCULAR ? Math.floorMod(i, large) / spec.upsampling() : -1;
  }
}
