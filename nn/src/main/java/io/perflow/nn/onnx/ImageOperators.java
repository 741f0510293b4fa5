package io.perflow.nn.onnx;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Padding;
import io.perflow.tensor.Pool2dSpec;
import io.perflow.tensor.Shape;
import io.perflow.tensor.op.Conv2d;
import io.perflow.tensor.op.Conv2dBackwardInput;
import io.perflow.tensor.op.GroupNorm;
import io.perflow.tensor.op.GroupNormSpec;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** The ONNX forms of operations on images (n, c, h, w). */
final class ImageOperators {
  private ImageOperators() {}

  static String conv2d(Conv2d op, Call c) {
    Conv2dSpec spec = op.spec();
    boolean roundH = spec.paddingH() == Padding.CIRCULAR;
    boolean roundW = spec.paddingW() == Padding.CIRCULAR;
    String x = spec.upsampling() == 1 ? c.input(0) : upsample(spec.upsampling(), c);
    int[] extents = c.shape(0).counts();
    x = roundH ? Movement.wrap(c, x, 2, extents[2] * spec.upsampling(), spec.padH()) : x;
    x = roundW ? Movement.wrap(c, x, 3, extents[3] * spec.upsampling(), spec.padW()) : x;
    int h = roundH ? 0 : spec.padH();
    int w = roundW ? 0 : spec.padW();
    List<String> inputs = new java.util.ArrayList<>(c.inputs());
    inputs.set(0, x);
    return c.graph()
        .node(
            "Conv",
            inputs,
            kernel(c.shape(1)),
            Attribute.integers("strides", spec.strideH(), spec.strideW()),
            Attribute.integers("pads", h, w, h, w),
            Attribute.integer("group", spec.groups()));
  }

  private static Attribute kernel(BatchShape weight) {
    return Attribute.integers("kernel_shape", weight.counts()[2], weight.counts()[3]);
  }

  static String convTranspose2d(Conv2dBackwardInput op, Call c) {
    Conv2dSpec spec = op.spec();
    if (spec.paddingH() == Padding.CIRCULAR || spec.paddingW() == Padding.CIRCULAR) {
      throw c.unsupported("on a periodic axis");
    }
    int[] in = c.shape(0).counts();
    int[] kernel = c.shape(1).counts();
    int[] out = c.output().counts();
    return c.graph()
        .node(
            "ConvTranspose",
            c.inputs(),
            kernel(c.shape(1)),
            Attribute.integers("strides", spec.strideH(), spec.strideW()),
            Attribute.integers("pads", spec.padH(), spec.padW(), spec.padH(), spec.padW()),
            // The rows and columns that no window of the strided convolution reached.
            Attribute.integers(
                "output_padding",
                out[2] - ((in[2] - 1) * spec.strideH() - 2 * spec.padH() + kernel[2]),
                out[3] - ((in[3] - 1) * spec.strideW() - 2 * spec.padW() + kernel[3])),
            Attribute.integer("group", spec.groups()));
  }

  /**
   * Normalises each group as one channel of an InstanceNormalization, because the opset has no
   * group norm. Weight and scale are joined before they meet the image, and so are bias and shift.
   */
  static String groupNorm(GroupNorm op, Call c) {
    Graph g = c.graph();
    GroupNormSpec spec = op.spec();
    int groups = spec.groups();
    float[] ones = new float[groups];
    Arrays.fill(ones, 1);
    String y =
        g.node(
            "InstanceNormalization",
            List.of(
                g.node("Reshape", c.input(0), g.integers(0, groups, -1)),
                g.floats("", Shape.of(groups), ones),
                g.floats("", Shape.of(groups), new float[groups])),
            Attribute.number("epsilon", spec.eps()));
    y = g.reshape(y, c.output());
    int last = c.inputs().size() - 1;
    String gain = spec.modulated() ? g.node("Add", c.input(last - 1), g.scalar(1)) : null;
    String shift = spec.modulated() ? c.input(last) : null;
    if (spec.affine()) {
      String weight = c.input(1);
      String bias = c.input(2);
      shift = gain == null ? bias : g.node("Add", g.node("Mul", bias, gain), shift);
      gain = gain == null ? weight : g.node("Mul", weight, gain);
    }
    if (gain != null) {
      int rank = c.output().rank();
      y = g.node("Mul", y, perChannel(g, gain, rank));
      y = g.node("Add", y, perChannel(g, shift, rank));
    }
    return spec.silu() ? Elementwise.silu(g, y) : y;
  }

  // Returns (c) or (n, c) with axes of extent 1 appended for those of an image.
  private static String perChannel(Graph g, String x, int rank) {
    if (rank == 2) {
      return x;
    }
    long[] axes = IntStream.rangeClosed(1, rank - 2).mapToLong(a -> -a).toArray();
    return g.node("Unsqueeze", x, g.integers(axes));
  }

  static String pool(String type, Pool2dSpec spec, Call c) {
    return c.graph()
        .node(
            type,
            List.of(c.input(0)),
            Attribute.integers("kernel_shape", spec.sizeH(), spec.sizeW()),
            Attribute.integers("strides", spec.strideH(), spec.strideW()));
  }

  /** Returns the first input with every pixel repeated. */
  static String upsample(int factor, Call c) {
    Graph g = c.graph();
    String scales = g.floats("", Shape.of(4), new float[] {1, 1, factor, factor});
    return g.node(
        "Resize",
        List.of(c.input(0), "", scales),
        Attribute.text("mode", "nearest"),
        Attribute.text("coordinate_transformation_mode", "asymmetric"),
        Attribute.text("nearest_mode", "floor"));
  }
}
