package io.perflow.tensor.cpu.conv;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.ConvKernels;
import io.perflow.tensor.cpu.loop.Parallel;
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
public class ScalarConvolution implements ConvKernels {
  /** y from x. */
  @Override
  public Tensor conv2d(Tensor x, Tensor weight, Tensor bias, Conv2dSpec spec) {
    ScalarWindows c = new ScalarWindows(x.shape(), weight.shape(), spec);
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

  /** x (of shape {@code inputShape}) from y: every product goes back to where it was read. */
  @Override
  public Tensor conv2dBackwardInput(
      Tensor dy, Tensor weight, Tensor bias, Conv2dSpec spec, Shape inputShape) {
    ScalarWindows c = new ScalarWindows(inputShape, weight.shape(), spec);
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

  /** w (of shape {@code weightShape}) from x and y. */
  @Override
  public Tensor conv2dBackwardWeight(Tensor x, Tensor dy, Conv2dSpec spec, Shape weightShape) {
    ScalarWindows c = new ScalarWindows(x.shape(), weightShape, spec);
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
}
