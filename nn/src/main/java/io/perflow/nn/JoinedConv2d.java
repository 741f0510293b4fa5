package io.perflow.nn;

import io.perflow.tensor.Check;
import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;
import io.perflow.tensor.op.Concat;
import io.perflow.tensor.op.Conv2d;
import io.perflow.tensor.op.Conv2dBackwardInput;
import io.perflow.tensor.op.Conv2dBackwardWeight;
import io.perflow.tensor.op.Fused;
import io.perflow.tensor.op.Op;
import io.perflow.tensor.op.Vjp;
import java.util.Arrays;

/**
 * The convolution of images joined along their channels: inputs x1 (n, c1, h, w), x2 …, and then
 * weight (out, c1 + c2 + …, kh, kw) and bias (out).
 *
 * <p>It is not a composition with a join, because that writes all of the images once more.
 */
record JoinedConv2d(Conv2dSpec spec) implements Fused {
  @Override
  public String name() {
    return "joined_conv2d";
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    Shape joined = new Concat(1).outputShape(images(inputs));
    Tensor weight = inputs[inputs.length - 2];
    Shape expected = weight.shape().with(1, joined.dim(1));
    Check.sameShape(name(), "weight", weight, expected);
    Check.sameShape(name(), "bias", inputs[inputs.length - 1], Shape.of(weight.dim(0)));
    return Shape.of(
        joined.dim(0),
        weight.dim(0),
        spec.outH(joined.dim(2), weight.dim(2)),
        spec.outW(joined.dim(3), weight.dim(3)));
  }

  private static Tensor[] images(Tensor... inputs) {
    return Arrays.copyOf(inputs, inputs.length - 2);
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... in) {
    int k = in.length - 2;
    return Op.only(backend.conv().joinedConv2d(images(in), in[k], in[k + 1], spec));
  }

  @Override
  public Tensor composed(Tensor... in) {
    int k = in.length - 2;
    return new Conv2d(spec).apply(Tensor.concat(1, images(in)), in[k], in[k + 1]);
  }

  /** Computes every gradient as a plain convolution, because every image has its own weights. */
  @Override
  public Tensor[] vjp(Vjp v) {
    int k = v.count() - 2;
    Tensor[] grads = new Tensor[k + 2];
    Tensor[] weights = new Tensor[k];
    int first = 0;
    for (int i = 0; i < k; i++) {
      int end = first + v.shape(i).dim(1);
      Shape own = v.shape(k).with(1, end - first);
      if (v.needs(i)) {
        Tensor weight = v.input(k).slice(1, first, end);
        grads[i] = new Conv2dBackwardInput(spec, v.shape(i)).apply(v.grad(), weight);
      }
      if (v.needs(k)) {
        weights[i] = new Conv2dBackwardWeight(spec, own).apply(v.input(i), v.grad());
      }
      first = end;
    }
    grads[k] = v.needs(k) ? Tensor.concat(1, weights) : null;
    grads[k + 1] = v.needs(k + 1) ? v.grad().sum(false, 0, 2, 3) : null;
    return grads;
  }
}
