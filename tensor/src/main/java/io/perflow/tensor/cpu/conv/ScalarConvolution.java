package io.perflow.tensor.cpu.conv;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Padding;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.cpu.gemm.ScalarGemm;
import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.loop.Ranges;
import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.cpu.memory.Doubles;
import io.perflow.tensor.cpu.memory.Fresh;
import java.util.Arrays;

/**
 * Convolution and its two adjoints. The image is padded first, by zeros or by itself; all three are
 * then sums over the same five indices:
 *
 * <pre>y(n, o, r, c) = bias(o) + sum over i, u, v of w(o, i, u, v) p(n, i, r sh + u, c sw + v)
 * </pre>
 */
public final class ScalarConvolution {
  // x (n, in, h, w), padded (n, in, ph, pw), weight (out, inPer, kh, kw), y (n, out, oh, ow);
  // output channel o reads the inPer input channels of its group from firstIn(o) on
  private final Conv2dSpec spec;
  private final int n;
  private final int in;
  private final int h;
  private final int w;
  private final int ph;
  private final int pw;
  private final int out;
  private final int inPer;
  private final int outPer;
  private final int kh;
  private final int kw;
  private final int oh;
  private final int ow;

  private ScalarConvolution(Shape x, Shape weight, Conv2dSpec spec) {
    this.spec = spec;
    n = x.dim(0);
    in = x.dim(1);
    h = x.dim(2);
    w = x.dim(3);
    ph = h + 2 * spec.padH();
    pw = w + 2 * spec.padW();
    out = weight.dim(0);
    inPer = weight.dim(1);
    outPer = out / spec.groups();
    kh = weight.dim(2);
    kw = weight.dim(3);
    oh = spec.outH(h, kh);
    ow = spec.outW(w, kw);
  }

  /** y from x. */
  public static Tensor forward(Tensor x, Tensor weight, Tensor bias, Conv2dSpec spec) {
    ScalarConvolution c = new ScalarConvolution(x.shape(), weight.shape(), spec);
    Tensor y = Fresh.like(x, Shape.of(c.n, c.out, c.oh, c.ow));
    double[] padded = c.pad(x);
    try (Doubles ws = Doubles.of(weight);
        Doubles bs = Doubles.ofNullable(bias);
        Doubles ys = Doubles.into(y)) {
      Parallel.run(
          c.n * c.out,
          plane -> {
            double start = bias == null ? 0 : bs.data[plane % c.out];
            Arrays.fill(ys.data, plane * c.oh * c.ow, (plane + 1) * c.oh * c.ow, start);
            c.forwardPlane(plane, padded, ws.data, ys.data);
          });
    } finally {
      Buffers.give(padded);
    }
    return y;
  }

  private void forwardPlane(int plane, double[] p, double[] weight, double[] y) {
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

  /** x (of shape {@code inputShape}) from y: every product goes back to where it was read. */
  public static Tensor backwardInput(
      Tensor dy, Tensor weight, Tensor bias, Conv2dSpec spec, Shape inputShape) {
    ScalarConvolution c = new ScalarConvolution(inputShape, weight.shape(), spec);
    Tensor dx = Fresh.like(dy, inputShape);
    try (Doubles ws = Doubles.of(weight);
        Doubles bs = Doubles.ofNullable(bias);
        Doubles dys = Doubles.of(dy);
        Doubles dxs = Doubles.into(dx)) {
      Parallel.run(
          c.n * c.in,
          image -> {
            double[] p = Buffers.doubles(c.ph * c.pw);
            Arrays.fill(p, 0, c.ph * c.pw, 0);
            c.backwardPlane(image, dys.data, ws.data, p);
            double start = bias == null ? 0 : bs.data[image % c.in];
            Arrays.fill(dxs.data, image * c.h * c.w, (image + 1) * c.h * c.w, start);
            c.addUnpadded(p, dxs.data, image * c.h * c.w);
            Buffers.give(p);
          });
    }
    return dx;
  }

  private void backwardPlane(int image, double[] dy, double[] weight, double[] p) {
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

  /** w (of shape {@code weightShape}) from x and y. */
  public static Tensor backwardWeight(Tensor x, Tensor dy, Conv2dSpec spec, Shape weightShape) {
    ScalarConvolution c = new ScalarConvolution(x.shape(), weightShape, spec);
    Tensor dw = Fresh.like(x, weightShape);
    double[] padded = c.pad(x);
    try (Doubles dys = Doubles.of(dy);
        Doubles dws = Doubles.into(dw)) {
      Parallel.run(
          c.out * c.inPer,
          filter -> {
            for (int uv = 0; uv < c.kh * c.kw; uv++) {
              dws.data[filter * c.kh * c.kw + uv] = c.tapSum(filter, uv, padded, dys.data);
            }
          });
    } finally {
      Buffers.give(padded);
    }
    return dw;
  }

  private double tapSum(int filter, int uv, double[] p, double[] dy) {
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
  private double[] pad(Tensor x) {
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
  private void addUnpadded(double[] p, double[] dx, int at) {
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

  /** The entry that stands at position i of a padded axis, or -1 for a zero. */
  private static int source(int i, int extent, Padding padding) {
    if (i >= 0 && i < extent) {
      return i;
    }
    return padding == Padding.CIRCULAR ? Math.floorMod(i, extent) : -1;
  }
}
