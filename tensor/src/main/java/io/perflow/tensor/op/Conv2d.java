package io.perflow.tensor.op;

import io.perflow.tensor.Check;
import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Padding;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * The 2-D convolution (cross-correlation) of images x (n, in, h, w) with weights (out, in / groups,
 * kh, kw) and, as a third input, an optional bias (out). The result is (n, out, oh, ow) with oh =
 * floor((h upsampling + 2 pad - kh) / stride) + 1.
 */
public record Conv2d(Conv2dSpec spec) implements Op {
  @Override
  public String name() {
    return "conv2d";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Tensor x = inputs[0];
    Tensor weight = inputs[1];
    Check.rank(name(), "input", x, 4);
    Check.rank(name(), "weight", weight, 4);
    checkChannels(name(), x.shape(), weight.shape(), spec);
    int out = weight.shape().dim(0);
    if (inputs.length > 2) {
      Check.rank(name(), "bias", inputs[2], 1);
      Check.size(name(), "bias", inputs[2], inputs[2].shape().dim(0), out);
    }
    return outputShape(name(), x.shape(), weight.shape(), spec);
  }

  static void checkChannels(String op, Shape x, Shape weight, Conv2dSpec spec) {
    Check.that(
        x.dim(1) == weight.dim(1) * spec.groups(),
        op,
        "input channels differ: input %s has %d, weight %s expects %d%s",
        x,
        x.dim(1),
        weight,
        weight.dim(1) * spec.groups(),
        spec.groups() == 1 ? "" : " in " + spec.groups() + " groups");
    Check.that(
        weight.dim(0) % spec.groups() == 0,
        op,
        "weight %s has %d output channels, not a multiple of %d groups",
        weight,
        weight.dim(0),
        spec.groups());
  }

  static Shape outputShape(String op, Shape x, Shape weight, Conv2dSpec spec) {
    int h = spec.outH(x.dim(2), weight.dim(2));
    int w = spec.outW(x.dim(3), weight.dim(3));
    Check.that(
        h > 0 && w > 0,
        op,
        "kernel of weight %s is larger than input %s padded by %d x %d",
        weight,
        x,
        spec.padH(),
        spec.padW());
    Check.that(
        (spec.paddingH() == Padding.ZEROS || spec.padH() <= x.dim(2) * spec.upsampling())
            && (spec.paddingW() == Padding.ZEROS || spec.padW() <= x.dim(3) * spec.upsampling()),
        op,
        "circular padding %d x %d exceeds input %s",
        spec.padH(),
        spec.padW(),
        x);
    return Shape.of(x.dim(0), weight.dim(0), h, w);
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    Tensor bias = inputs.length > 2 ? inputs[2] : null;
    return Op.only(backend.conv().conv2d(inputs[0], inputs[1], bias, spec));
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
      grads[0] = new Conv2dBackwardInput(spec, v.shape(0)).apply(v.grad(), v.input(1));
    }
    if (v.needs(1)) {
      grads[1] = new Conv2dBackwardWeight(spec, v.shape(1)).apply(v.input(0), v.grad());
    }
    if (v.count() > 2 && v.needs(2)) {
      grads[2] = v.grad().sum(false, 0, 2, 3);
    }
    return grads;
  }
}
