package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * The adjoint of {@link Conv2d} in its input: from y (n, out, oh, ow) and weights (out, in /
 * groups, kh, kw) to (n, in, h, w). With a bias (in) as a third input it is the transposed
 * convolution.
 */
public record Conv2dBackwardInput(Conv2dSpec spec, Shape inputShape) implements Op {
  /**
   * Applies the transposed convolution of x (n, in, h, w) with weights (in, out / groups, kh, kw),
   * which undoes the shapes of a strided convolution: the height becomes (h - 1) stride - 2 pad +
   * kh.
   *
   * @param bias (out), or null
   */
  public static Tensor transposed(Tensor x, Tensor weight, Tensor bias, Conv2dSpec spec) {
    Check.rank("conv_transpose2d", "input", x, 4);
    Check.rank("conv_transpose2d", "weight", weight, 4);
    Check.that(
        spec.upsampling() == 1,
        "conv_transpose2d",
        "upsampling by %d cannot be undone",
        spec.upsampling());
    Shape s = x.shape();
    Shape k = weight.shape();
    Shape result =
        Shape.of(
            s.dim(0),
            Check.extent("conv_transpose2d", (long) k.dim(1) * spec.groups()),
            transposedExtent(s.dim(2), spec.strideH(), spec.padH(), k.dim(2)),
            transposedExtent(s.dim(3), spec.strideW(), spec.padW(), k.dim(3)));
    Op op = new Conv2dBackwardInput(spec, result);
    return bias == null ? op.apply(x, weight) : op.apply(x, weight, bias);
  }

  private static int transposedExtent(int in, int stride, int pad, int kernel) {
    long extent = (in - 1L) * stride - 2L * pad + kernel;
    Check.that(
        in > 0 && extent > 0,
        "conv_transpose2d",
        "extent %d with stride %d, padding %d and kernel %d gives %d",
        in,
        stride,
        pad,
        kernel,
        extent);
    return Check.extent("conv_transpose2d", extent);
  }

  @Override
  public String name() {
    return "conv2d_backward_input";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Check.rank(name(), "gradient", inputs[0], 4);
    Check.rank(name(), "weight", inputs[1], 4);
    Conv2d.checkChannels(name(), inputShape, inputs[1].shape(), spec);
    Shape expected = Conv2d.outputShape(name(), inputShape, inputs[1].shape(), spec);
    Check.sameShape(name(), "gradient", inputs[0], expected);
    if (inputs.length > 2) {
      Check.rank(name(), "bias", inputs[2], 1);
      Check.size(name(), "bias", inputs[2], inputs[2].shape().dim(0), inputShape.dim(1));
    }
    return inputShape;
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    Tensor bias = inputs.length > 2 ? inputs[2] : null;
    return Op.only(
        backend.conv().conv2dBackwardInput(inputs[0], inputs[1], bias, spec, inputShape));
  }

  @Override
  public Saved saved() {
    return Saved.inputs(0, 1);
  }

  @Override
  public Saved saved(int needed) {
    return Saved.otherFactor(needed);
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    Tensor[] grads = new Tensor[v.count()];
    if (v.needs(0)) {
      grads[0] = new Conv2d(spec).apply(v.grad(), v.input(1));
    }
    if (v.needs(1)) {
      grads[1] = new Conv2dBackwardWeight(spec, v.shape(1)).apply(v.grad(), v.input(0));
    }
    if (v.count() > 2 && v.needs(2)) {
      grads[2] = v.grad().sum(false, 0, 2, 3);
    }
    return grads;
  }
}
